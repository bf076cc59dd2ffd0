// The state of the engine for operators: sessions, subscriptions with their terms, questions, rates, and the reasons for which subscriptions ended.
// It is computed on demand; in between it costs only counting. It has no texts of events except the texts of open questions.
import type { FaultCode } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Journal, JournalStatus } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { Publishing } from "./agents/publishing.js";
import type { Epoch } from "./event/event.js";
import type { DeliveryLatencies, Hub } from "./hub/hub.js";
import type { Questions } from "./questions/questions.js";
import type { SessionSummary } from "./sessions/session-record.js";
import type { Sessions } from "./sessions/sessions.js";
import type { Subscription } from "./subscriptions/subscription.js";
import {
  addCounts,
  type ClosureReason,
  createDeliveryCounts,
  type DeliveryCounts,
  type NamedSubscription,
  type PaceChange,
  type SlowLimits,
  type SubscriptionStatus,
} from "./subscriptions/subscription-spec.js";
import type { AbleCount } from "./terms/answering.js";
import type { Terms } from "./terms/terms.js";
import { shortenedText } from "./text/shortened-text.js";
import type { LatencyCounts } from "./time/latency-histogram.js";

export interface SessionReport extends SessionSummary {
  /** Time since the oldest of its open questions was asked, and since each open tool was called; undefined if an earlier boot received the call. */
  readonly askedForMs: Millis | undefined;
  readonly toolsForMs: readonly (Millis | undefined)[];
  /** The instant until which its agent may come back, in milliseconds since 1970 (R8); undefined while the agent is there. */
  readonly graceUntil: number | undefined;
}

/** `behindSince` is in milliseconds since 1970. */
export interface SubscriptionReport extends SubscriptionStatus {
  readonly subscriptionId: string;
  readonly subscriberId: string;
  /** Beginning of the subscription, in milliseconds since 1970. */
  readonly since: number;
  readonly terms: Terms;
}

export interface QuestionReport {
  readonly sessionId: string;
  readonly kind: "confirmation" | "clarification";
  /** Text of the question, at most 200 characters. */
  readonly asked: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly deadline: number;
  /** Subscriptions that can answer, and subscriptions that were shown the question. */
  readonly ableCount: number;
  readonly shownCount: number;
}

export interface EngineReport {
  /** Open sessions, the oldest first. Each is summarized when the iteration reaches it, so only the sessions that are read cost anything. */
  readonly sessions: Iterable<SessionReport>;
  readonly sessionCount: number;
  readonly subscriptions: readonly SubscriptionReport[];
  readonly questions: readonly QuestionReport[];
  /** Average a second over the last ten seconds. */
  readonly publishedPerSecond: number;
  readonly deliveredPerSecond: number;
  readonly publishedTotal: number;
  /** Latencies since the start: of publishes until they were accepted, and of deliveries until they were handed over. */
  readonly latencies: {
    readonly publish: LatencyCounts;
    readonly delivery: Readonly<Record<keyof DeliveryLatencies, LatencyCounts>>;
  };
  /** Counts of all subscriptions since the start, those that ended among them. */
  readonly totals: DeliveryCounts;
  readonly closures: ReadonlyMap<ClosureReason, number>;
  /** Refused publishes, by the code of their fault. */
  readonly refusals: ReadonlyMap<FaultCode, number>;
  readonly limits: SlowLimits;
  readonly head: Epoch;
  readonly journal: JournalStatus;
}

export interface EngineStatusServices {
  readonly clock: Pick<Clock, "now" | "wallTime">;
  readonly journal: Pick<Journal, "head" | "status">;
  readonly hub: Hub;
  readonly sessions: Sessions;
  readonly questions: Questions;
  readonly publishing: Pick<Publishing, "graces" | "latency">;
  readonly countAble: () => AbleCount;
  readonly log: Pick<Log, "info">;
}

type AccountedSubscription = NamedSubscription & Pick<Subscription, "status" | "terms">;

const ASKED_LENGTH = 200;

const PACE_SENTENCES: Readonly<Record<PaceChange, string>> = {
  fell_behind: "a subscription takes too slowly; it reads on from the journal, at its own pace",
  caught_up: "a subscription that took too slowly has caught up",
};

/** The accounts of all open subscriptions. */
export class EngineAccounts {
  private readonly services: EngineStatusServices;
  private readonly limits: SlowLimits;
  // The beginning of each subscription, in milliseconds since 1970.
  private readonly open = new Map<AccountedSubscription, number>();
  private readonly ended = createDeliveryCounts();
  private readonly closures = new Map<ClosureReason, number>();
  private readonly refusals = new Map<FaultCode, number>();

  constructor(services: EngineStatusServices, limits: SlowLimits) {
    this.services = services;
    this.limits = limits;
  }

  opened(subscription: AccountedSubscription): void {
    this.open.set(subscription, this.services.clock.wallTime());
  }

  /** Closes the account of a subscription that has ended. Call it once. */
  closed(subscription: AccountedSubscription, reason: ClosureReason): void {
    if (!this.open.delete(subscription)) return;
    addCounts(this.ended, subscription.status().counts);
    this.refused(reason);
  }

  /** Counts a conversation that ended before it became a subscription. */
  refused(reason: ClosureReason): void {
    this.closures.set(reason, (this.closures.get(reason) ?? 0) + 1);
  }

  /** Counts a publish that was refused, before the engine or by it. */
  publishRefused(code: FaultCode): void {
    this.refusals.set(code, (this.refusals.get(code) ?? 0) + 1);
  }

  /** Writes to the log at the beginning and at the end of each episode. */
  pace(change: PaceChange, { id: subscriptionId, subscriberId }: NamedSubscription): void {
    const { log, journal } = this.services;
    log.info({ subscriptionId, subscriberId, epoch: journal.head() }, PACE_SENTENCES[change]);
  }

  report(): EngineReport {
    const { clock, journal, hub, sessions, publishing } = this.services;
    const now = clock.now();
    const offset = clock.wallTime() - now;
    const wallTimeOf = (at: Millis): number => at + offset;
    const kept = journal.status();
    const totals = createDeliveryCounts();
    addCounts(totals, this.ended);
    const subscriptions: SubscriptionReport[] = [];
    for (const [subscription, since] of this.open) {
      const status = subscription.status();
      addCounts(totals, status.counts);
      subscriptions.push(subscriptionReport(subscription, status, since, kept, wallTimeOf));
    }
    const openIds = sessions.openIds();
    return {
      sessions: { [Symbol.iterator]: () => this.sessionReports(openIds, now, wallTimeOf)[Symbol.iterator]() },
      sessionCount: openIds.length,
      subscriptions,
      questions: this.questionReports(wallTimeOf),
      publishedPerSecond: hub.rates.published.perSecond(now),
      deliveredPerSecond: hub.rates.delivered.perSecond(now),
      publishedTotal: hub.rates.published.total,
      latencies: {
        publish: publishing.latency.counts(),
        delivery: { limited: hub.latencies.limited.counts(), unlimited: hub.latencies.unlimited.counts() },
      },
      totals,
      closures: this.closures,
      refusals: this.refusals,
      limits: this.limits,
      head: journal.head(),
      journal: kept,
    };
  }

  private *sessionReports(
    ids: readonly string[],
    now: Millis,
    wallTimeOf: (at: Millis) => number,
  ): Iterable<SessionReport> {
    const { sessions, publishing } = this.services;
    for (const sessionId of ids) {
      const summary = sessions.summary(sessionId);
      if (summary === undefined) continue;
      const asked = summary.openQuestions.map(({ at }) => at);
      const until = summary.isAgentConnected ? undefined : publishing.graces.until(sessionId);
      yield {
        ...summary,
        askedForMs: asked.length === 0 ? undefined : now - Math.min(...asked),
        toolsForMs: summary.openTools.map(({ at }) => (at === undefined ? undefined : now - at)),
        graceUntil: until === undefined ? undefined : wallTimeOf(until),
      };
    }
  }

  private questionReports(wallTimeOf: (at: Millis) => number): readonly QuestionReport[] {
    const { questions, countAble } = this.services;
    const able = countAble();
    return questions.open().map(({ sessionId, kind, event, at, token }) => {
      const text = kind === "confirmation" ? event.action : event.question;
      const seconds = typeof event.timeout_seconds === "number" ? event.timeout_seconds : 0;
      return {
        sessionId,
        kind,
        asked: shortenedText(typeof text === "string" ? text : "", ASKED_LENGTH),
        askedAt: wallTimeOf(at),
        deadline: wallTimeOf(at + seconds * 1000),
        ableCount: able({ kind, sessionId }),
        shownCount: questions.shownCount(token),
      };
    });
  }
}

function subscriptionReport(
  { id: subscriptionId, subscriberId, terms }: AccountedSubscription,
  status: SubscriptionStatus,
  since: number,
  kept: JournalStatus,
  wallTimeOf: (at: Millis) => number,
): SubscriptionReport {
  const { reads, untakenCount, behindSince, counts } = status;
  return {
    ...status,
    subscriptionId,
    subscriberId,
    since,
    terms,
    // Epochs of an earlier boot are far below. The journal never holds more events than this count.
    untakenCount: reads === "journal" ? Math.min(untakenCount, kept.eventCount) : untakenCount,
    behindSince: behindSince === undefined ? undefined : wallTimeOf(behindSince),
    counts: { ...counts },
  };
}
