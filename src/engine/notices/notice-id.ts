// The ids of what is said of a question to those that cannot answer it: in the journal behind the question, and to a subscription that comes later
// (R6, R12). Both can be asked for again (R28).
import type { EventId } from "../../base/ids.js";
import { derivedEventId, type IdServices } from "../event/derived-id.js";
import type { Epoch } from "../event/event.js";

export interface NoticeIdFacts {
  readonly sessionId: string;
  /** The id of the question. */
  readonly question: string;
  /** Of the notice: its question's, and one. */
  readonly epoch: Epoch;
  /** Whether it is said to one subscription that was not there. */
  readonly isLate: boolean;
}

export function noticeId({ sessionId, question, epoch, isLate }: NoticeIdFacts, ids: IdServices): EventId {
  const about = `${isLate ? "late notice" : "notice"} ${question}`;
  return derivedEventId({ epoch, start: 0, end: 0, sessionId, about, shape: "", boundaries: [] }, ids);
}
