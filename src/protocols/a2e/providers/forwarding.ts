// The requests that one provider has: each under an id of the daemon's own, because two agents may use the same one. A provider that takes only so
// many at a time gets the others in order, as it answers.
import { textOf } from "../../../base/members.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import { type A2eMessage, withMembers } from "../messages/message.js";
import type { RequestNews } from "./provider.js";

export interface ForwardingOptions {
  /** Sends a text to the provider. Returns false if the provider takes nothing and too much waits for it. */
  readonly send: (text: string) => boolean;
  readonly newId: () => string;
  /** Most requests that the provider takes at a time. Read at each use. */
  readonly maxParallel: () => number;
  /** The session of the daemon at the provider, in place of the agent's; undefined keeps the agent's. */
  readonly sessionId?: string | undefined;
  /** Told of the text of a message for no request that agents may want: one that is neither an answer nor a message between two ends. */
  readonly announced: (text: string) => void;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
}

/** How long a provider may still work on a request that nobody waits for any more. The request has its slot as long. */
const ABANDONED_MS: Millis = 60_000;

const TAKES_NOTHING = "The provider takes no messages at present. Try again later.";

export class Forwarding {
  private readonly options: ForwardingOptions;
  private readonly sent = new Map<string, RequestNews>();
  /** Requests that the provider has and nobody waits for, with the cancellation of their time limit. */
  private readonly abandoned = new Map<string, () => void>();
  /** In order of arrival. The rooms of their sessions bound how many they are (`OpenSession`). */
  private readonly waiting = new Map<string, { readonly text: string; readonly news: RequestNews }>();
  private whyEnded: string | undefined;
  private isSending = false;

  constructor(options: ForwardingOptions) {
    this.options = options;
  }

  /** As `Provider.request`. */
  request(text: string, news: RequestNews): () => void {
    const { newId } = this.options;
    if (this.whyEnded !== undefined) {
      news.lost(this.whyEnded);
      return () => {};
    }
    const id = newId();
    this.waiting.set(id, { text: this.forProvider(text, { id }), news });
    this.sendNext();
    return () => {
      this.abandon(id);
      this.waiting.delete(id);
    };
  }

  /** As `Provider.passOn`. */
  passOn(text: string): void {
    if (this.whyEnded === undefined) this.options.send(this.forProvider(text, {}));
  }

  /** Takes a message of the provider that concerns requests. Messages of requests that have ended are dropped. */
  receive(message: A2eMessage, text: string): void {
    const { req_id: id, type } = message;
    if (typeof id !== "string") {
      if (!isBetweenTwo(textOf(type))) this.options.announced(text);
      return;
    }
    const news = this.sent.get(id);
    if (type !== "error" && !textOf(type).endsWith("/resp")) {
      news?.event(message, text);
      return;
    }
    this.sent.delete(id);
    if (type === "error") news?.refused(message, text);
    else news?.answered(message, text);
    this.release(id);
  }

  /** The provider's message about this request could not be read. */
  unreadable(id: string): void {
    const news = this.sent.get(id);
    this.sent.delete(id);
    news?.unreadable();
    this.release(id);
  }

  /** The provider is gone: every request is lost. */
  ended(sentence: string): void {
    this.whyEnded = sentence;
    const lost = [...this.sent.values(), ...Array.from(this.waiting.values(), ({ news }) => news)];
    for (const cancel of this.abandoned.values()) cancel();
    this.abandoned.clear();
    this.sent.clear();
    this.waiting.clear();
    for (const news of lost) news.lost(sentence);
  }

  /** Requests that the provider has or that wait for it. */
  count(): number {
    return this.sent.size + this.abandoned.size + this.waiting.size;
  }

  private forProvider(text: string, members: Readonly<Record<string, string>>): string {
    const { sessionId } = this.options;
    const session = sessionId === undefined ? {} : { session_id: sessionId };
    return withMembers(text, { ...members, ...session });
  }

  /** Sends what may be sent. Losing one request makes room for the next, so this is a loop and no recursion. */
  private sendNext(): void {
    const { maxParallel, send } = this.options;
    if (this.isSending) return;
    this.isSending = true;
    try {
      for (const [id, { text, news }] of this.waiting) {
        if (this.sent.size + this.abandoned.size >= maxParallel()) break;
        this.waiting.delete(id);
        this.sent.set(id, news);
        if (send(text)) continue;
        this.sent.delete(id);
        news.lost(TAKES_NOTHING);
      }
    } finally {
      this.isSending = false;
    }
  }

  /** The provider has no such request any more. */
  private release(id: string): void {
    this.abandoned.get(id)?.();
    this.abandoned.delete(id);
    this.sendNext();
  }

  /** A2E has no message that takes a request back, so the provider goes on with it. */
  private abandon(id: string): void {
    const { clock } = this.options;
    if (!this.sent.delete(id)) return;
    const cancel = clock.wakeAt(clock.now() + ABANDONED_MS, () => this.release(id));
    this.abandoned.set(id, cancel);
  }
}

/** Whether a type is for the other end of a connection alone, so that no agent behind it gets the message. */
function isBetweenTwo(type: string): boolean {
  return BETWEEN_TWO.has(type) || type.endsWith("/req") || type.endsWith("/resp");
}

const BETWEEN_TWO = new Set(["error", "ping", "pong", "shutdown"]);
