// AAEP without an envelope: one subscription a connection, each frame one message (AAEP §5.1, R23, R33).
import { Fault, publicFault } from "../../../base/errors.js";
import { membersOf } from "../../../base/members.js";
import { didYouMean } from "../../../base/nearest.js";
import type { AccessPolicy } from "../../../contracts/access.js";
import type { EndReason, LastWords, MessageProtocol, ProtocolSession, Reaction } from "../../../contracts/protocol.js";
import { claimsOfMessage, isClose, isReplyType, NO_CLAIMS } from "../json/claims.js";
import { quoted } from "../subscriber/notes.js";
import { SUBSCRIBER_CALLS, typedAnswer } from "../subscriber/subscriber-calls.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";
import {
  type SubscriptionEvents,
  SubscriptionHandler,
  type SubscriptionHandlerServices,
} from "../subscriber/subscription-handler.js";
import { SUBSCRIBER_MESSAGES } from "./message-names.js";

const CALLS = new Map(SUBSCRIBER_CALLS.map((call) => [call.type, call]));
const NOTHING: Reaction<unknown> = { answers: [], closes: false };

export interface PlainServices extends SubscriptionHandlerServices {
  readonly access: AccessPolicy;
}

/** The protocol of a peer whose first message is a `subscription.request`. */
export function createPlainProtocol(services: PlainServices): MessageProtocol<unknown> {
  return {
    recognizes: ({ members }) => members.type === "subscription.request",
    open: (peer, { stream, tell }) =>
      new PlainSession(services, { stream, access: services.access.of(peer), tell, peer }),
  };
}

/** The session of one stream, which may be open before its peer has said anything (`OpenedSession`). */
export class PlainSession implements ProtocolSession<unknown> {
  protected readonly source: SubscriptionHandler;
  private readonly services: SubscriptionHandlerServices;

  constructor(services: SubscriptionHandlerServices, events: SubscriptionEvents) {
    this.services = services;
    this.source = new SubscriptionHandler(services, events);
  }

  receive(message: unknown, text?: () => string | undefined): Reaction<unknown> {
    const type = readableType(message);
    try {
      return this.react(message, type, text);
    } catch (caught) {
      const fault = publicFault(caught, this.services.log);
      return { answers: [errorMessage(fault, type)], closes: false, fault };
    }
  }

  refuse(fault: Fault, text?: () => string | undefined): Reaction<unknown> {
    const { source } = this;
    // A text that is no JSON claims nothing.
    const written = fault.code === "invalid_json" ? undefined : text?.();
    const claims = written === undefined ? NO_CLAIMS : claimsOfMessage(written);
    if (written !== undefined && claims.types.some(isReplyType)) {
      source.refuseReply(claims.replyToken, written);
      return NOTHING;
    }
    if (source.isOpen() && isClose(claims)) return this.close();
    const [type] = claims.types;
    const answered = typeof type === "string" ? type : undefined;
    return { answers: [errorMessage(fault, answered)], closes: false, fault };
  }

  isOpen(): boolean {
    return this.source.isOpen();
  }

  finish(reason: EndReason): LastWords<unknown> {
    return this.source.lastWords(reason);
  }

  ended(reason?: EndReason): void {
    const { subscription } = this.source;
    if (subscription !== undefined) subscription.close(reason);
    else if (reason === "handshake_timeout") this.services.engine.refused(reason);
  }

  /** Ends the connection's one subscription, whatever else the close contains (R33). */
  private close(): Reaction<unknown> {
    this.source.close();
    return { answers: [], closes: true };
  }

  private react(message: unknown, type: string | undefined, text?: () => string | undefined): Reaction<unknown> {
    if (type === undefined) {
      const detail = { pointer: "/type", rule: "AAEP §5.1" };
      throw new Fault("invalid_message", "A message is a JSON object with a type.", detail);
    }
    if (type === "subscription.request") return { answers: [this.source.request(message).message], closes: false };
    if (type === "subscription.close") return this.close();
    if (isReplyType(type)) {
      this.source.reply(message, text?.());
      return NOTHING;
    }
    const call = CALLS.get(type);
    if (call === undefined) throw unknownType(type, this.isOpen());
    const taken = call.take(this.source, message);
    // Nothing answers a message that is safe later, so nothing waits for the disk.
    if (taken instanceof Promise) taken.catch(() => undefined);
    else if (taken !== undefined) return { answers: [typedAnswer(call, taken)], closes: false };
    return NOTHING;
  }
}

/** On an active subscription, the advice does not mention the first message. */
function unknownType(type: string, isOpen: boolean): Fault {
  const [first, ...further] = SUBSCRIBER_MESSAGES;
  const known = isOpen ? further : [first];
  const near = didYouMean(type, known);
  const all = isOpen
    ? `A subscriber may send ${further.slice(0, -1).join(", ")} and ${further.at(-1)}.`
    : `The first is a ${first}.`;
  const forAgents = /^(aaep:)?agent\./.test(type) ? " An agent publishes events over JSON-RPC, by aaep.publish." : "";
  const detail = { pointer: "/type", rule: "AAEP §5.1" };
  return new Fault("unknown_type", `There is no message of type ${quoted(type)}. ${near || all}${forAgents}`, detail);
}

function readableType(message: unknown): string | undefined {
  const { type } = membersOf(message);
  return typeof type === "string" ? type : undefined;
}
