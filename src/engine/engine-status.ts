// How the engine stands, for whoever looks after the daemon: sessions, subscriptions with the terms they were granted, questions, rates, and why
// subscriptions ended. Read when it is asked for; in between it costs what counting costs. Texts of events are not in it, but for what is asked.
import type { FaultCode } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Journal, JournalStatus } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { Epoch } from "./event/event.js";
import type { Hub, HubCounts } from "./hub/hub.js";
import type { Questions } from "./questions/questions-spec.js";
import type { Remembered } from "./sessions/session-record.js";
import type { Sessions } from "./sessions/sessions.js";
import { addCounts, createDeliveryCounts, type DeliveryCounts } from "./subscriptions/delivery-counts.js";
import type {
  ClosureReason,
  Lag,
  LagLimits,
  NamedSubscription,
  PaceChange,
  Subscription,
  SubscriptionStatus,
} from "./subscriptions/subscription-spec.js";
import type { AbleSubscriptions } from "./terms/answering.js";
import type { Terms } from "./terms/terms.js";
import { shortenedText } from "./text/shortened-text.js";

/** What a subscription may lag and hold (R18), as subscribers are told it. */
export interface SlowLimits {
  readonly lag: LagLimits;
  /** Units that wait for one subscription in memory; what is more it reads from the journal. */
  readonly queueLimitCount: number;
}

export interface SessionReport {
  readonly sessionId: string;
  readonly agentId: string;
  readonly agentName: string | undefined;
  /** Of the agent that spoke last. */
  readonly state: string;
  readonly eventCount: number;
  readonly openToolCount: number;
  readonly openOutputCount: number;
  readonly openQuestionCount: number;
  readonly isAgentConnected: boolean;
  /** Until when its agent may come back, milliseconds since 1970 (R8); undefined where it is there. */
  readonly graceUntil: number | undefined;
}

export interface SubscriptionReport {
  readonly subscriptionId: string;
  readonly subscriberId: string;
  /** When it began, milliseconds since 1970. */
  readonly since: number;
  readonly terms: Terms;
  readonly reads: SubscriptionStatus["reads"];
  readonly isPaused: boolean;
  readonly isBlocked: boolean;
  readonly lag: Lag;
  /** Units that wait for it in its own queue, and those published that it has not taken over; of the journal at most so many. */
  readonly queueCount: number;
  readonly untakenCount: number;
  /** Since when it has been behind, milliseconds since 1970; undefined where it is not. */
  readonly behindSince: number | undefined;
  readonly counts: DeliveryCounts;
}

export interface QuestionReport {
  readonly sessionId: string;
  readonly kind: "confirmation" | "clarification";
  /** What is asked, at most 200 characters. */
  readonly asked: string;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
  readonly deadline: number;
  /** Subscriptions that could answer, and those that it was put to. */
  readonly ableCount: number;
  readonly shownCount: number;
}

export interface EngineReport {
  /** Open sessions, the oldest first: each as it stands when its turn comes, so that only those cost something that are looked at. */
  readonly sessions: Iterable<SessionReport>;
  readonly sessionCount: number;
  readonly subscriptions: readonly SubscriptionReport[];
  readonly questions: readonly QuestionReport[];
  /** Events a second, over the last ten. */
  readonly publishedPerSecond: number;
  readonly deliveredPerSecond: number;
  readonly publishedTotal: number;
  /** Of all subscriptions since the start, those that ended among them. */
  readonly totals: DeliveryCounts;
  readonly closures: ReadonlyMap<ClosureReason, number>;
  /** Publications that were refused, by their faults. */
  readonly refusals: ReadonlyMap<FaultCode, number>;
  readonly limits: SlowLimits;
  readonly head: Epoch;
  readonly journal: JournalStatus;
}

export interface EngineStatus extends Remembered, HubCounts {
  readonly subscriptionCount: number;
  readonly openSessionCount: number;
  readonly openQuestionCount: number;
  /** Sessions of which the journal has let go of something, and that are not forgotten (R27). */
  readonly lostSessionCount: number;
  readonly head: Epoch;
}

export interface EngineStatusServices {
  readonly clock: Pick<Clock, "now" | "wallTime">;
  readonly journal: Pick<Journal, "head" | "status">;
  readonly hub: Pick<Hub, "rates">;
  readonly sessions: Pick<Sessions, "openIds" | "summary">;
  readonly questions: Pick<Questions, "open" | "shownCount">;
  /** When the grace of a session's agent ends (R8). */
  readonly graceUntil: (sessionId: string) => Millis | undefined;
  readonly countAble: () => AbleSubscriptions;
  readonly log: Pick<Log, "info">;
}

type AccountedSubscription = NamedSubscription & Pick<Subscription, "status" | "terms">;

/** Keeps account of the subscriptions under way. */
export interface EngineAccounts {
  readonly opened: (subscription: AccountedSubscription) => void;
  /** A subscription has ended; to be called once. */
  readonly closed: (subscription: AccountedSubscription, reason: ClosureReason) => void;
  /** A conversation has ended that never became a subscription. */
  readonly refused: (reason: ClosureReason) => void;
  /** An agent's publication was refused, before or by the engine. */
  readonly publishRefused: (code: FaultCode) => void;
  /** Tells the log, once an episode and once when it is over (P3). */
  readonly pace: (change: PaceChange, who: NamedSubscription) => void;
  /** All of how the engine stands, subscriptions and questions one by one: costs as much as there are of them. */
  readonly report: () => EngineReport;
  readonly limits: SlowLimits;
}

const ASKED_LENGTH = 200;

const PACE_SENTENCES: Readonly<Record<PaceChange, string>> = {
  fell_behind: "a subscription takes too slowly; it reads on from the journal, at its own pace",
  caught_up: "a subscription that took too slowly has caught up",
};

export function createEngineAccounts(services: EngineStatusServices, limits: SlowLimits): EngineAccounts {
  const { clock, journal, hub, sessions, questions } = services;
  /** When each began, milliseconds since 1970. */
  const open = new Map<AccountedSubscription, number>();
  const ended = createDeliveryCounts();
  const closures = new Map<ClosureReason, number>();
  const refusals = new Map<FaultCode, number>();

  const count = (reason: ClosureReason): void => void closures.set(reason, (closures.get(reason) ?? 0) + 1);

  function* sessionReports(ids: readonly string[], wallTimeOf: (at: Millis) => number): Iterable<SessionReport> {
    for (const sessionId of ids) {
      const summary = sessions.summary(sessionId);
      if (summary === undefined) continue;
      const until = summary.isAgentConnected ? undefined : services.graceUntil(sessionId);
      yield {
        sessionId,
        agentId: summary.producer.agent_id,
        agentName: summary.producer.agent_name,
        state: summary.state,
        eventCount: summary.eventCount,
        openToolCount: summary.openTools.length,
        openOutputCount: summary.openOutputs.length,
        openQuestionCount: summary.openQuestions.length,
        isAgentConnected: summary.isAgentConnected,
        graceUntil: until === undefined ? undefined : wallTimeOf(until),
      };
    }
  }

  const questionReports = (): readonly QuestionReport[] => {
    const able = services.countAble();
    return questions.open().map(({ sessionId, kind, event, receivedAt, token }) => {
      const text = kind === "confirmation" ? event.action : event.question;
      const seconds = typeof event.timeout_seconds === "number" ? event.timeout_seconds : 0;
      return {
        sessionId,
        kind,
        asked: shortenedText(typeof text === "string" ? text : "", ASKED_LENGTH),
        askedAt: receivedAt,
        deadline: receivedAt + seconds * 1000,
        ableCount: able.countFor({ kind, sessionId }),
        shownCount: questions.shownCount(token),
      };
    });
  };

  return {
    opened: (subscription) => void open.set(subscription, clock.wallTime()),
    closed: (subscription, reason) => {
      if (!open.delete(subscription)) return;
      addCounts(ended, subscription.status().counts);
      count(reason);
    },
    refused: count,
    publishRefused: (code) => void refusals.set(code, (refusals.get(code) ?? 0) + 1),
    pace: (change, { id: subscriptionId, subscriberId }) =>
      services.log.info({ subscriptionId, subscriberId, epoch: journal.head() }, PACE_SENTENCES[change]),
    limits,
    report: () => {
      const now = clock.now();
      const offset = clock.wallTime() - now;
      const wallTimeOf = (at: Millis): number => at + offset;
      const kept = journal.status();
      const totals = createDeliveryCounts();
      addCounts(totals, ended);
      const subscriptions: SubscriptionReport[] = [];
      for (const [subscription, since] of open) {
        const status = subscription.status();
        const terms = subscription.terms();
        addCounts(totals, status.counts);
        subscriptions.push({
          subscriptionId: subscription.id,
          subscriberId: subscription.subscriberId,
          since,
          terms,
          reads: status.reads,
          isPaused: terms.paused,
          isBlocked: status.blockedSince !== undefined,
          lag: status.lag,
          queueCount: status.waitingCount,
          // Epochs of an earlier run are far below: there is never more to read than the journal holds.
          untakenCount:
            status.reads === "journal" ? Math.min(status.untakenCount, kept.eventCount) : status.untakenCount,
          behindSince: status.behindSince === undefined ? undefined : wallTimeOf(status.behindSince),
          counts: { ...status.counts },
        });
      }
      const openIds = sessions.openIds();
      return {
        sessions: { [Symbol.iterator]: () => sessionReports(openIds, wallTimeOf)[Symbol.iterator]() },
        sessionCount: openIds.length,
        subscriptions,
        questions: questionReports(),
        publishedPerSecond: hub.rates.published.perSecond(now),
        deliveredPerSecond: hub.rates.delivered.perSecond(now),
        publishedTotal: hub.rates.published.total(),
        totals,
        closures,
        refusals,
        limits,
        head: journal.head(),
        journal: kept,
      };
    },
  };
}
