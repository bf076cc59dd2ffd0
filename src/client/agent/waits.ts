// The waits for people that the author was told of. A wait that has begun is told to be over too, also if its daemon is lost.
import type { QuestionWaiting } from "../agent-questions.js";

export interface Waits {
  /** A daemon reports that a wait begins or ends. */
  readonly told: (waiting: QuestionWaiting) => void;
  /** The question is over for its caller. */
  readonly over: (replyToken: string) => void;
}

export function createWaits(onWaiting: (waiting: QuestionWaiting) => void): Waits {
  const begun = new Map<string, QuestionWaiting>();
  const told: Waits["told"] = (waiting) => {
    const { reply_token: token } = waiting;
    if (waiting.waiting) begun.set(token, waiting);
    else if (!begun.delete(token)) return;
    onWaiting(waiting);
  };
  return {
    told,
    // Without a beginning no end is told.
    over: (token) => told({ ...begun.get(token), waiting: false } as QuestionWaiting),
  };
}
