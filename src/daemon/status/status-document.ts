// The state of the daemon as one JSON document: the result of `aaepd.status` (docs/status.md describes its schema). It contains no text of an event
// except the text of a question and what was heard of an open tool.
import { Fault } from "../../base/errors.js";
import type { JournalStatus } from "../../contracts/journal.js";
import type { EngineReport, QuestionReport, SessionReport, SubscriptionReport } from "../../engine/engine-status.js";
import type { DeliveryCounts } from "../../engine/subscriptions/subscription-spec.js";
import type { Terms } from "../../engine/terms/terms.js";
import { shortenedText } from "../../engine/text/shortened-text.js";
import { limitsDocument } from "../../protocols/aaep/subscriber/subscriber-messages.js";
import { processMemory } from "../platform/process-memory.js";
import { type DaemonFacts, problemsOf } from "./status-problems.js";

/** Most sessions, subscriptions and questions listed, of each, if the caller gives no limit. */
const USUAL_LIMIT = 1000;
const LARGEST_LIMIT = 10_000;

/**
 * Most bytes of each list, so that the document fits into one message for every caller and its making delays nobody: agents and subscribers choose
 * the length of their names, and each listed entry has to be written.
 */
const SESSION_BYTES = 256 * 1024;
const SUBSCRIPTION_BYTES = 384 * 1024;
const QUESTION_BYTES = 256 * 1024;
/** UTF-16 units of an agent's name. */
const NAME_LENGTH = 200;
/** Most open tools of a session that are named. */
const TOOLS_NAMED = 4;
/** Terms longer than `TERMS_BYTES` show only `TERMS_ENTRIES` entries of each list. */
const TERMS_BYTES = 4096;
const TERMS_ENTRIES = 8;

/**
 * `params`: `{limit?}`, 0..10000. Throws "invalid_params". The lists are cut if the message would become too long. Undefined members stay out of it.
 */
export function statusDocument(params: unknown, report: EngineReport, facts: DaemonFacts) {
  const limit = limitOf(params);
  const { sessions, subscriptions, questions } = report;
  return {
    version: facts.version,
    pid: process.pid,
    producer_id: facts.producerId,
    started_at: timeText(facts.startedAt),
    uptime_seconds: seconds(facts.uptimeMs),
    problems: problemsOf(report, facts),
    endpoints: facts.endpoints,
    connections: Object.fromEntries(facts.connections),
    memory: processMemory(),
    rates: {
      published_per_second: rounded(report.publishedPerSecond),
      delivered_per_second: rounded(report.deliveredPerSecond),
    },
    totals: { published: report.publishedTotal, ...countsDocument(report.totals) },
    closures: Object.fromEntries(report.closures),
    publish_faults: Object.fromEntries(report.refusals),
    limits: limitsDocument(report.limits),
    journal: journalDocument(report.journal, facts.now),
    session_count: report.sessionCount,
    subscription_count: subscriptions.length,
    question_count: questions.length,
    sessions: listOf(sessions, sessionDocument, limit, SESSION_BYTES),
    subscriptions: listOf(troubledFirst(subscriptions), subscriptionDocument, limit, SUBSCRIPTION_BYTES),
    questions: listOf(questions, questionDocument, limit, QUESTION_BYTES),
  };
}

function listOf<Item, Listed>(
  items: Iterable<Item>,
  documentOf: (item: Item) => Listed,
  limit: number,
  mostBytes: number,
): readonly Listed[] {
  const listed: Listed[] = [];
  let bytes = 0;
  for (const item of items) {
    if (listed.length === limit) break;
    const document = documentOf(item);
    bytes += bytesOf(document);
    if (bytes > mostBytes) break;
    listed.push(document);
  }
  return listed;
}

function bytesOf(document: unknown): number {
  return Buffer.byteLength(JSON.stringify(document)) + 1;
}

function limitOf(params: unknown): number {
  const limit = typeof params === "object" && params !== null && "limit" in params ? params.limit : USUAL_LIMIT;
  if (typeof limit === "number" && Number.isInteger(limit) && limit >= 0 && limit <= LARGEST_LIMIT) return limit;
  throw new Fault("invalid_params", `\`limit\` is a whole number from 0 to ${LARGEST_LIMIT}.`, {
    pointer: "/limit",
    rule: "R33",
  });
}

/** Subscriptions with trouble come first, so that a cut list contains them. */
function troubledFirst(subscriptions: readonly SubscriptionReport[]): readonly SubscriptionReport[] {
  const isTroubled = ({ blockedSince, behindSince }: SubscriptionReport): boolean =>
    blockedSince !== undefined || behindSince !== undefined;
  return [...subscriptions.filter(isTroubled), ...subscriptions.filter((one) => !isTroubled(one))];
}

function sessionDocument(session: SessionReport) {
  const { agent_id: agentId, agent_name: agentName } = session.producer;
  return {
    session_id: session.sessionId,
    agent_id: shortenedText(agentId, NAME_LENGTH),
    agent_name: agentName === undefined ? undefined : shortenedText(agentName, NAME_LENGTH),
    state: session.state,
    events: session.eventCount,
    open_tools: session.openTools.length,
    tools: session.openTools.slice(0, TOOLS_NAMED).map(({ tool, since, words }, index) => ({
      tool,
      /** The words that listeners heard. */
      words,
      /** The timestamp of the call. */
      since,
      /** Since the call was received, by the daemon's clock. Missing after a restart of the daemon. */
      for_seconds: seconds(session.toolsForMs[index]),
    })),
    open_outputs: session.openOutputs.length,
    open_questions: session.openQuestions.length,
    /** Since the oldest open question was asked. */
    asked_for_seconds: seconds(session.askedForMs),
    agent_connected: session.isAgentConnected,
    grace_until: timeText(session.graceUntil),
  };
}

function subscriptionDocument(subscription: SubscriptionReport) {
  const { lag } = subscription;
  return {
    subscription_id: subscription.subscriptionId,
    subscriber_id: subscription.subscriberId,
    since: timeText(subscription.since),
    reads: subscription.reads,
    paused: subscription.terms.paused,
    blocked: subscription.blockedSince !== undefined,
    queue: subscription.waitingCount,
    untaken: subscription.untakenCount,
    lag_events: lag.eventCount,
    lag_seconds: seconds(lag.ms),
    behind_since: timeText(subscription.behindSince),
    ...countsDocument(subscription.counts),
    terms: fittingTerms(termsDocument(subscription.terms)),
  };
}

/** Cuts long lists of a client's terms, so that other clients keep their place in the answer. */
function fittingTerms(terms: ReturnType<typeof termsDocument>) {
  if (bytesOf(terms) <= TERMS_BYTES) return terms;
  const { include, exclude } = terms.event_filters;
  return {
    ...terms,
    languages: firstOf(terms.languages),
    event_filters: { ...terms.event_filters, include: firstOf(include), exclude: firstOf(exclude) },
    supported_extensions: firstOf(terms.supported_extensions),
  };
}

function firstOf(entries: readonly string[]): readonly string[] {
  return entries.length <= TERMS_ENTRIES ? entries : [...entries.slice(0, TERMS_ENTRIES), "…"];
}

function termsDocument(terms: Terms) {
  return {
    max_events_per_second: terms.maxEventsPerSecond,
    preferred_verbosity: terms.preferredVerbosity,
    languages: terms.languages,
    coalesce_boundaries: terms.coalesceBoundaries,
    event_filters: terms.eventFilters,
    cognitive_load: terms.cognitiveLoad,
    pace_wpm: terms.paceWpm,
    supports_confirmation_reply: terms.supportsConfirmationReply,
    supports_clarification_reply: terms.supportsClarificationReply,
    supported_extensions: terms.supportedExtensions,
    paused: terms.paused,
    max_chars: terms.maxChars,
    speakable: terms.speakable,
  };
}

function questionDocument(question: QuestionReport) {
  return {
    session_id: question.sessionId,
    kind: question.kind,
    asked: question.asked,
    asked_at: timeText(question.askedAt),
    deadline: timeText(question.deadline),
    can_answer: question.ableCount,
    shown_to: question.shownCount,
  };
}

function countsDocument(counts: DeliveryCounts) {
  return {
    delivered: counts.delivered,
    coalesced: counts.merged,
    overtook: counts.overtook,
    fell_behind: counts.fellBehind,
    gaps: counts.gaps,
    gap_events: counts.gapEvents,
  };
}

function journalDocument(journal: JournalStatus, now: number) {
  const { disk, oldestAt, failure } = journal;
  return {
    kind: disk === undefined ? "memory" : "disk",
    path: disk?.path,
    policy: disk?.policy,
    events: journal.eventCount,
    bytes: journal.bytes,
    oldest_at: timeText(oldestAt),
    oldest_age_seconds: oldestAt === undefined ? undefined : seconds(Math.max(0, now - oldestAt)),
    head: journal.head,
    durable_epoch: journal.durableEpoch,
    pending_events: Math.max(0, journal.head - journal.durableEpoch),
    failure: failure && `${failure.reason} ${failure.remedy}`,
  };
}

/** RFC 3339. */
function timeText<Instant extends number | undefined>(milliseconds: Instant) {
  return (milliseconds === undefined ? undefined : new Date(milliseconds).toISOString()) as Instant extends number
    ? string
    : undefined;
}

function seconds<Time extends number | undefined>(milliseconds: Time): Time {
  return (milliseconds === undefined ? undefined : Math.round(milliseconds) / 1000) as Time;
}

function rounded(perSecond: number): number {
  return Math.round(perSecond * 10) / 10;
}
