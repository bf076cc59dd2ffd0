// The ground of the cases about delivery and renegotiation.

import type { ScenarioName } from "../../drive/driver.js";
import { fail } from "../../findings/finding.js";
import { type Arrived, arrivedIn, evidenceOf, type Message, noted } from "../../wire/conversation.js";
import { eventsToEnd, sessionEnd, shownToEnd } from "../session-on.js";
import { answerIn, isEvent, type ProducerStage, QUIET_MS, type Subscription } from "../stage.js";

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
