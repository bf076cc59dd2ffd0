// The three listeners of the demo, the capabilities that they request, and the summary of what each got.
import type { Capabilities, Envelope, SubscriptionAccepted } from "#gen/aaep/types.js";
import { isCritical } from "../../client/event-types.js";
import { counted } from "../terminal/amounts.js";
import { type DemoSession, OutputTexts } from "./demo-session.js";

export interface DemoListener {
  readonly id: string;
  readonly name: string;
  readonly capabilities: Capabilities;
  /** Whether the listener gets text in pieces too small to read one by one; several share a line. */
  readonly getsPieces: boolean;
  /** Cells of the display line that a text is shown in; undefined: texts are shown whole. */
  readonly lineCells?: number;
}

/** `language` is the language of the session. The screen reader speaks it; the reader of the braille display prefers English. */
export function demoListeners(language: string): readonly [DemoListener, DemoListener, DemoListener] {
  const own = language.toLowerCase().startsWith("en") ? [language] : [language, "en"];
  return [
    {
      id: "demo-screen-reader",
      name: "Screen reader",
      getsPieces: false,
      capabilities: {
        preferred_verbosity: "terse",
        languages: own,
        coalesce_boundaries: ["sentence", "completion"],
        // A usual voice. Without it, sentences would come as fast as they are written, and wait in the queue of the voice.
        pace_wpm: 180,
        supports_confirmation_reply: true,
        supports_clarification_reply: true,
        supported_conformance_levels: [1, 2],
      },
    },
    {
      id: "demo-braille",
      name: "Braille display",
      getsPieces: false,
      lineCells: 80,
      capabilities: {
        max_events_per_second: 1,
        preferred_verbosity: "terse",
        languages: [...own].reverse(),
        coalesce_boundaries: ["sentence", "completion"],
        cognitive_load: "low",
      },
    },
    {
      id: "demo-debugger",
      name: "Debugging tool",
      getsPieces: true,
      capabilities: {
        preferred_verbosity: "detailed",
        languages: own,
        coalesce_boundaries: ["none"],
        cognitive_load: "high",
      },
    },
  ];
}

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
