// The hooks of Claude Code. Its dialog is open while a hook is asked, and the first answer wins.
import { type Fields, someText } from "../../fields.js";
import { foreignId } from "../../foreign-id.js";
import { announced, hostOf } from "../../words.js";
import {
  agentFailed,
  agentStopped,
  compacting,
  conversationEnded,
  type HookEvent,
  NOTHING,
  permissionOutput,
  permissionRequested,
  promptSubmitted,
  readHook,
  state,
  subagentStarted,
  subagentStopped,
  toolBegins,
  toolDenied,
  toolFailed,
  toolSucceeded,
  waits,
} from "../hook-events.js";
import type { HookHost } from "../hook-host.js";

/** The host waits 600 s at most. */
const ANSWER_SECONDS = 120;

/** Text that the host shows, in whole lines. That of a subagent is for its agent. */
const messageDisplayed: HookEvent = ({ message_id: id, delta, final, agent_id: agent }, { turn }) => {
  const output = someText(id);
  if (output === undefined || agent !== undefined) return NOTHING;
  const text = someText(delta);
  return {
    signs: [
      ...(text === undefined ? [] : [{ kind: "text", turn, output: foreignId(output), text } as const]),
      ...(final === true ? [{ kind: "text-end", turn } as const] : []),
    ],
  };
};

const notified: HookEvent = ({ notification_type: type, message }, { turn, words }) => {
  if (type === "idle_prompt") return { signs: [state(turn, "idle", words.say("waitsForYou"), words)] };
  if (type !== "permission_prompt") return NOTHING;
  const asking = announced(someText(message) ?? words.say("question"), words);
  return { ...waits(turn, words.say("askedThere", { asking }), words), isSpare: true };
};

/** A server of MCP asks by a form or an address, which only the host's window can take. */
const elicited: HookEvent = ({ mode, message, url }, { turn, words, inFront }) => {
  const domain = mode === "url" ? hostOf(someText(url) ?? "") : undefined;
  const asking = announced(someText(message) ?? words.say("question"), words);
  return waits(
    turn,
    inFront(domain === undefined ? words.say("askedThere", { asking }) : words.say("askedToOpen", { domain })),
    words,
  );
};

const elicitationAnswered: HookEvent = (_, { turn }) => ({ signs: [{ kind: "state", turn, state: "thinking" }] });

const EVENTS: Readonly<Record<string, HookEvent>> = {
  UserPromptSubmit: promptSubmitted,
  PreToolUse: toolBegins,
  PermissionRequest: permissionRequested,
  PermissionDenied: toolDenied,
  PostToolUse: toolSucceeded,
  PostToolUseFailure: toolFailed,
  MessageDisplay: messageDisplayed,
  Stop: agentStopped,
  StopFailure: agentFailed,
  SubagentStart: subagentStarted,
  SubagentStop: subagentStopped,
  Notification: notified,
  Elicitation: elicited,
  ElicitationResult: elicitationAnswered,
  PreCompact: compacting,
  SessionEnd: conversationEnded,
};

/** Reads Claude Code 2.0.45 and later. "Always" belongs to its own dialog and is never answered. */
export const CLAUDE: HookHost = {
  id: "claude",
  name: "Claude",
  agentId: "claude-code",
  read: (message: Fields, options) => {
    const reading = readHook(message, EVENTS, { ...options, seconds: ANSWER_SECONDS });
    // The dialog of a subagent in the background comes only after the hook.
    return reading?.actor === undefined ? reading : { ...reading, needsAudience: true };
  },
  answer: permissionOutput,
};
