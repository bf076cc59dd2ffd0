// A stream that delivers from its opening on, under terms that its address has: its listener need not ask for any, and names no subscription in its
// replies (R19, R22). Any later message is as on a plain stream.
import type { Reaction } from "../../../contracts/protocol.js";
import { isReplyType } from "../json/claims.js";
import type { Message } from "../json/message.js";
import type {
  RequestOutcome,
  SubscriptionEvents,
  SubscriptionHandlerServices,
} from "../subscriber/subscription-handler.js";
import { PlainSession } from "./plain-session.js";

/** The terms of an address, whose listeners cannot ask for others before their stream is open. */
export interface AddressTerms {
  readonly request: Message;
  /** Listeners get no right to answer beyond these terms, and few streams. Default: false. */
  readonly isLimited?: boolean;
  /** Takes what a person says to an agent, unasked. Undefined: nobody may say anything here. */
  readonly userInput?: ((text: string) => void) | undefined;
}

const TERMS = new Set(["subscription.request", "subscription.renegotiate"]);
const ANSWERS = new Set(["supports_confirmation_reply", "supports_clarification_reply"]);

export class OpenedSession extends PlainSession {
  readonly opening: RequestOutcome;
  private readonly by: AddressTerms;

  constructor(services: SubscriptionHandlerServices, events: SubscriptionEvents, by: AddressTerms) {
    super(services, events);
    this.by = by;
    this.opening = this.source.request(by.request);
  }

  /** Of the stream's present subscription. */
  get id(): string {
    return this.source.id;
  }

  /** Of the same subscription (R19). */
  get key(): string {
    return this.source.key;
  }

  /** The place with which the stream begins; "" where the opening was rejected. */
  get openingCursor(): string {
    return this.source.subscription?.openingCursor() ?? "";
  }

  override receive(message: unknown, text?: () => string | undefined): Reaction<unknown> {
    const claimed = (message ?? {}) as Message;
    // A stream that was opened again has another subscription than the one that its listener names.
    const said = claimed.subscription_id === undefined ? claimed : { ...claimed, subscription_id: this.id };
    if (said.kind === "user_input" && typeof said.text === "string") {
      this.by.userInput?.(said.text);
      return { answers: [], closes: false };
    }
    if (this.by.isLimited === true && TERMS.has(String(said.type))) return super.receive(this.within(said));
    if (!isReplyType(said.type)) return super.receive(said, text);
    this.reply(said, text?.());
    return { answers: [], closes: false };
  }

  /** A request for other terms, without rights to answer that the address does not have. */
  private within(request: Message): Message {
    const ask = (request.capabilities ?? {}) as Message;
    const may = (this.by.request.capabilities ?? {}) as Message;
    const capabilities = Object.fromEntries(
      Object.entries(ask).map(([name, value]) => [name, ANSWERS.has(name) && may[name] !== true ? false : value]),
    );
    return { ...request, ...(request.capabilities === undefined ? {} : { capabilities }) };
  }

  /** Returns whether the reply counted. It belongs to this stream, whatever subscription it names. */
  reply(message: Message, text?: string): boolean {
    return this.source.reply({ ...message, subscription_id: this.source.id }, text);
  }
}
