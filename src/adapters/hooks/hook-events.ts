// The events that hosts of hooks share, each as the signs of one message. Pure: a message comes in, signs go out.
import { type Members, membersOf, someText } from "../../base/members.js";
import { LONGEST_TOOL_NAME } from "../../base/tool-name.js";
import type { Wording } from "../../engine/messages/wording.js";
import { shortenedText } from "../../engine/text/shortened-text.js";
import type { Decision, Sign } from "../adapter.js";
import { foreignId, listOf } from "../fields.js";
import { planned } from "../shared-signs.js";
import { questionWords, runsWords } from "../tool-words.js";
import { announced, ofSubagent, oneLine } from "../words.js";
import type { HookOptions, HookReading } from "./hook-host.js";
import { callKey, isAnswerable, isDialog, isSilent, toolFacts } from "./tool-facts.js";

/** The content of a message beside its conversation. */
type Told = Omit<HookReading, "event" | "conversation" | "folder" | "actor">;

interface EventContext extends HookOptions {
  readonly turn: string;
  readonly folder: string | undefined;
  /** How long a person has to answer a question of this host, s. */
  readonly seconds: number;
  /** Puts the name of a subagent in front of its words. */
  readonly inFront: (words: string) => string;
}

export type HookEvent = (message: Members, context: EventContext) => Told;

/** UTF-16 units of a request in the words of its turn. */
const LONGEST_REQUEST = 80;
/** The same of the kind of a subagent, which must leave room for what it does. */
const LONGEST_TITLE = 40;
/** Modes in which the host asks the person. In others it decides by itself, or a reviewer does. */
const ASKING_MODES: readonly unknown[] = ["default", "acceptEdits"];
/** The mode in which no call waits for a question, or for the host's own reviewer. */
const UNASKED_MODE = "bypassPermissions";

export const NOTHING: Told = { signs: [] };

const promptSubmitted: HookEvent = ({ prompt, source }, { turn, folder, words }) => {
  const isPersons = source === undefined || source === "user" || source === "sdk";
  const request = isPersons ? shortenedText(oneLine(someText(prompt) ?? ""), LONGEST_REQUEST) : "";
  return { signs: [{ kind: "turn", turn, words: request || words.say("works"), conversation: turn, folder }] };
};

const toolBegins: HookEvent = (message, context) => {
  const { turn, words, inFront } = context;
  const { tool, call, input, key } = callOf(message);
  if (tool === "TodoWrite") return { signs: planned(turn, listOf(membersOf(input).todos).map(membersOf), words) };
  if (call === undefined || isSilent(tool)) return NOTHING;
  if (isDialog(tool)) return waits(turn, inFront(dialogWords(tool, membersOf(input), words)), words);
  const said = toolRuns(tool, input, context);
  return {
    key,
    ...(message.permission_mode === UNASKED_MODE ? { isUnasked: true } : {}),
    signs: [{ kind: "tool", turn, call, name: tool, words: said }],
  };
};

const toolSucceeded: HookEvent = (message, context) => toolEnded(message, context, "success");

export const toolFailed: HookEvent = (message, context) =>
  toolEnded(message, context, message.is_interrupt === true ? "cancelled" : "error");

/** The host has denied the call by itself. */
export const toolDenied: HookEvent = (message, context) => {
  const { turn, words, inFront } = context;
  const { tool, input } = callOf(message);
  const said = inFront(words.say("denied", { what: questionWords(toolFacts(tool, input, words), words).action }));
  const ended = toolEnded(message, context, "cancelled");
  return { ...ended, signs: [...ended.signs, state(turn, "thinking", said, words)] };
};

const permissionRequested: HookEvent = (message, { turn, words, answers, seconds, inFront }) => {
  const { tool, input, key } = callOf(message);
  // It was told when its call began.
  if (isDialog(tool)) return NOTHING;
  const { action, consequence } = questionWords(toolFacts(tool, input, words), words);
  if (!answers || !isAnswerable(tool) || !ASKING_MODES.includes(message.permission_mode))
    return {
      key,
      isAskedThere: true,
      ...waits(turn, inFront(words.say("askedThere", { asking: `${announced(action, words)}.` })), words),
    };
  return {
    key,
    ...(consequence.isCut ? { isCut: true } : {}),
    signs: [
      {
        kind: "question",
        turn,
        id: key,
        call: "",
        name: tool,
        action: inFront(action),
        consequence: consequence.text,
        risk: "medium",
        irreversible: false,
        seconds,
      },
    ],
  };
};

/** The output of a hook for a person's answer. Exactly these members: Codex refuses others, and "always" is none of them. */
export function permissionOutput(decision: Decision): object {
  return {
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: decision === "accept" ? { behavior: "allow" } : { behavior: "deny", message: DENIED },
    },
  };
}

/** For the model. */
const DENIED = "The person rejected this.";

const agentStopped: HookEvent = ({ last_assistant_message: last }, { turn, words }) => {
  const lastMessage = someText(last);
  return {
    ...(lastMessage === undefined ? {} : { lastMessage }),
    signs: [{ kind: "end", turn, how: "completed", words: words.say("done") }],
  };
};

const agentFailed: HookEvent = ({ error }, { turn, words }) => {
  const why = error === "authentication_failed" ? "signInNeeded" : "failed";
  return { signs: [{ kind: "end", turn, how: "errored", words: words.say(why), code: "AGENT_ERROR" }] };
};

/** The person has stopped the turn. */
export const turnInterrupted: HookEvent = (_, { turn, words }) => ({
  signs: [{ kind: "end", turn, how: "cancelled", words: words.say("stopped") }],
});

/** The agent, or a subagent with its name in front, says how far it is. */
const thinking =
  (what: "works" | "done" | "compacting"): HookEvent =>
  (_, { turn, words, inFront }) => ({ signs: [state(turn, "thinking", inFront(words.say(what)), words)] });

const conversationEnded: HookEvent = (_, { turn, words }) => ({
  isLast: true,
  signs: [{ kind: "end", turn, how: "cancelled", words: words.say("hostClosed") }],
});

/** The events that all hosts have, each in the same form. */
export const SHARED_EVENTS: Readonly<Record<string, HookEvent>> = {
  UserPromptSubmit: promptSubmitted,
  PreToolUse: toolBegins,
  PermissionRequest: permissionRequested,
  PostToolUse: toolSucceeded,
  Stop: agentStopped,
  StopFailure: agentFailed,
  SubagentStart: thinking("works"),
  SubagentStop: thinking("done"),
  PreCompact: thinking("compacting"),
  SessionEnd: conversationEnded,
};

export function state(turn: string, name: string, said: string, words: Wording): Sign {
  return { kind: "state", turn, state: name, words: announced(said, words) };
}

/** The host waits for the person in its own window. */
export function waits(turn: string, said: string, words: Wording): Told {
  return { signs: [state(turn, "awaiting_input", said, words)] };
}

/** Reads a message by the table of its host. */
export function readHook(
  message: Members,
  events: Readonly<Record<string, HookEvent>>,
  options: HookOptions & { readonly seconds: number },
): HookReading | undefined {
  const conversation = idIn(message.session_id);
  const event = someText(message.hook_event_name);
  if (conversation === undefined || event === undefined) return undefined;
  const { words } = options;
  const actor = idIn(message.agent_id);
  const title = someText(message.agent_type) ?? "";
  const folder = someText(message.cwd);
  const inFront = (said: string): string =>
    actor === undefined ? said : ofSubagent(shortenedText(oneLine(title), LONGEST_TITLE), said, words);
  const read = Object.hasOwn(events, event) ? events[event] : undefined;
  const told = read?.(message, { ...options, turn: conversation, folder, inFront }) ?? NOTHING;
  return { event, conversation, folder, actor, ...told };
}

/** An id of the host's, which may be kept. */
function idIn(value: unknown): string | undefined {
  const id = someText(value);
  return id === undefined ? undefined : foreignId(id);
}

function callOf({ tool_name: name, tool_input: input, tool_use_id: id }: Members) {
  const tool = (someText(name) ?? "tool").slice(0, LONGEST_TOOL_NAME);
  return { tool, input, call: idIn(id), key: callKey(tool, input) };
}

function toolEnded(message: Members, context: EventContext, status: "success" | "error" | "cancelled"): Told {
  const { tool, input, call, key } = callOf(message);
  if (call === undefined) return NOTHING;
  const ran = { name: tool, words: toolRuns(tool, input, context) };
  return {
    key,
    ...(isSilent(tool) || isDialog(tool) ? {} : { ran }),
    signs: [{ kind: "tool-end", turn: context.turn, call, status }],
  };
}

function toolRuns(tool: string, input: unknown, { words, inFront }: EventContext): string {
  return announced(inFront(runsWords(toolFacts(tool, input, words), words)), words);
}

/** The questions of a dialog with their choices, or the name of its tool. */
function dialogWords(tool: string, { questions, plan }: Members, words: Wording): string {
  const asked = listOf(questions)
    .map(membersOf)
    .flatMap(({ question, options }) => {
      const labels = listOf(options).flatMap((option) => someText(membersOf(option).label) ?? []);
      const text = someText(question);
      return text === undefined ? [] : [labels.length === 0 ? text : `${text} ${labels.join(", ")}.`];
    });
  if (asked.length > 0) return words.say("askedThere", { asking: oneLine(asked.join(" ")) });
  return words.say("askedThere", { asking: plan === undefined ? words.say("question") : `${tool}.` });
}
