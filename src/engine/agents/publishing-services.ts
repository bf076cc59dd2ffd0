// The services that publishing needs.
import type { IdSource } from "../../base/ids.js";
import type { Audit } from "../../contracts/audit.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Journal } from "../../contracts/journal.js";
import type { Log } from "../../contracts/log.js";
import type { AgentProcess } from "../event/agent-process.js";
import type { JournaledEvent } from "../event/event.js";
import type { NoticeFactory } from "../notices/notice-factory.js";
import type { Questions } from "../questions/questions.js";
import type { Sessions } from "../sessions/sessions.js";
import type { WakeUps } from "../time/wake-ups.js";

export interface PublishingServices {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly audit: Pick<Audit, "record">;
  readonly journal: Journal;
  /** Hands journaled events to the views. */
  readonly deliver: (entries: readonly JournaledEvent[]) => void;
  readonly sessions: Sessions;
  readonly questions: Questions;
  readonly noticeFactory: Pick<NoticeFactory, "notice">;
  readonly wakeUps: WakeUps;
  /**
   * Returns a promise that resolves when everything put so far is safe; undefined if it is safe already. Throws or rejects if it cannot be written.
   */
  readonly whenDurable: () => Promise<void> | undefined;
  readonly producerId: string | undefined;
  /** Read for each grace, because the value may change. */
  readonly agentGraceMs: () => Millis;
  /**
   * Called before a plan is carried out in which a connection asks, or publishes by token, with each session of it. Returns whether subscriptions of
   * the connection could answer questions of the session until now (R5).
   */
  readonly tookPart: (connection: object, sessionId: string) => boolean;
  /** Called after such a plan: fewer subscriptions can answer now. */
  readonly audienceLost: () => void;
  /** Called with each process of an agent before the agent publishes from it (R5d). */
  readonly agentProcess: (agent: AgentProcess) => void;
  /** Called with a session that another connection took over, and with its former owner, if it had one. */
  readonly sessionTaken: (sessionId: string, former: object | undefined) => void;
  /** Called after each append. */
  readonly appended: () => void;
}
