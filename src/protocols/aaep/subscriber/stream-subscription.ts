// The one subscription of a plain connection or a stream, and what takes its place: a further request is a new negotiation (R23, R33).
import { Fault } from "../../../base/errors.js";
import type { DeliverySource, EndReason, LastWords } from "../../../contracts/protocol.js";
import type { Message } from "../json/message.js";
import {
  createSubscriptionDesk,
  type DeskServices,
  errorMessage,
  NOTHING_PENDING,
  type OpenSubscription,
  rejectionOfFault,
  type SubscriptionEvents,
} from "./subscription-handler.js";

const IDLE = { kind: "idle" } as const;

/** A class, because there is one for each connection. */
export class StreamSubscription implements DeliverySource {
  private readonly services: DeskServices;
  private current: OpenSubscription | undefined;
  private isBlocked = false;
  private isEnding = false;

  constructor(services: DeskServices) {
    this.services = services;
  }

  /** Undefined before the first acceptance. It may have ended since. */
  get open(): OpenSubscription | undefined {
    return this.current;
  }

  /**
   * Answers a request. Accepted, the new subscription takes the stream over: the open questions are put to it if it can reply, and nothing of the one
   * before follows. Rejected, the one before goes on. After `lastWords` every request is rejected.
   */
  request(message: unknown, events: SubscriptionEvents): { readonly message: Message; readonly isAccepted: boolean } {
    const { current } = this;
    // What is owed is being handed over, and no further subscription would be served after that (R8a).
    if (this.isEnding) return { message: rejectionOfFault(ending()), isAccepted: false };
    const isReplacing = current?.engine.isClosed() === false;
    let own: OpenSubscription | undefined;
    // An end that was found out before it was taken over is no end of the stream.
    const terminated = (reason: EndReason): void => {
      if (own === undefined || own === this.current) events.terminated(reason);
    };
    const outcome = createSubscriptionDesk(this.services).request(message, { ...events, terminated, isReplacing });
    if (outcome.kind === "rejected") return { message: outcome.message, isAccepted: false };
    own = outcome.open;
    this.current = own;
    if (this.isBlocked) own.engine.setBlocked(true);
    // Only now: there is always somebody whom the questions are put to (R7).
    current?.engine.close();
    events.wake();
    return { message: outcome.message, isAccepted: true };
  }

  take(only?: "critical"): ReturnType<DeliverySource["take"]> {
    return this.current?.engine.take(only) ?? IDLE;
  }

  setBlocked(blocked: boolean): void {
    this.isBlocked = blocked;
    this.current?.engine.setBlocked(blocked);
  }

  checkpoint(isDue: boolean): ReturnType<DeliverySource["checkpoint"]> {
    return this.current?.engine.checkpoint(isDue);
  }

  wantsCheckpoints(): boolean {
    return this.current?.engine.wantsCheckpoints() === true;
  }

  /** What its peer is still owed and told when this side ends the conversation, whether it had a subscription or not yet (R8a, R22). */
  lastWords(reason: EndReason): LastWords<unknown> {
    const { current } = this;
    this.isEnding = true;
    if (current !== undefined)
      return { pendingDeliveries: current.pendingDeliveries(reason), messages: () => [current.closing(reason)] };
    const [code, sentence] =
      reason === "handshake_timeout"
        ? (["timed_out", "No subscription.request came in time; connect again."] as const)
        : (["shutting_down", "The daemon is stopping."] as const);
    return { pendingDeliveries: NOTHING_PENDING, messages: () => [errorMessage(new Fault(code, sentence))] };
  }
}

function ending(): Fault {
  return new Fault("shutting_down", "This connection is about to end; ask again on another one.", { rule: "R8a" });
}
