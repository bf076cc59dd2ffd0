// A command below an agent must not answer for the person. Commands that answer look for the marks that agents leave in the environment (R5d).
import { usage } from "../base/errors.js";

/** The variable that `aaepd acp` sets in what it starts: the agent's name. */
export const AGENT_VARIABLE = "AAEPD_AGENT";

/** Variables that hosts set in the commands that their agents run, and in no terminal of a person. */
const HOST_VARIABLES: readonly string[] = [
  "AI_AGENT",
  "ANTIGRAVITY_AGENT",
  "AUGMENT_AGENT",
  "CLAUDECODE",
  "CLINE_ACTIVE",
  "CODEX_CI",
  "CODEX_SANDBOX",
  "CODEX_SANDBOX_NETWORK_DISABLED",
  "CODEX_THREAD_ID",
  "COPILOT_AGENT_SESSION_ID",
  "CURSOR_AGENT",
  "GEMINI_CLI",
  "GOOSE_TERMINAL",
  "OPENCODE",
  "QWEN_CODE",
];

/** The variable that says that an agent has started the process of this environment; undefined if there is none. */
export function hostMarkIn(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  return [AGENT_VARIABLE, ...HOST_VARIABLES].find((name) => (environment[name] ?? "") !== "");
}

/**
 * Throws a Fault "usage" if an agent has started this process. The check stops an agent that was talked into answering itself. A program
 * that hides can clear its environment.
 */
export function assertNotBelowAgent(environment: Readonly<Record<string, string | undefined>>): void {
  const mark = hostMarkIn(environment);
  if (mark === undefined) return;
  const sentence = `The variable ${mark} says that an agent has started this command. Only a person answers: run it in a terminal of your own.`;
  throw usage(sentence);
}
