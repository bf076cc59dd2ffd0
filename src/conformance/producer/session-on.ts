// A session as subscriptions hear it, and the terms under which they do.
import type { Millis } from "../../contracts/clock.js";
import type { ScenarioName } from "../drive/driver.js";
import { fail, skip, verdictIn } from "../findings/finding.js";
import { type Arrived, arrivedIn, evidenceOf, type Message, noted, type SeekBounds } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { isTerminal } from "./hearing.js";
import { answerIn, isEvent, isType, type ProducerStage, QUIET_MS, type Shown, type Subscription } from "./stage.js";

/** The events of a session that came, in their order. */
export function eventsOf({ conversation }: Subscription, sessionId: string): readonly Arrived[] {
  return arrivedIn(conversation).filter(({ message }) => isEvent(message) && message.session_id === sessionId);
}

/** The same, up to the end of the session: what follows may have come to one subscription and not yet to another. */
export function eventsToEnd(listener: Subscription, sessionId: string): readonly Arrived[] {
  const events = eventsOf(listener, sessionId);
  const end = events.findIndex(({ message }) => isTerminal(message));
  return end === -1 ? events : events.slice(0, end + 1);
}

/** As `ProducerStage.show`, for a scenario that the case can do without. Undefined: it is not shown, and the listener hears nothing more. */
export async function shownIfPossible(
  stage: ProducerStage,
  scenario: ScenarioName,
  listener: Subscription,
): Promise<Shown | undefined> {
  try {
    return await stage.show(scenario, listener);
  } catch (caught) {
    if (verdictIn(caught).kind === "skipped") return undefined;
    throw caught;
  }
}

/** Waits for an event of a session; undefined: none that is wanted came in time. */
export function seekIn(
  { conversation }: Subscription,
  sessionId: string,
  isWanted: (event: Message) => boolean,
  bounds?: SeekBounds,
): Promise<Arrived | undefined> {
  return conversation.seek((message) => message.session_id === sessionId && isWanted(message), bounds);
}

/** Waits for the end of a session; undefined: it did not come in time. */
export function sessionEnd(listener: Subscription, sessionId: string, withinMs?: Millis): Promise<Arrived | undefined> {
  return seekIn(listener, sessionId, isTerminal, { withinMs });
}

/** As `sessionEnd`. Skips the case if the end does not come. */
export async function endOf(listener: Subscription, sessionId: string, withinMs?: Millis): Promise<Arrived> {
  return (await sessionEnd(listener, sessionId, withinMs)) ?? skip("The session did not end.");
}

/** Shows a scenario, and waits for the end of its session. Skips the case if the end does not come. Returns the id of the session. */
export async function shownToEnd(
  stage: ProducerStage,
  scenario: ScenarioName,
  listener: Subscription,
  withinMs?: Millis,
): Promise<string> {
  const { sessionId, done } = await stage.show(scenario, listener);
  await done;
  await endOf(listener, sessionId, withinMs);
  return sessionId;
}

/** The streamed text among events. */
export function textOf(events: readonly Arrived[]): string {
  return events
    .flatMap(({ message }) => (isType(message, "output.streaming") ? [wordsOf(message.chunk)] : []))
    .join("");
}

/** Longest time from a scenario's end to its last event, ms: what is held at a rate may still come. */
export const DRAINING_MS = 30_000;

/** The most events that a token bucket lets go of in a time. */
export function mostEvents(honored: Message, rate: number, lastedMs: number): number {
  return Math.floor((rate * lastedMs) / 1000 + burstOf(honored, rate));
}

/** The capacity of the bucket, events. The chapter names none: one second's worth, and 1 at least. A producer of aaepd may announce less. */
function burstOf(honored: Message, rate: number): number {
  const { limits } = (honored.aaepd ?? {}) as Message;
  const { burst } = (limits ?? {}) as Message;
  return Math.min(Math.max(1, rate), typeof burst === "number" ? burst : Number.POSITIVE_INFINITY);
}

/** A scenario as one subscription hears it. */
export interface HeardBy {
  readonly listener: Subscription;
  /** Up to the end of the session. */
  readonly events: readonly Arrived[];
}

/** A scenario as subscriptions hear it, each with terms of its own. The last one is there to hear its end: without that the case is skipped. */
export async function heardBy(
  stage: ProducerStage,
  scenario: ScenarioName,
  terms: readonly Message[],
): Promise<readonly HeardBy[]> {
  const listeners: Subscription[] = [];
  for (const capabilities of terms) listeners.push(await stage.subscribe(capabilities));
  const witness = listeners.at(-1) ?? (await stage.subscribe());
  const sessionId = await shownToEnd(stage, scenario, witness, DRAINING_MS);
  for (const listener of listeners) await sessionEnd(listener, sessionId, DRAINING_MS);
  return listeners.map((listener) => ({ listener, events: eventsToEnd(listener, sessionId) }));
}

/** An event that came on a conversation after a place, in the time in which another subscription heard a whole session. */
export async function eventAfter(
  stage: ProducerStage,
  { conversation }: Pick<Subscription, "conversation">,
  from: number,
  scenario: ScenarioName = "session",
): Promise<Arrived | undefined> {
  const witness = await stage.subscribe();
  await shownToEnd(stage, scenario, witness);
  await stage.wait(QUIET_MS);
  return arrivedIn(conversation).find(({ place, message }) => place >= from && isEvent(message));
}

/** Renegotiates. Fails the case if the answer is not subscription.accepted. Returns the honored terms, and the place behind the answer. */
export async function renegotiate(
  { conversation, id }: Subscription,
  capabilities: Message,
): Promise<{ readonly honored: Message; readonly after: number; readonly accepted: Message }> {
  const from = conversation.record.length;
  conversation.say({ type: "subscription.renegotiate", subscription_id: id, capabilities });
  const { message, text, place } = await answerIn(conversation, from);
  if (message.type !== "subscription.accepted")
    return fail("A renegotiation is accepted.", "It is answered by something else.", [
      evidenceOf(conversation.record[from]),
      noted("received", text),
    ]);
  return { honored: (message.honored_capabilities ?? {}) as Message, after: place + 1, accepted: message };
}
