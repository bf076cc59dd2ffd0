// Summary of the demo: the terms granted to each listener, and the events it received.
import type { SubscriptionAccepted } from "#gen/aaep/types.js";
import { termsInWords } from "../shell/capability-options.js";
import { counted } from "../terminal/counted.js";
import type { DemoListener } from "./demo-listeners.js";
import { type DemoSession, publishedTexts } from "./demo-session.js";
import type { Tally } from "./demo-tally.js";

/** A listener of the demo, with its granted terms and its tally. */
export interface Seat {
  readonly listener: DemoListener;
  readonly tally: Tally;
  accepted: SubscriptionAccepted | undefined;
}

export function summaryLines(seats: readonly Seat[], session: DemoSession): readonly string[] {
  return [
    `Published: ${counted(session.events.length, "event")}, ${counted(session.charCount, "character")} of text.`,
    ...seats.flatMap(({ listener, tally, accepted }) => [
      "",
      `${listener.name}`,
      `  granted: ${termsInWords(accepted?.honored_capabilities ?? {})}`,
      ...(accepted?.negotiation_notes === undefined ? [] : [`  notes: ${accepted.negotiation_notes}`]),
      `  got: ${counts(tally)}`,
      `  pace: ${counted(tally.mostInAWindow(), "event")} in the busiest ten seconds, ${asideInWords(tally)}; longest wait ${waits(tally)}`,
      `  text: ${textVerdict(tally, session)}`,
    ]),
  ];
}

function counts(tally: Tally): string {
  const texts = `${tally.textCount()} of text with ${counted(tally.charCount(), "character")}`;
  const late =
    tally.lateCount() === 0
      ? ""
      : `; ${tally.lateCount()} of all at the end, handed out whatever the rate, as the daemon was stopped`;
  return `${counted(tally.eventCount(), "event")}, ${texts}, ${tally.criticalCount()} critical${late}`;
}

function asideInWords(tally: Tally): string {
  return tally.lateCount() === 0 ? "critical ones aside" : "critical ones and those at the end aside";
}

function waits(tally: Tally): string {
  const all = `${(tally.longestWaitMs() / 1000).toFixed(1)} s`;
  return tally.criticalCount() === 0 ? all : `${all}, of a critical event ${tally.longestCriticalWaitMs()} ms`;
}

function textVerdict(tally: Tally, session: DemoSession): string {
  return hasWholeText(tally, session) ? "complete, every character once and in order" : "NOT complete";
}

/** Whether every published output arrived unchanged (R10). */
export function hasWholeText(tally: Tally, session: DemoSession): boolean {
  const published = publishedTexts(session.events);
  const got = tally.texts();
  return got.length === published.length && got.every((text, index) => text === published[index]);
}
