// The summary at the end of the demo: what each listener got.
import type { Envelope, SubscriptionAccepted } from "#gen/aaep/types.js";
import { counted } from "../terminal/amounts.js";
import { chunkOf, isCritical } from "../terminal/event-text.js";
import type { DemoListener } from "./demo-listeners.js";
import { type DemoSession, outputKey, publishedTexts } from "./demo-session.js";

/** A listener of the demo, with its granted terms and what it got. */
export interface Seat {
  readonly listener: DemoListener;
  readonly got: Got;
  accepted: SubscriptionAccepted | undefined;
}

/** Counts the events of one listener. */
export class Got {
  eventCount = 0;
  textCount = 0;
  criticalCount = 0;
  readonly #texts = new Map<string, string>();

  note(event: Envelope): void {
    this.eventCount += 1;
    if (isCritical(event)) this.criticalCount += 1;
    const chunk = chunkOf(event);
    if (chunk === undefined) return;
    this.textCount += 1;
    const key = outputKey(event);
    this.#texts.set(key, (this.#texts.get(key) ?? "") + chunk);
  }

  /** Whether every published output arrived unchanged (R10). */
  hasWholeText({ events }: DemoSession): boolean {
    const published = publishedTexts(events);
    const got = [...this.#texts.values()];
    return got.length === published.length && got.every((text, index) => text === published[index]);
  }
}

export function summaryLines(seats: readonly Seat[], session: DemoSession): readonly string[] {
  return [
    `Published: ${counted(session.events.length, "event")}, ${counted(session.charCount, "character")} of text.`,
    ...seats.flatMap(({ listener, got, accepted }) => [
      "",
      listener.name,
      ...(accepted?.negotiation_notes === undefined ? [] : [`  notes: ${accepted.negotiation_notes}`]),
      `  got: ${counted(got.eventCount, "event")}, ${got.textCount} of text, ${got.criticalCount} critical`,
      `  text: ${got.hasWholeText(session) ? "complete, every character once and in order" : "NOT complete"}`,
    ]),
  ];
}
