// Ids of the notices of a question: one in the journal behind the question, and one for a subscription that comes later (R6, R12). Both can be sent
// again (R28).
import type { EventId } from "../../base/ids.js";
import { derivedEventId, type IdServices } from "../event/derived-id.js";
import type { Epoch } from "../event/event.js";

export interface NoticeIdFacts {
  readonly sessionId: string;
  /** The id of the question. */
  readonly question: string;
  /** Epoch of the notice: that of its question plus one. */
  readonly epoch: Epoch;
  /** Whether the notice is for one subscription that was not there. */
  readonly isLate: boolean;
}

export function noticeId({ sessionId, question, epoch, isLate }: NoticeIdFacts, ids: IdServices): EventId {
  const about = `${isLate ? "late notice" : "notice"} ${question}`;
  return derivedEventId({ epoch, start: 0, end: 0, sessionId, about, shape: "", boundaries: [] }, ids);
}
