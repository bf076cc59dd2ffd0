// A session as one subscription hears it.

import type { Millis } from "../../contracts/clock.js";
import type { ScenarioName } from "../drive/driver.js";
import { skip, verdictIn } from "../findings/finding.js";
import { type Arrived, arrivedIn, type Message, type SeekBounds } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { isTerminal } from "./hearing.js";
import { isEvent, isType, type ProducerStage, type Shown, type Subscription } from "./stage.js";

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
