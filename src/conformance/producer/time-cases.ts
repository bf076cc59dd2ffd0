// Chapter 3: the timestamps of events.
import type { Millis } from "../../contracts/clock.js";
import { fail } from "../findings/finding.js";
import { evidenceOf, type Recorded } from "../wire/conversation.js";
import { wordsOf } from "../wire/message-text.js";
import { heardSessions } from "./hearing.js";
import { eachEvent, eachSession, type WatchingCase, watching } from "./producer-case.js";
import type { Heard } from "./stage.js";

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(?:\d{3}|\d{6}))?(?:Z|[+-]\d\d:\d\d)$/;
/** Clocks of two machines may differ by less, ms, and those of a producer's own parts. */
const SKEW_MS = { local: 2000, remote: 300_000 };
/** A timestamp may stand for a whole second, and the emission be a moment behind it, ms. */
const PRECISION_MS = 2000;
const unseen = "No event came.";

export const TIME_CASES: readonly WatchingCase[] = [
  eachEvent(
    "P1-timestamp-form",
    "timestamp is of RFC 3339, with Z or an offset, and with 3, 6 or no digits of a second's fraction.",
    ["AAEP §3.2.5"],
    unseen,
    ({ timestamp }) => {
      if (timestamp === undefined) return "not judged";
      const fits = typeof timestamp === "string" && TIMESTAMP.test(timestamp) && !Number.isNaN(Date.parse(timestamp));
      return fits ? undefined : "A timestamp has another form.";
    },
  ),
  eachSession(
    "P1-timestamp-order",
    "The timestamps of a session never fall.",
    ["AAEP §3.2.5"],
    unseen,
    ({ events, isFiltered }) => {
      // A critical event overtakes what a rate holds back.
      if (isFiltered) return "not judged";
      for (let place = 1; place < events.length; place += 1) {
        const [before, now] = [events[place - 1]?.event.timestamp, events[place]?.event.timestamp];
        const [earlier, later] = [instantOf(before), instantOf(now)];
        // Compared at the coarser of the two precisions: a time without a fraction stands for its whole second.
        const step = Math.max(earlier.step, later.step);
        if (Math.floor(later.at / step) < Math.floor(earlier.at / step))
          return { seen: `${wordsOf(now)} follows ${wordsOf(before)}.`, places: [place - 1, place] };
      }
      return events.length > 1 ? undefined : "not judged";
    },
  ),
  watching(
    "P1-timestamp-now",
    "timestamp is the time of the emission: after the scenario was asked for, and before the event arrives.",
    ["AAEP §3.2.5"],
    unseen,
    (heard) => {
      const { highest, lowest, judged } = offsetsOf(heard);
      if (highest === undefined) return 0;
      const skew = heard.isLocal ? SKEW_MS.local : SKEW_MS.remote;
      // One difference between the clocks has to explain all timestamps.
      const [least, most] = [highest.off - PRECISION_MS, (lowest?.off ?? skew) + PRECISION_MS];
      if (Math.max(least, -skew) > Math.min(most, skew))
        fail(
          "timestamp is the time of the emission.",
          `Timestamps are up to ${seconds(highest.off)} s ahead of the arrival, or ${seconds(-(lowest?.off ?? 0))} s before the session was asked for.`,
          [evidenceOf(highest.recorded), evidenceOf(lowest?.recorded)],
        );
      return judged;
    },
  ),
];

/** How far a timestamp is beyond a bound of its emission, ms. */
interface Offset {
  readonly off: Millis;
  readonly recorded: Recorded;
}

/** The timestamp that is furthest ahead of its arrival, and the one of a scenario's session that is furthest before its asking. */
function offsetsOf(heard: Heard): {
  readonly highest: Offset | undefined;
  readonly lowest: Offset | undefined;
  readonly judged: number;
} {
  const own = new Set(heardSessions(heard).flatMap(({ sessionId, isOwn }) => (isOwn ? [sessionId] : [])));
  let highest: Offset | undefined;
  let lowest: Offset | undefined;
  let judged = 0;
  for (const { startedAt, record } of heard.conversations)
    for (const recorded of record) {
      const { way, at, message } = recorded;
      if (way !== "received" || message?.event_id === undefined) continue;
      const instant = Date.parse(wordsOf(message.timestamp)) - startedAt.wallTime + startedAt.at;
      if (Number.isNaN(instant)) continue;
      judged += 1;
      if (highest === undefined || instant - at > highest.off) highest = { off: instant - at, recorded };
      const askedAt = own.has(wordsOf(message.session_id))
        ? heard.shown.get(wordsOf(message.session_id))?.askedAt
        : at - SKEW_MS.remote;
      if (askedAt !== undefined && (lowest === undefined || instant - askedAt < lowest.off))
        lowest = { off: instant - askedAt, recorded };
    }
  return { highest, lowest, judged };
}

function seconds(ms: Millis): number {
  return Math.max(0, Math.round(ms / 1000));
}

/** The instant of a timestamp, µs since 1970, and how many µs its precision leaves open. */
function instantOf(timestamp: unknown): { readonly at: number; readonly step: number } {
  const text = wordsOf(timestamp);
  const [whole = "", fraction = ""] = /\.(\d+)/.exec(text) ?? [];
  const at = Date.parse(text.replace(whole, "")) * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
  return { at, step: fraction.length >= 6 ? 1 : fraction.length >= 3 ? 1000 : 1_000_000 };
}
