// The agents' side of the engine: what they publish is planned, journaled, and only then true (R2, R3, R8, R29).
import type { IdSource } from "../base/ids.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Appended, Journal } from "../contracts/journal.js";
import type { Log } from "../contracts/log.js";
import type { AgentEvent, Epoch, JournaledEvent, NewEvent, Producer } from "./event.js";
import type { Hub } from "./hub.js";
import type { ResumePoints } from "./resume-points.js";
import type { KnownPublish, PublishedEvent } from "./same-publish.js";
import type { OpenQuestion, SessionSummary } from "./session-record.js";
import type { Moment } from "./session-turn.js";
import type { PublishAnswer, SessionPlan, Sessions } from "./sessions.js";
import type { Spokesman } from "./spokesman.js";
import type { WakeUps } from "./wake-ups.js";

/** One event's place, as its agent is told (R33). */
export interface PublishedPlace {
  readonly eventId: string;
  readonly epoch: Epoch;
}

export interface PublishReceipt {
  readonly events: readonly PublishedPlace[];
  readonly resumeToken: string | undefined;
  /** Settles when what was published is as safe as the journal makes it (R29); undefined where it is already. */
  readonly durable: Promise<void> | undefined;
}

/** An agent's connection. */
export interface AgentHandle {
  /** Publishes one event, or an array of them, all or none (R3). Throws the Fault that refuses it. */
  readonly publish: (inputs: readonly PublishedEvent[], isArray: boolean, resumeToken?: string) => PublishReceipt;
  readonly setIdentity: (producer: Producer) => void;
  readonly identity: () => Producer | undefined;
  /** Takes over a session whose agent went away (R8). Throws "session_not_yours" and the like. */
  readonly resumeSession: (sessionId: string, resumeToken: string) => SessionSummary;
  /** The connection has ended; its sessions' grace begins. */
  readonly close: () => void;
}

export interface PublishingServices {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly journal: Journal;
  readonly hub: Pick<Hub, "append">;
  readonly points: Pick<ResumePoints, "published">;
  readonly sessions: Sessions;
  readonly questions: {
    readonly asked: (question: OpenQuestion, entry: JournaledEvent) => void;
    readonly withdrawn: (question: OpenQuestion) => void;
  };
  readonly spokesman: Pick<Spokesman, "notice">;
  readonly wakeUps: WakeUps;
  readonly producerId: string | undefined;
  readonly agentGraceMs: Millis;
}

/** What a plan has become. */
export interface CarriedOut {
  readonly journaled: readonly JournaledEvent[];
  readonly durable: Promise<void> | undefined;
}

export interface Publishing {
  readonly openAgent: (identity: Producer | undefined) => AgentHandle;
  /** Journals a plan and makes it so. Throws what the journal throws, the plan discarded. */
  readonly carryOut: (plan: SessionPlan) => CarriedOut;
  /** Ends an open session as if its agent had vanished (R8). */
  readonly abandon: (sessionId: string) => void;
}

export function createPublishing(services: PublishingServices): Publishing {
  const { clock, ids, log, journal, hub, points, sessions, questions, spokesman, wakeUps } = services;
  const graces = new Map<string, () => void>();
  // What an agent sent, where something was filled in or changed: a repeat is compared with that (R3).
  const asPublished = new WeakMap<AgentEvent, PublishedEvent>();

  const moment = (): Moment => ({ now: clock.now(), wallTime: clock.wallTime(), ids });

  const append = (events: readonly NewEvent[]): Appended => {
    const appended = hub.append(events);
    for (const entry of appended.events) points.published(entry);
    return appended;
  };

  /** Journals a plan, question by question, so that each is followed by the notice for those that cannot answer it (R6). */
  const carryOut = (plan: SessionPlan): CarriedOut => {
    const journaled: JournaledEvent[] = [];
    const safe: Promise<void>[] = [];
    let from = 0;
    const keep = ({ durable }: Appended): void => {
      if (durable !== undefined) safe.push(durable);
    };
    try {
      for (const question of plan.asked) {
        const to = plan.events.findIndex(({ event }) => event === question.event) + 1;
        const asked = append(plan.events.slice(from, to));
        journaled.push(...asked.events);
        keep(asked);
        from = to;
        const last = asked.events.at(-1);
        if (last !== undefined) keep(append([spokesman.notice(last)]));
      }
      const rest = append(from === 0 ? plan.events : plan.events.slice(from));
      journaled.push(...rest.events);
      keep(rest);
    } catch (caught) {
      plan.discard();
      throw caught;
    }
    plan.commit(journaled);
    for (const question of plan.withdrawn) questions.withdrawn(question);
    for (const sessionId of plan.ended) forgetGrace(sessionId);
    for (const sessionId of plan.adopted) forgetGrace(sessionId);
    for (const warning of plan.warnings) log.warn({ ...warning }, "an event out of order was repaired");
    for (const question of plan.asked) {
      const entry = journaled.find(({ event }) => event === question.event);
      // What is withdrawn by the same plan was never open.
      if (entry !== undefined && !plan.withdrawn.includes(question)) questions.asked(question, entry);
    }
    return { journaled, durable: allOf(safe) };
  };

  const forgetGrace = (sessionId: string): void => {
    graces.get(sessionId)?.();
    graces.delete(sessionId);
  };

  const abandon = (sessionId: string): void => {
    forgetGrace(sessionId);
    if (sessions.summary(sessionId) !== undefined) carryOut(sessions.abandon(sessionId, moment()));
  };

  const knownPublish = (eventId: string): KnownPublish | undefined => {
    const entry = journal.find(eventId);
    if (entry === undefined) return undefined;
    return {
      event: entry.event,
      published: asPublished.get(entry.event) ?? { fields: entry.event, source: entry.source },
    };
  };

  const openAgent = (declared: Producer | undefined): AgentHandle => {
    const connection = {};
    let identity = declared;
    const place = (answer: PublishAnswer, journaled: readonly JournaledEvent[]): PublishedPlace => {
      const entry = answer.kind === "accepted" ? journaled[answer.index] : journal.find(answer.eventId);
      return { eventId: answer.eventId, epoch: entry?.epoch ?? journal.head() };
    };
    return {
      publish: (inputs, isArray, resumeToken) => {
        const plan = sessions.plan(inputs, {
          now: clock.now(),
          wallTime: clock.wallTime(),
          ids,
          agent: identity,
          producerId: services.producerId,
          connection,
          resumeToken,
          isArray,
          known: knownPublish,
        });
        const { journaled, durable } = carryOut(plan);
        for (const [index, answer] of plan.answers.entries()) {
          const entry = answer.kind === "accepted" ? journaled[answer.index] : undefined;
          const input = inputs[index];
          if (entry !== undefined && input !== undefined && entry.event !== input.fields)
            asPublished.set(entry.event, input);
        }
        const token = plan.answers.find((answer) => answer.kind !== "absorbed" && answer.resumeToken !== undefined);
        return {
          events: plan.answers.map((answer) => place(answer, journaled)),
          resumeToken: token === undefined || token.kind === "absorbed" ? undefined : token.resumeToken,
          durable,
        };
      },
      setIdentity: (producer) => {
        identity = producer;
      },
      identity: () => identity,
      resumeSession: (sessionId, resumeToken) => {
        const summary = sessions.resume(sessionId, resumeToken, connection);
        forgetGrace(sessionId);
        return summary;
      },
      close: () => {
        for (const sessionId of sessions.connectionEnded(connection)) {
          if (services.agentGraceMs === 0) abandon(sessionId);
          else
            graces.set(
              sessionId,
              wakeUps.at(clock.now() + services.agentGraceMs, () => abandon(sessionId)),
            );
        }
      },
    };
  };

  return { openAgent, carryOut, abandon };
}

/** Settles when all have; undefined where there is nothing to wait for. */
function allOf(promises: readonly Promise<void>[]): Promise<void> | undefined {
  return promises.length > 1 ? Promise.all(promises).then(() => undefined) : promises[0];
}
