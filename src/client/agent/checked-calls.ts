// Tools and questions, checked where the author gives them. A slip of the hand in JavaScript, such as `irreversibel: true`, must not run a tool
// unasked. A question that nobody hears must not seem to have been withdrawn.

import { usage } from "../../base/errors.js";
import type { KnownNames } from "../../base/known-names.js";
import type { SessionClarification, SessionConfirmation } from "./questions.js";
import type { ToolOptions } from "./session-types.js";

/** Each option of a tool. True: it is about a question, which only `irreversible` brings about. */
const OPTIONS: Readonly<Record<keyof ToolOptions<unknown>, boolean>> = {
  summary: false,
  completed: false,
  risk_level: false,
  invoked: false,
  irreversible: false,
  action: true,
  consequence: true,
  timeout_seconds: true,
  extra_context: true,
  declined: true,
};

/** Throws a Fault "usage" for a `run` that is no function, for an unknown option, and for one about a question where nobody would be asked. */
export function assertTool(run: unknown, options: { readonly irreversible?: unknown }): void {
  if (typeof run !== "function") throw usage("Give the tool as a function, which is called later: () => remove(12).");
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(OPTIONS, name))
      throw usage(`A tool has no option ${JSON.stringify(name)}, but ${Object.keys(OPTIONS).join(", ")}.`);
    if (OPTIONS[name as keyof typeof OPTIONS] && options.irreversible === undefined)
      throw usage(`The option ${name} is about a question, and nobody is asked without irreversible: true.`);
  }
}

type Members<Question> = Readonly<
  Record<Exclude<KnownNames<Question>, keyof typeof OF_EVERY | `summary_${string}_${string}`>, true>
>;

/** The members that questions have as other events do, and that serve the agent's host. */
const OF_EVERY = {
  "@context": true,
  aaep_version: true,
  call_id: true,
  correlation_id: true,
  event_id: true,
  extensions: true,
  host_dialog: true,
  localization_hints: true,
  producer: true,
  reply_token: true,
  sequence_number: true,
  summary_detailed: true,
  summary_normal: true,
  summary_terse: true,
  timestamp: true,
  urgency: true,
  verbosity: true,
};
const CONFIRMATION: Members<SessionConfirmation> = {
  action: true,
  consequence: true,
  risk_level: true,
  irreversible: true,
  reversibility: true,
  timeout_seconds: true,
  default_decision: true,
  allowed_replies: true,
  extra_context: true,
};
const CLARIFICATION: Members<SessionClarification> = {
  question: true,
  choices: true,
  accepted_response_kinds: true,
  timeout_seconds: true,
  default_response: true,
  context: true,
};
const SUMMARY_VARIANT = /^summary_(?:terse|normal|detailed)_/;

/**
 * Throws a Fault "usage" for what is no question: an unknown member, a missing text, and choices without value and label. The daemon judges the
 * rest.
 */
export function assertQuestion(kind: "confirm" | "clarify", question: unknown): void {
  const isConfirmation = kind === "confirm";
  const own = isConfirmation ? CONFIRMATION : CLARIFICATION;
  const given = (question ?? {}) as { readonly [member: string]: unknown };
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(own, name) || Object.hasOwn(OF_EVERY, name) || SUMMARY_VARIANT.test(name)) continue;
    throw usage(`A question has no member ${JSON.stringify(name)}, but ${Object.keys(own).join(", ")}.`);
  }
  for (const name of isConfirmation ? ["action", "consequence"] : ["question"])
    if (typeof given[name] !== "string") throw usage(`A question needs ${name}, a text.`);
  const { choices } = given;
  if (choices !== undefined && !(Array.isArray(choices) && choices.every(isChoice)))
    throw usage('choices is an array of objects, such as [{ value: "bill", label: "By bill" }].');
}

function isChoice(choice: unknown): boolean {
  const { value, label } = (choice ?? {}) as { readonly value?: unknown; readonly label?: unknown };
  return typeof value === "string" && typeof label === "string";
}
