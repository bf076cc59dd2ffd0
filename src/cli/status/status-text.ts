// A daemon's status for people, in plain sentences for reading and listening: problems come first, related facts share a line, and counts of zero are
// left out.
import type {
  DaemonStatus,
  StatusJournal,
  StatusProblem,
  StatusQuestion,
  StatusSession,
  StatusSubscription,
  StatusTerms,
} from "../../daemon/status/daemon-status.js";
import { conclusionOf, GRADE_WORDS } from "../shell/finding-lines.js";
import { withPages } from "../shell/program-paths.js";
import { counted, shownBytes, span, timeOfDay } from "../terminal/amounts.js";
import { shownText } from "../terminal/shown-text.js";
import { wrapText } from "../terminal/wrap-text.js";
import { doing } from "./doing.js";

/** `now`: milliseconds since 1970. No line is wider than `columns`, unless a word is. */
export function statusLines(status: DaemonStatus, now: number, columns: number): readonly string[] {
  const { sessions, subscriptions, questions, problems } = status;
  const heading = `Daemon ${status.producer_id}, aaepd ${status.version}, process ${status.pid}, up ${span(status.uptime_seconds)}`;
  const rates = `Rates: ${status.rates.published_per_second} events published and ${status.rates.delivered_per_second} delivered a second.`;
  const paragraphs: Paragraph[] = [
    [0, heading],
    ...problemLines(problems),
    ...relayLines(status.relays ?? []),
    ...listed("Session", status.session_count, sessions, (one) => sessionLines(one, now)),
    ...listed("Subscription", status.subscription_count, subscriptions, (one) => subscriptionLines(one, now)),
    ...listed("Open question", status.question_count, questions, (one) => questionLines(one, now)),
    [0, rates],
    [0, totalsLine(status)],
    ...journalLines(status.journal),
    [0, memoryLine(status.memory)],
    ...endpointLines(status),
  ];
  return paragraphs.flatMap(([indent, text]) => wrapped(indent, text, columns));
}

type Paragraph = [indent: number, text: string];

/** Further indentation of a line that continues the one above it. */
const CONTINUED = 2;
/** On a narrower terminal, the terminal cuts the words. */
const LEAST_TEXT_COLUMNS = 16;

function wrapped(indent: number, text: string, columns: number): readonly string[] {
  return wrapText(shownText(text), Math.max(LEAST_TEXT_COLUMNS, columns - indent - CONTINUED)).map(
    (line, index) => " ".repeat(index === 0 ? indent : indent + CONTINUED) + line,
  );
}

function* problemLines(problems: readonly StatusProblem[]): Iterable<Paragraph> {
  yield [0, conclusionOf(problems)];
  for (const { grade, message, remedy, since } of problems) {
    yield [
      2,
      `${GRADE_WORDS[grade]}: ${since === undefined ? message : `${message} Since ${timeOfDay(new Date(since))}.`}`,
    ];
    yield [4, `Remedy: ${withPages(remedy)}`];
  }
}

function* listed<Item>(
  name: string,
  count: number,
  items: readonly Item[],
  linesOf: (item: Item) => readonly Paragraph[],
): Iterable<Paragraph> {
  yield [0, `${name}s: ${count === 0 ? "none" : count}`];
  if (count === 0) return;
  for (const item of items) yield* linesOf(item);
  if (count > items.length) yield [2, `and ${count - items.length} more`];
}

function* relayLines(relays: NonNullable<DaemonStatus["relays"]>): Iterable<Paragraph> {
  if (relays.length > 0) yield [0, `Relays: ${relays.length}`];
  for (const { host, connected, events, refused } of relays) {
    const rules = Object.entries(refused).map(([rule, count]) => `${count} refused by ${rule}`);
    const facts = `${host}: ${connected ? "connected" : "not connected"}, ${counted(events, "event")}`;
    yield [2, [facts, ...rules].join("; ")];
  }
}

function sessionLines(one: StatusSession, now: number): Paragraph[] {
  const away =
    one.grace_until === undefined
      ? "its agent is away"
      : `its agent is away and may come back within ${span(secondsUntil(one.grace_until, now))}`;
  const facts = sentenceOf([one.session_id, counted(one.events, "event"), one.agent_connected ? "" : away]);
  return [[2, `${one.agent_name ?? one.agent_id}: ${doing(one, now)}; ${facts}`]];
}

function subscriptionLines(one: StatusSubscription, now: number): Paragraph[] {
  const history = sentenceOf([
    `delivered ${one.delivered}`,
    one.coalesced === 0 ? "" : `merged ${one.coalesced}`,
    one.overtook === 0 ? "" : `${one.overtook} critical went ahead`,
    one.fell_behind === 0 ? "" : `fell behind ${times(one.fell_behind)}`,
    one.gaps === 0 ? "" : `${counted(one.gaps, "gap")} of at most ${counted(one.gap_events, "event")}`,
  ]);
  return [
    [2, `${one.subscriber_id}: ${readingOf(one)}; ${history}; subscribed for ${span(-secondsUntil(one.since, now))}`],
    [4, `Terms: ${termsOf(one.terms)}`],
  ];
}

function readingOf(one: StatusSubscription): string {
  const reads = {
    live: "gets live events",
    queue: `waits with ${counted(one.queue + one.untaken, "event")}`,
    journal: `reads from the journal, at most ${counted(one.untaken, "event")} behind`,
  }[one.reads];
  const lag = one.lag_seconds === 0 ? "" : ` for ${span(one.lag_seconds)}, ${counted(one.lag_events, "event")}`;
  return sentenceOf([one.paused ? "paused" : "", one.blocked ? `takes nothing${lag}` : "", reads]);
}

function termsOf(terms: StatusTerms): string {
  const { include, exclude } = terms.event_filters;
  const replies = sentenceOf([
    terms.supports_confirmation_reply ? "confirmations" : "",
    terms.supports_clarification_reply ? "clarifications" : "",
  ]);
  return [
    terms.max_events_per_second === undefined ? "no rate limit" : `${terms.max_events_per_second} events a second`,
    `${terms.preferred_verbosity} verbosity`,
    `languages ${terms.languages.join(", ")}`,
    `boundaries ${terms.coalesce_boundaries.join(", ")}`,
    include.length === 0 ? "critical events only" : `includes ${include.join(", ")}`,
    ...(exclude.length === 0 ? [] : [`excludes ${exclude.join(", ")}`]),
    ...(terms.cognitive_load === "medium" ? [] : [`${terms.cognitive_load} cognitive load`]),
    ...(terms.pace_wpm === undefined ? [] : [`${terms.pace_wpm} words a minute`]),
    replies === "" ? "answers nothing" : `answers ${replies}`,
  ].join("; ");
}

function questionLines(one: StatusQuestion, now: number): Paragraph[] {
  const left = secondsUntil(one.deadline, now);
  return [
    [2, `${one.kind} in ${one.session_id}, ${left > 0 ? `${span(left)} left` : "due"}: "${one.asked}"`],
    [4, `${one.can_answer} can answer, shown to ${one.shown_to}, asked ${span(-secondsUntil(one.asked_at, now))} ago`],
  ];
}

function totalsLine({ totals, closures }: DaemonStatus): string {
  const ended = Object.entries(closures).map(
    ([reason, count]) => `${count} ${reason === "subscriber" ? "by the subscriber" : reason}`,
  );
  const told = `Since the start: ${totals.published} published, ${totals.delivered} delivered, ${totals.coalesced} merged`;
  return ended.length === 0 ? `${told}.` : `${told}. Subscriptions ended: ${ended.join(", ")}.`;
}

function* journalLines(journal: StatusJournal): Iterable<Paragraph> {
  const { oldest_age_seconds: age, policy, path, failure } = journal;
  const where = journal.kind === "memory" ? "in memory" : `on disk, policy ${policy}`;
  const facts = sentenceOf([
    where,
    counted(journal.events, "event"),
    shownBytes(journal.bytes),
    age === undefined ? "" : `the oldest ${span(age)} old`,
    journal.pending_events === 0 ? "" : `${journal.pending_events} not yet durable`,
    failure === undefined ? "" : "FAILING",
  ]);
  yield [0, `Journal: ${facts}`];
  if (path !== undefined) yield [2, path];
}

function memoryLine({ rss_bytes, anonymous_bytes, heap_used_bytes }: DaemonStatus["memory"]): string {
  const own = anonymous_bytes === undefined ? "" : `, ${shownBytes(anonymous_bytes)} of it the process's own`;
  const resident = rss_bytes === undefined ? "unknown" : shownBytes(rss_bytes);
  return `Memory: ${resident} resident${own}; ${shownBytes(heap_used_bytes)} of heap in use`;
}

function* endpointLines({ endpoints, connections }: DaemonStatus): Iterable<Paragraph> {
  const counts = Object.entries(connections).map(([transport, count]) => `${count} over ${transport}`);
  yield [0, `Connections: ${counts.length === 0 ? "none" : counts.join(", ")}`];
  for (const [name, addresses] of Object.entries(endpoints))
    for (const address of [addresses].flat()) yield [2, `${name} at ${address}`];
}

function sentenceOf(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(", ");
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

function secondsUntil(instant: string, now: number): number {
  return (Date.parse(instant) - now) / 1000;
}
