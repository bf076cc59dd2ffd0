// The keys of the desktop: words that a person binds to keys, or types. bin/aaepd.js lists their names too.

export interface KeyCommand {
  readonly summary: string;
  readonly description: string;
  readonly argument?: readonly [name: string, description: string];
  readonly example?: string;
  /** Only a person may press it, never a program that an agent has started (R5d). */
  readonly isPersons?: true;
}

export const KEYS = {
  hush: {
    summary: "silence the output that is spoken",
    description: "Ends the output or question that is spoken, and the text that waits. Questions go on.",
  },
  again: { summary: "read the last text again", description: "Reads the last text again in full, code included." },
  back: { summary: "read the text before", description: "Reads the text before the one that was read last." },
  skip: {
    summary: "go on to the next output",
    description: "Leaves out the rest of the output that is spoken, and goes on to the next.",
  },
  where: {
    summary: "tell what each agent does",
    description: "Tells the latest words of each agent, and how much waits.",
  },
  pause: {
    summary: "hold text back, and let questions through",
    description: "Holds text back until aaepd resume. Questions and errors are said.",
    isPersons: true,
  },
  resume: {
    summary: "speak on",
    description: "Speaks on after a pause, after mute, or after another program has kept speaking.",
  },
  mute: {
    summary: "say nothing for a while",
    description: "Says nothing aloud. Questions wait, and are said at the end.",
    argument: ["[minutes]", "how long (default: until aaepd resume)"],
    example: "mute 30",
    isPersons: true,
  },
  questions: { summary: "read the open questions", description: "Reads all open questions." },
  details: {
    summary: "read the details of a question",
    description: "Reads the details of the question that was said last, ids included. Once more reads on.",
  },
  answer: {
    summary: "answer the question that was said last",
    description: "Answers the question that was said to its end last.",
    argument: ["<words...>", "accept, reject, leave, the number of a choice, or your own words"],
    example: "answer accept",
    isPersons: true,
  },
  braille: {
    summary: "take the braille display, or give it back",
    description:
      "Takes the braille display for the line of aaepd speak --braille, or gives it back to the screen reader.",
    argument: ["[take|release]", "which of both (default: the one that changes it)"],
    example: "braille take",
    isPersons: true,
  },
  stop: {
    summary: "ask an agent to stop",
    description: "Asks an agent to stop. The first time it asks back by the agent's name, and once more stops it.",
    argument: ["[name]", "the agent (default: the one that was heard last)"],
    isPersons: true,
  },
} as const satisfies Readonly<Record<string, KeyCommand>>;

export type KeyName = keyof typeof KEYS;
export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

/** The message of a key to the listener, one JSON object in a line. */
export interface KeyMessage {
  readonly key: KeyName | "who";
  readonly words: readonly string[];
  readonly question?: number | undefined;
  /** The names of the variables of its environment, which show who has started it. */
  readonly variables: readonly string[];
}

/** The answer, likewise. */
export interface KeyAnswer {
  /** The words that are spoken, for eyes and for programs. */
  readonly said: string;
  /** Nothing was done. */
  readonly isRefused?: boolean;
}
