// Forms of JSON-RPC calls: the short and the long form of a publish, and the calls that need an answer (R8, R33).
import { Fault } from "../../../base/errors.js";

export interface LongForm {
  readonly events: readonly unknown[];
  readonly resumeToken: string | undefined;
}

/**
 * The params of a publish with a token (R8): exactly `events` and optionally `resume_token`. An event has a `type`, so it is never mistaken for this
 * form.
 */
export function longForm(params: object): LongForm | undefined {
  if (!("events" in params) || !Array.isArray(params.events)) return undefined;
  if (Object.keys(params).some((name) => name !== "events" && name !== "resume_token")) return undefined;
  const resumeToken = "resume_token" in params ? params.resume_token : undefined;
  if (resumeToken !== undefined && typeof resumeToken !== "string") {
    const sentence = "`resume_token` must be the string that session.started was answered with.";
    throw new Fault("invalid_params", sentence, { pointer: "/resume_token", rule: "R8" });
  }
  return { events: params.events, resumeToken };
}

/** Calls that are useless, or must not have an effect, if the caller does not receive the answer (AAEP §5.1, §5.7). */
export const NEEDS_AN_ANSWER: ReadonlySet<string> = new Set([
  "aaep.subscribe",
  "aaep.renegotiate",
  "aaep.manifest",
  "aaep.resume_session",
  "aaep.list_pending",
  "aaep.confirm",
  "aaep.clarify",
  "aaep.outcome_of",
  "aaepd.hook",
  "aaepd.status",
]);

export function unanswerable(method: string): Fault {
  return new Fault("invalid_message", `Call ${method} as a request, with an id; nobody would hear its answer.`, {
    pointer: "/id",
    rule: "R33",
  });
}
