// What publishing is made of.
import type { IdSource } from "../../base/ids.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { JournaledEvent } from "../event/event.js";
import type { NoticeFactory } from "../notices/notice-factory.js";
import type { Questions } from "../questions/questions-spec.js";
import type { Sessions } from "../sessions/sessions.js";
import type { TurnSlices } from "../time/turn-slices.js";
import type { WakeUps } from "../time/wake-ups.js";
import type { PublisherBacklog } from "../views/publisher-backlog.js";

export interface PublishingServices {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly journal: Journal;
  /** Hands journaled events to the views; `publisher` counts the events that wait for them. */
  readonly deliver: (entries: readonly JournaledEvent[], publisher?: PublisherBacklog) => void;
  readonly sessions: Sessions;
  readonly questions: Pick<
    Questions,
    "asked" | "withdrawn" | "settleDue" | "whenResolved" | "cancel" | "find" | "outcomeOf" | "sessionOf" | "isWaiting"
  >;
  readonly noticeFactory: Pick<NoticeFactory, "notice">;
  readonly wakeUps: WakeUps;
  /** Sessions whose agents are gone are ended in slices. */
  readonly slices: TurnSlices;
  /** Settles when all that was put so far is safe. Throws and rejects where it cannot be made so. */
  readonly whenDurable: () => Promise<void> | undefined;
  readonly producerId: string | undefined;
  /** Read each time: it may change. */
  readonly agentGraceMs: () => Millis;
  /** Told of each session in which a connection asks, or publishes by its token, before that is carried out (R5). */
  readonly tookPart: (connection: object, sessionId: string) => void;
  /** Told of a session that has come to another connection, and of the one that had it, where there was one. */
  readonly sessionTaken: (sessionId: string, former: object | undefined) => void;
  /** Told after each append. */
  readonly appended: () => void;
}
