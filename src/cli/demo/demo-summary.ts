// The summary at the end of the demo: what each listener got.
import type { Envelope, SubscriptionAccepted } from "#gen/aaep/types.js";
import { counted } from "../terminal/amounts.js";
import { isCritical } from "../terminal/event-text.js";
import type { DemoListener } from "./demo-listeners.js";
import { type DemoSession, OutputTexts } from "./demo-session.js";

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
  readonly #texts = new OutputTexts();

  note(event: Envelope): void {
    this.eventCount += 1;
    if (isCritical(event)) this.criticalCount += 1;
    if (this.#texts.note(event)) this.textCount += 1;
  }

  /** Whether every published output arrived unchanged (R10). */
  hasWholeText({ events }: DemoSession): boolean {
    const published = new OutputTexts();
    for (const event of events) published.note(event as unknown as Envelope);
    return JSON.stringify(this.#texts.all()) === JSON.stringify(published.all());
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
