// Sayings: events in which the daemon itself tells one subscription of many sessions, each made when its turn has come (R6, R17, R27, R34).
import type { AgentEvent } from "../event/event.js";
import type { Questions } from "../questions/questions-spec.js";
import type { SessionSummary } from "../sessions/session-record.js";
import type { SessionSnapshots } from "../sessions/session-snapshots.js";
import { canAnswer } from "../terms/answering.js";
import type { Terms } from "../terms/terms.js";
import type { Loss } from "./daemon-events.js";
import type { NoticeFactory } from "./notice-factory.js";

export interface NoticeSeries {
  /** The subjects in order: sessions by their ids, or questions by their tokens. */
  readonly keys: readonly string[];
  /** The events about one of them, for terms as they are by then. */
  readonly eventsOf: (key: string, terms: Terms) => readonly AgentEvent[];
  /** Nothing of it is asked for any more. To be called once. */
  readonly release: () => void;
}

export interface OpenSessionNoticesServices {
  readonly sessionSnapshots: Pick<SessionSnapshots, "now">;
  readonly questions: Pick<Questions, "open" | "find" | "entryOf">;
  readonly noticeFactory: Pick<NoticeFactory, "summary" | "lateNotice">;
}

/** Of open sessions, of all or only of some; as they stand by now, whenever it is said. */
export interface OpenSessionNotices {
  /** One state change for each, by which a newcomer knows where it stands; `lostOf` tells what it declares besides (R17, R27). */
  readonly summaries: (
    only?: ReadonlySet<string>,
    lostOf?: (session: SessionSummary) => Loss | undefined,
  ) => NoticeSeries;
  /** Notices of questions that these terms cannot answer, for a newcomer that was not there; a question resolved by then has none (R6). */
  readonly notices: (terms: Terms, only?: ReadonlySet<string>) => NoticeSeries;
}

export function createOpenSessionNotices(services: OpenSessionNoticesServices): OpenSessionNotices {
  const { questions, noticeFactory } = services;
  return {
    summaries: (only, lostOf) => {
      const { ids, of, release } = services.sessionSnapshots.now();
      return {
        keys: only === undefined ? ids : ids.filter((id) => only.has(id)),
        eventsOf: (sessionId, terms) => {
          const session = of(sessionId);
          return session === undefined ? [] : [noticeFactory.summary(session, terms, lostOf?.(session))];
        },
        release,
      };
    },
    notices: (terms, only) => {
      const concerned = questions
        .open()
        .filter(
          ({ kind, sessionId }) => !canAnswer(terms, kind, sessionId) && (only === undefined || only.has(sessionId)),
        );
      const { of, release } = services.sessionSnapshots.now();
      return {
        keys: concerned.map(({ token }) => token),
        eventsOf: (token, termsThen) => {
          const question = questions.find(token);
          const session = question && of(question.sessionId);
          const entry = question && questions.entryOf(question.event.event_id);
          return session === undefined || entry === undefined
            ? []
            : [noticeFactory.lateNotice(entry, session, termsThen)];
        },
        release,
      };
    },
  };
}
