// Series of daemon-made events for one subscription about many sessions; each event is made when its turn has come (R6, R17, R27, R34).
import type { AgentEvent } from "../event/event.js";
import type { Questions } from "../questions/questions.js";
import type { SessionSummary } from "../sessions/session-record.js";
import type { SessionSnapshots } from "../sessions/session-snapshots.js";
import { canAnswer } from "../terms/answering.js";
import type { Terms } from "../terms/terms.js";
import type { Loss } from "./daemon-events.js";
import type { NoticeFactory } from "./notice-factory.js";

export interface NoticeSeries {
  /** The subjects in order: sessions by their ids, or questions by their tokens. */
  readonly keys: readonly string[];
  /** The events about one subject, for the present terms. */
  readonly eventsOf: (key: string, terms: Terms) => readonly AgentEvent[];
  /** Ends the series, so that its snapshot can be released. Call it once. */
  readonly release: () => void;
}

export interface OpenSessionNoticesServices {
  readonly sessionSnapshots: Pick<SessionSnapshots, "now">;
  readonly questions: Pick<Questions, "open" | "find" | "entryOf">;
  readonly noticeFactory: Pick<NoticeFactory, "summary" | "lateNotice">;
}

/** Series about open sessions, all or some. An event describes its session at the moment at which the series was made. */
export interface OpenSessionNotices {
  /** One summary for each session, from which a new subscription learns its state. `lostOf` returns the loss that it declares as well (R17, R27). */
  readonly summaries: (
    only?: ReadonlySet<string>,
    lostOf?: (session: SessionSummary) => Loss | undefined,
  ) => NoticeSeries;
  /**
   * Notices of questions that these terms cannot answer, for a subscription that was not there. A question that is resolved meanwhile has none (R6).
   */
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
