// A stream that delivers from its opening on, under terms that its address has: its listener need not ask for any, and names no subscription in its
// replies (R19, R22). Any later message is as on a plain stream.
import type { ProtocolSession, Reaction } from "../../../contracts/protocol.js";
import { isReplyType } from "../json/claims.js";
import type { Message } from "../json/message.js";
import type { RequestOutcome } from "../subscriber/subscription-handler.js";
import type { PlainSession } from "./plain-session.js";

export interface OpenedBy {
  /** Asks for the terms of the address. */
  readonly request: Message;
  /** Takes what a person says to an agent, unasked. Undefined: this address may not say anything. */
  readonly userInput: ((text: string) => void) | undefined;
}

export class OpenedSession implements ProtocolSession<unknown> {
  readonly opening: RequestOutcome;
  private readonly plain: PlainSession;
  private readonly by: OpenedBy;

  constructor(plain: PlainSession, by: OpenedBy) {
    this.plain = plain;
    this.by = by;
    this.opening = plain.source.request(by.request);
  }

  /** The stream's present place; "" where the opening was rejected. */
  get cursor(): string {
    return this.plain.source.subscription?.cursor() ?? "";
  }

  receive(message: unknown, text?: () => string | undefined): Reaction<unknown> {
    const said = (message ?? {}) as Message;
    if (said.kind === "user_input" && typeof said.text === "string") {
      this.by.userInput?.(said.text);
      return { answers: [], closes: false };
    }
    if (!isReplyType(said.type)) return this.plain.receive(message, text);
    this.reply(said, text?.());
    return { answers: [], closes: false };
  }

  /** Returns whether the reply counted. It belongs to this stream, whatever subscription it names. */
  reply(message: Message, text?: string): boolean {
    const { source } = this.plain;
    return source.reply({ ...message, subscription_id: source.id }, text);
  }

  refuse: ProtocolSession<unknown>["refuse"] = (fault, text) => this.plain.refuse(fault, text);
  isOpen(): boolean {
    return this.plain.isOpen();
  }
  finish: ProtocolSession<unknown>["finish"] = (reason) => this.plain.finish(reason);
  ended: ProtocolSession<unknown>["ended"] = (reason) => this.plain.ended(reason);
}
