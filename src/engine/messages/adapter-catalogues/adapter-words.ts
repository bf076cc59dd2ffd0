// The sentences of adapters, which make agents audible that do not know of aaepd. A catalogue that lacks one does not compile.

/** The actions of tools that have a sentence of their own. */
export const TOOL_ACTIONS = ["read", "edit", "delete", "move", "execute", "fetch"] as const;
export type ToolAction = (typeof TOOL_ACTIONS)[number];

export interface AdapterWords {
  /** The name of an agent in a folder. */
  readonly agentIn: (host: string, folder: string) => string;
  /** A tool that runs: "Edits config.ts". `what` is a file, a command or a host. */
  readonly runs: Readonly<Record<ToolAction, (what: string) => string>>;
  /** The same as what a person is asked to allow: "Edit config.ts". */
  readonly asks: Readonly<Record<ToolAction, (what: string) => string>>;
  /** A tool of which only the name is known, in a question. */
  readonly use: (tool: string) => string;
  readonly moreLines: (count: number) => string;
  /** The rest of a line that is too long. */
  readonly moreCharacters: (count: number) => string;
  readonly moreFiles: (count: number) => string;
  /** Labels in front of the parts of a question. */
  readonly labels: Readonly<Record<"command" | "folder" | "file" | "host" | "address" | "text", string>>;
  /** The agent's own description of a command, which may be wrong. */
  readonly agentSays: (description: string) => string;
  /** The host told nothing about the action but its title. */
  readonly noDetails: string;
  /** The whole does not fit into a question. */
  readonly leftOut: (characters: number) => string;
  /** Asked a second time, because the first question left something out. */
  readonly notAllRead: (action: string) => string;
  readonly works: string;
  readonly done: string;
  readonly limitReached: string;
  readonly refused: string;
  readonly stopped: string;
  readonly failed: string;
  readonly signInNeeded: string;
  /** The exit code of a program. */
  readonly exitCode: (number: number) => string;
  /** `how` is an exit code in words or the name of a signal. */
  readonly exited: (how: string) => string;
  /** A program that is no agent. `how` as in `exited`. */
  readonly programEnded: (how: string) => string;
  readonly usesTools: (server: string) => string;
  /** A text that the person has said without an agent. */
  readonly message: string;
  readonly waitsForPerson: string;
  readonly hostClosed: string;
  readonly mode: (name: string) => string;
  readonly compacting: string;
  /** `title`: "" where the host tells none. */
  readonly subagent: (title: string, words: string) => string;
  /** A question that only the host's own dialog can take. */
  readonly askedThere: (asking: string) => string;
  readonly askedToOpen: (domain: string) => string;
  readonly question: string;
  /** The agent does nothing until the person says something. */
  readonly waitsForYou: string;
  /** The host itself has not allowed it. `what` is an action, as in `asks`. */
  readonly denied: (what: string) => string;
  readonly searches: string;
}
