// A question that a case has made the producer ask.
import { fail } from "../findings/verdicts.js";
import type { Message } from "../wire/conversation.js";
import { ANSWERS, confirmationReply, questionIn, resolutionAfter } from "./asking.js";
import { eventsOf, evidenceOf, isType, PATIENCE_MS, type ProducerStage, QUIET_MS, type Subscription } from "./stage.js";

export interface Asked {
  readonly listener: Subscription;
  readonly sessionId: string;
  readonly question: Message;
  /** The place behind the question. */
  readonly after: number;
}

export async function ask(
  stage: ProducerStage,
  scenario: "confirmation" | "confirmation-short" | "two-confirmations" = "confirmation",
  listener?: Subscription,
): Promise<Asked> {
  const one = listener ?? (await stage.subscribe(ANSWERS));
  const { sessionId } = await stage.show(scenario, one);
  const { message, place } = await questionIn(one, sessionId, "confirmation");
  return { listener: one, sessionId, question: message, after: place + 1 };
}

/** Fails if the question is resolved while the case is quiet. */
export async function staysOpen(
  { listener, sessionId, after }: Asked,
  expected: string,
  because: Message,
): Promise<void> {
  const resolved = await resolutionAfter(listener, sessionId, after, QUIET_MS);
  if (resolved !== undefined)
    fail(expected, "The producer went on.", [{ note: "sent", text: JSON.stringify(because) }, evidenceOf(resolved)]);
}

/** Answers, and fails if the producer does not go on. */
export async function resolves({ listener, sessionId, question, after }: Asked, decision: string): Promise<Message> {
  const reply = confirmationReply(listener, question, decision);
  listener.conversation.say(reply);
  const resolved = await resolutionAfter(listener, sessionId, after, PATIENCE_MS);
  if (resolved?.message === undefined)
    return fail(`After a reply "${decision}" an event shows that the producer goes on.`, "No such event came.", [
      { note: "sent", text: JSON.stringify(reply) },
    ]);
  return resolved.message;
}

/** The tool calls of a session that came after the question. */
export async function callsAfter({ listener, sessionId, after }: Asked): Promise<readonly Message[]> {
  await listener.conversation.seek(
    (message) =>
      message.session_id === sessionId && isType(message, "session.completed", "session.errored", "session.cancelled"),
    PATIENCE_MS,
    after,
  );
  return eventsOf(listener, sessionId).flatMap(({ message, place }) =>
    place >= after && message !== undefined && isType(message, "tool.invoked") ? [message] : [],
  );
}
