import type { QuestionWaiting } from "./questions.js";

/** The waits for people that the author was told of. A wait that has begun is told to be over too, also if its daemon is lost. */
export class Waits {
  readonly #onWaiting: (waiting: QuestionWaiting) => void;
  readonly #begun = new Map<string, QuestionWaiting>();

  constructor(onWaiting: (waiting: QuestionWaiting) => void) {
    this.#onWaiting = onWaiting;
  }

  /** A daemon reports that a wait begins or ends. Without a beginning no end is told. */
  told(waiting: QuestionWaiting): void {
    const { reply_token: token } = waiting;
    if (waiting.waiting) this.#begun.set(token, waiting);
    else if (!this.#begun.delete(token)) return;
    this.#onWaiting(waiting);
  }

  /** The question is over for its caller. */
  over(replyToken: string): void {
    const begun = this.#begun.get(replyToken);
    if (begun !== undefined) this.told({ ...begun, waiting: false });
  }
}
