// The hooks of Codex. Its prompt comes only after the hook has ended, so a question must not wait for nobody.
import type { Fields } from "../../fields.js";
import {
  agentFailed,
  agentStopped,
  compacting,
  conversationEnded,
  type HookEvent,
  permissionOutput,
  permissionRequested,
  promptSubmitted,
  readHook,
  subagentStarted,
  subagentStopped,
  toolBegins,
  toolSucceeded,
  turnInterrupted,
} from "../hook-events.js";
import type { HookHost } from "../hook-host.js";

const ANSWER_SECONDS = 60;

const EVENTS: Readonly<Record<string, HookEvent>> = {
  UserPromptSubmit: promptSubmitted,
  PreToolUse: toolBegins,
  PermissionRequest: permissionRequested,
  PostToolUse: toolSucceeded,
  Stop: agentStopped,
  StopFailure: agentFailed,
  Interrupt: turnInterrupted,
  SubagentStart: subagentStarted,
  SubagentStop: subagentStopped,
  PreCompact: compacting,
  SessionEnd: conversationEnded,
};

/** Reads Codex 0.124 and later. */
export const CODEX: HookHost = {
  id: "codex",
  name: "Codex",
  agentId: "codex",
  read: (message: Fields, options) => {
    const reading = readHook(message, EVENTS, { ...options, seconds: ANSWER_SECONDS });
    return reading === undefined ? undefined : { ...reading, needsAudience: true };
  },
  answer: permissionOutput,
};
