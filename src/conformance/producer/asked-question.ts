// A question that a case has made the producer ask.
import type { ScenarioName } from "../drive/scenarios.js";
import { fail } from "../findings/verdicts.js";
import type { Message } from "../wire/conversation.js";
import { ANSWERS, confirmationReply, isIrreversibleCall, proofAfter, questionIn, resolutionAfter } from "./asking.js";
import { type Arrived, endOf, eventsOf } from "./session-on.js";
import { evidenceOf, isType, type ProducerStage, QUIET_MS, type Subscription } from "./stage.js";

export interface Asked {
  readonly listener: Subscription;
  readonly sessionId: string;
  readonly question: Message;
  /** The place behind the question. */
  readonly after: number;
}

type Asking = Extract<
  ScenarioName,
  "confirmation" | "confirmation-short" | "two-confirmations" | "two-confirmations-short"
>;

export async function ask(
  stage: ProducerStage,
  scenario: Asking = "confirmation",
  listener?: Subscription,
): Promise<Asked> {
  const one = listener ?? (await stage.subscribe(ANSWERS));
  const { sessionId } = await stage.show(scenario, one);
  return nextQuestion(one, sessionId);
}

/** Waits for the next question of the session. Skips the case if none comes. */
export async function nextQuestion(listener: Subscription, sessionId: string, from?: number): Promise<Asked> {
  const { message, place } = await questionIn(listener, sessionId, "confirmation", from);
  return { listener, sessionId, question: message, after: place + 1 };
}

/** Fails if the question is resolved while the case is quiet. */
export async function staysOpen(
  { listener, sessionId, after }: Asked,
  expected: string,
  because: Message,
): Promise<void> {
  const resolved = await proofAfter(listener, sessionId, after, QUIET_MS);
  if (resolved !== undefined)
    fail(expected, "The producer went on.", [{ note: "sent", text: JSON.stringify(because) }, evidenceOf(resolved)]);
}

/** Answers, and fails if the producer does not go on. */
export async function resolves({ listener, sessionId, question, after }: Asked, decision: string): Promise<Message> {
  const reply = confirmationReply(listener, question, decision);
  listener.conversation.say(reply);
  const resolved = await resolutionAfter(listener, sessionId, after);
  if (resolved?.message === undefined)
    return fail(`After a reply "${decision}" an event shows that the producer goes on.`, "No such event came.", [
      { note: "sent", text: JSON.stringify(reply) },
    ]);
  return resolved.message;
}

/** Rejects, and fails if the action is taken all the same: then something before the reject counted as an accept. */
export async function isRejected(asked: Asked, expected: string, because?: Message): Promise<void> {
  await resolves(asked, "reject");
  const call = await irreversibleCallAfter(asked);
  if (call !== undefined)
    fail(expected, "The irreversible tool was invoked.", [
      ...(because === undefined ? [] : [{ note: "sent", text: JSON.stringify(because) }]),
      evidenceOf(call),
    ]);
}

/** The first irreversible tool call of a session that came after the question. Skips the case as `callsAfter` does. */
export async function irreversibleCallAfter(asked: Asked): Promise<Arrived | undefined> {
  return (await callsAfter(asked)).find(({ message }) => isIrreversibleCall(message));
}

/** The tool calls of a session that came after the question. Skips the case if the session does not end: a call could still come. */
export async function callsAfter({ listener, sessionId, after }: Asked): Promise<readonly Arrived[]> {
  await endOf(listener, sessionId);
  return eventsOf(listener, sessionId).filter(
    ({ message, place }) => place >= after && isType(message, "tool.invoked"),
  );
}
