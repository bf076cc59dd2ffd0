// AAEP without an envelope: one subscription a connection, each frame one message (AAEP §5.1, R23, R33).
import { Fault, publicFault } from "../../base/errors.js";
import type {
  DeliverySource,
  EndReason,
  LastWords,
  Protocol,
  ProtocolSession,
  Reaction,
} from "../../contracts/protocol.js";
import { quoted } from "./capabilities.js";
import { claimsOfMessage, isClose, isReplyType, NO_CLAIMS, type ReadClaims } from "./claims.js";
import { isCostlyType } from "./costly-calls.js";
import {
  createSubscriptionDesk,
  type DeskServices,
  errorMessage,
  type Message,
  NOTHING_OWED,
  type OpenSubscription,
  type SubscriptionEvents,
} from "./subscription-desk.js";

const NOTHING: Reaction<unknown> = { answers: [], closes: false };

/**
 * The protocol of a peer whose first message is a `subscription.request`. `readClaims` reads what its messages say of themselves where they cannot be
 * taken.
 */
export function createPlainProtocol(
  services: DeskServices,
  readClaims: ReadClaims = claimsOfMessage,
): Protocol<unknown> {
  return {
    name: "aaep",
    open: (wake, expel, tell) => new PlainSession(services, { wake, expelled: expel, tell }, readClaims),
  };
}

const IDLE = { kind: "idle" } as const;

/** A class, because there is one for each connection. It is its own source of deliveries. */
class PlainSession implements ProtocolSession<unknown>, DeliverySource {
  private readonly services: DeskServices;
  private readonly events: SubscriptionEvents;
  private readonly readClaims: ReadClaims;
  private open: OpenSubscription | undefined;

  constructor(services: DeskServices, events: SubscriptionEvents, readClaims: ReadClaims) {
    this.services = services;
    this.events = events;
    this.readClaims = readClaims;
  }

  get source(): DeliverySource {
    return this;
  }

  receive(message: unknown, text?: () => string | undefined): Reaction<unknown> {
    const type = readableType(message);
    try {
      const reaction = this.react(message, text);
      return isCostlyType(type) ? { ...reaction, wasCostly: true } : reaction;
    } catch (caught) {
      const fault = publicFault(caught, this.services.log);
      return { answers: [errorMessage(fault, type)], closes: false, wasCostly: isCostlyType(type), fault };
    }
  }

  refuse(fault: Fault, text?: () => string | undefined): Reaction<unknown> {
    const written = text?.();
    const claims = written === undefined ? NO_CLAIMS : this.readClaims(written);
    if (written !== undefined && claims.types.some(isReplyType)) {
      if (this.open !== undefined) this.open.refuseReply(claims.replyToken, written);
      else createSubscriptionDesk(this.services).refuseReply(claims.replyToken, written);
      return NOTHING;
    }
    if (this.open !== undefined && isClose(claims)) return this.close(this.open);
    const [type] = claims.types;
    const answered = typeof type === "string" ? type : undefined;
    return { answers: [errorMessage(fault, answered)], closes: false, fault };
  }

  take(only?: "critical"): ReturnType<DeliverySource["take"]> {
    return this.open?.engine.take(only) ?? IDLE;
  }

  setBlocked(blocked: boolean): void {
    this.open?.engine.setBlocked(blocked);
  }

  isOpen(): boolean {
    return this.open !== undefined;
  }

  finish(reason: EndReason): LastWords<unknown> {
    return lastWordsOf(this.open, reason);
  }

  resumeAfter(): string | undefined {
    return this.open?.engine.resumeAfter();
  }

  ended(reason?: EndReason): void {
    if (this.open !== undefined) this.open.engine.close(reason);
    else if (reason === "handshake_timeout") this.services.engine.refused(reason);
  }

  /** There is one subscription here, so whatever else a close says, this is the one that it means (R33). */
  private close(open: OpenSubscription): Reaction<unknown> {
    open.engine.close();
    return { answers: [], closes: true };
  }

  private react(message: unknown, text: (() => string | undefined) | undefined): Reaction<unknown> {
    const type = typeOf(message);
    switch (type) {
      case "subscription.request":
        return this.request(message);
      case "subscription.renegotiate": {
        const renegotiated = this.needed().renegotiate(message);
        this.events.wake();
        return { answers: [renegotiated.message], closes: renegotiated.ended };
      }
      case "subscription.close":
        return this.close(this.needed());
      case "confirmation.reply":
      case "clarification.reply":
        this.needed().reply(message, text?.());
        return NOTHING;
      case "aaepd.skip":
        this.needed().skip(message);
        return NOTHING;
      case "aaepd.list_pending":
        return answer({ type: "aaepd.pending", questions: this.needed().listPending(message) });
      case "aaepd.repeat":
        this.needed().repeat(message);
        return NOTHING;
      default:
        throw new Fault(
          "unknown_type",
          `There is no message of type ${quoted(type)}; the first is a subscription.request.`,
          { pointer: "/type", rule: "AAEP §5.1" },
        );
    }
  }

  private request(message: unknown): Reaction<unknown> {
    if (this.open !== undefined) {
      throw new Fault(
        "already_subscribed",
        "One subscription a connection: close this one, renegotiate, or open another connection.",
        { pointer: "/type", rule: "R23" },
      );
    }
    const outcome = createSubscriptionDesk(this.services).request(message, this.events);
    if (outcome.kind === "accepted") {
      this.open = outcome.open;
      this.events.wake();
    }
    return answer(outcome.message);
  }

  private needed(): OpenSubscription {
    if (this.open !== undefined) return this.open;
    throw new Fault("handshake_required", "Send a subscription.request first.", {
      pointer: "/type",
      rule: "AAEP §5.1",
    });
  }
}

/** What a peer is still owed and told when this side ends its conversation, whether it had a subscription or not yet (R8a, R22). */
export function lastWordsOf(open: OpenSubscription | undefined, reason: EndReason): LastWords<unknown> {
  if (open === undefined) {
    const sentence =
      reason === "handshake_timeout"
        ? "No subscription.request came in time; connect again."
        : "The daemon is stopping.";
    const code = reason === "handshake_timeout" ? "timed_out" : "shutting_down";
    return { owed: NOTHING_OWED, messages: () => [errorMessage(new Fault(code, sentence, { rule: "R22" }))] };
  }
  return { owed: open.owed(reason), messages: () => [open.closing(reason)] };
}

function answer(message: Message): Reaction<unknown> {
  return { answers: [message], closes: false };
}

function readableType(message: unknown): string | undefined {
  if (typeof message !== "object" || message === null || !("type" in message)) return undefined;
  return typeof message.type === "string" ? message.type : undefined;
}

/** Throws for what is no message at all. */
function typeOf(message: unknown): string {
  const type = readableType(message);
  if (type !== undefined) return type;
  throw new Fault("invalid_message", "A message is a JSON object with a type.", {
    pointer: "/type",
    rule: "AAEP §5.1",
  });
}
