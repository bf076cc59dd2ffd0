// A provider on its connection: its place in the router, and the requests that it has. Each goes to it under an id of the daemon's own, because two
// agents may use the same one. A provider that takes only so many at a time gets the others in order, as it answers.
import type { Fault } from "../../../base/errors.js";
import { textOf } from "../../../base/members.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { ExchangeHost, ExchangeSession } from "../../../contracts/exchange.js";
import type { EndReason } from "../../../contracts/protocol.js";
import { type A2eMessage, type MessageMaker, withMembers } from "../messages/message.js";
import type { Offer, Provider, RequestNews, Router } from "./router.js";

export interface ProviderServices {
  readonly router: Router;
  readonly maker: MessageMaker;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
}

/** How long a provider may still work on a request that nobody waits for any more. The request has its slot as long. */
const ABANDONED_MS: Millis = 60_000;

const TAKES_NOTHING = "The provider takes no messages at present. Try again later.";

const NOTHING: Offer = { name: "", kind: "peer", priority: 0, capabilities: [] };

export abstract class ProviderSession implements ExchangeSession, Provider {
  offer = NOTHING;
  protected readonly host: ExchangeHost;
  private readonly by: ProviderServices;
  private readonly gone: string;
  private readonly sent = new Map<string, RequestNews>();
  /** Requests that the provider has and nobody waits for, with the cancellation of their time limit. */
  private readonly abandoned = new Map<string, () => void>();
  /** In order of arrival. The rooms of their sessions bound how many they are (`OpenSession`). */
  private readonly waiting = new Map<string, { readonly text: string; readonly news: RequestNews }>();
  private sessionId: string | undefined;
  private maxParallel = 0;
  private isServing = false;
  private isSending = false;
  private remove = (): void => {};

  /** `gone`: the sentence for agents whose requests are lost with the provider. */
  constructor(by: ProviderServices, host: ExchangeHost, gone: string) {
    this.by = by;
    this.host = host;
    this.gone = gone;
  }

  abstract receive(message: unknown, text: string): void;
  abstract refuse(fault: Fault, text: string | undefined): void;
  abstract finish(reason: EndReason, until: Millis): Promise<void>;

  isReadAlways(): boolean {
    return true;
  }

  passesOn(): boolean {
    return true;
  }

  room(): undefined {
    return undefined;
  }

  isOpen(): boolean {
    return this.isServing;
  }

  inputEnded(): void {
    this.leave();
    this.host.close();
  }

  ended(): void {
    this.leave();
  }

  request(text: string, news: RequestNews): () => void {
    if (!this.isServing) {
      news.lost(this.gone);
      return () => {};
    }
    const id = this.by.maker.newId();
    this.waiting.set(id, { text: this.forProvider(text, { id }), news });
    this.sendNext();
    return () => {
      this.abandon(id);
      this.waiting.delete(id);
    };
  }

  passOn(text: string): void {
    this.host.send(this.forProvider(text, {}));
  }

  requestCount(): number {
    return this.sent.size + this.abandoned.size + this.waiting.size;
  }

  /** The provider is gone: every request is lost. */
  protected leave(): void {
    this.remove();
    this.isServing = false;
    const lost = [...this.sent.values(), ...Array.from(this.waiting.values(), ({ news }) => news)];
    for (const cancel of this.abandoned.values()) cancel();
    this.abandoned.clear();
    this.sent.clear();
    this.waiting.clear();
    for (const news of lost) news.lost(this.gone);
  }

  /**
   * Serves requests from now on, at most `maxParallel` at a time. A second time replaces what was served; requests under way stay. `sessionId`: the
   * daemon's session at the provider, in place of the agent's; undefined keeps the agent's.
   */
  protected serve(offer: Offer, maxParallel: number, sessionId: string | undefined): void {
    this.remove();
    this.offer = offer;
    this.maxParallel = maxParallel;
    this.sessionId = sessionId;
    this.isServing = true;
    this.remove = this.by.router.add(this);
  }

  /** Takes a message of the provider that concerns requests. Messages of requests that have ended are dropped. */
  protected takeNews(message: A2eMessage, text: string): void {
    const { req_id: id, type } = message;
    if (typeof id !== "string") {
      if (!isBetweenTwo(textOf(type))) this.by.router.announce(this, text);
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
  protected unreadable(id: string): void {
    const news = this.sent.get(id);
    this.sent.delete(id);
    news?.unreadable();
    this.release(id);
  }

  /** `isFinal` as in `ExchangeHost.send`. */
  protected say(type: string, fields: A2eMessage, isFinal: boolean): void {
    this.host.send(this.by.maker.make(type, fields), isFinal);
  }

  private forProvider(text: string, members: Readonly<Record<string, string>>): string {
    const session = this.sessionId === undefined ? {} : { session_id: this.sessionId };
    return withMembers(text, { ...members, ...session });
  }

  /** Sends what may be sent. Losing one request makes room for the next, so this is a loop and no recursion. */
  private sendNext(): void {
    if (this.isSending) return;
    this.isSending = true;
    try {
      for (const [id, { text, news }] of this.waiting) {
        if (this.sent.size + this.abandoned.size >= this.maxParallel) break;
        this.waiting.delete(id);
        this.sent.set(id, news);
        if (this.host.send(text)) continue;
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
    const { clock } = this.by;
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
