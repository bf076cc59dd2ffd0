// The hosts whose hooks are read: what each tells beside the shared events, and how long it waits for an answer.
import { someText } from "../../base/members.js";
import { foreignId } from "../fields.js";
import { elicited } from "../shared-signs.js";
import { announced } from "../words.js";
import {
  type HookEvent,
  NOTHING,
  readHook,
  SHARED_EVENTS,
  state,
  toolDenied,
  toolFailed,
  turnInterrupted,
  waits,
} from "./hook-events.js";
import type { HookHost, HookHostId } from "./hook-host.js";

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
const serverAsks: HookEvent = (message, { turn, words, inFront }) => ({
  signs: [elicited(turn, message, words, inFront)],
});

const serverAnswered: HookEvent = (_, { turn }) => ({ signs: [{ kind: "state", turn, state: "thinking" }] });

const CLAUDE_EVENTS: Readonly<Record<string, HookEvent>> = {
  ...SHARED_EVENTS,
  PermissionDenied: toolDenied,
  PostToolUseFailure: toolFailed,
  MessageDisplay: messageDisplayed,
  Notification: notified,
  Elicitation: serverAsks,
  ElicitationResult: serverAnswered,
};

const CODEX_EVENTS: Readonly<Record<string, HookEvent>> = { ...SHARED_EVENTS, Interrupt: turnInterrupted };

/** Another host is an entry here. */
export const HOOK_HOSTS: Readonly<Record<HookHostId, HookHost>> = {
  /** Claude Code 2.0.45 and later. Its dialog is open while a hook is asked, and the first answer wins. It waits 600 s at most. */
  claude: {
    id: "claude",
    name: "Claude",
    agentId: "claude-code",
    read: (message, options) => {
      const reading = readHook(message, CLAUDE_EVENTS, { ...options, seconds: 120 });
      // The dialog of a subagent in the background comes only after the hook.
      return reading?.actor === undefined ? reading : { ...reading, needsAudience: true };
    },
  },
  /** Codex 0.124 and later. Its prompt comes only after the hook has ended, so a question must not wait for nobody. */
  codex: {
    id: "codex",
    name: "Codex",
    agentId: "codex",
    read: (message, options) => {
      const reading = readHook(message, CODEX_EVENTS, { ...options, seconds: 60 });
      return reading === undefined ? undefined : { ...reading, needsAudience: true };
    },
  },
};
