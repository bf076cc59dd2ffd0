// What each listener of the demo was granted, and what it got.
import { termsInWords } from "./capability-options.js";
import type { Seat } from "./demo-run.js";
import type { DemoSession } from "./demo-session.js";
import { publishedTexts } from "./demo-session.js";
import type { Tally } from "./demo-tally.js";

export function summaryLines(seats: readonly Seat[], session: DemoSession): readonly string[] {
  const published = publishedTexts(session.events);
  return [
    `Published: ${session.events.length} events, ${session.charCount} characters of text.`,
    ...seats.flatMap(({ listener, tally, accepted }) => [
      "",
      `${listener.name}`,
      `  granted: ${termsInWords(accepted?.honored_capabilities ?? {})}`,
      ...(accepted?.negotiation_notes === undefined ? [] : [`  notes: ${accepted.negotiation_notes}`]),
      `  got: ${counts(tally)}`,
      `  pace: ${tally.mostInAWindow()} events in the busiest ten seconds, critical ones aside; longest wait ${waits(tally)}`,
      `  text: ${textVerdict(tally, published)}`,
    ]),
  ];
}

function counts(tally: Tally): string {
  const texts = `${tally.textCount()} of text with ${tally.charCount()} characters`;
  const late = tally.lateCount() === 0 ? "" : `; ${tally.lateCount()} of all at the end, when the daemon was stopped`;
  return `${tally.eventCount()} events, ${texts}, ${tally.criticalCount()} critical${late}`;
}

function waits(tally: Tally): string {
  const all = `${(tally.longestWaitMs() / 1000).toFixed(1)} s`;
  return tally.criticalCount() === 0 ? all : `${all}, of a critical event ${tally.longestCriticalWaitMs()} ms`;
}

function textVerdict(tally: Tally, published: readonly string[]): string {
  const got = tally.texts();
  const isWhole = got.length === published.length && got.every((text, index) => text === published[index]);
  return isWhole ? "complete, every character once and in order" : "NOT complete";
}
