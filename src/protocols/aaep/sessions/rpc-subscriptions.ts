// The subscriptions of one connection of JSON-RPC, any number of them (AAEP app. B, R23, R33).
import { Fault } from "../../../base/errors.js";
import { membersOf } from "../../../base/members.js";
import type { CallHost, CallStream } from "../../../contracts/call-protocol.js";
import type { Millis } from "../../../contracts/clock.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { RpcCall } from "../../../contracts/rpc.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { Message } from "../json/message.js";
import type { SubscriberCall } from "../subscriber/subscriber-calls.js";
import {
  refuseStrayReply,
  type SubscriptionEvents,
  SubscriptionHandler,
  type SubscriptionHandlerServices,
} from "../subscriber/subscription-handler.js";

interface Held {
  readonly handler: SubscriptionHandler;
  readonly stream: CallStream;
  /** Members beside method and params of each event. Undefined for the only subscription of a connection, whose bytes are shared with all others. */
  members: Readonly<Record<string, string>> | undefined;
}

export class RpcSubscriptions {
  private readonly services: SubscriptionHandlerServices;
  private readonly host: CallHost;
  private readonly connection: Pick<SubscriptionEvents, "access" | "connection"> & { readonly peer: PeerIdentity };
  private readonly held = new Map<string, Held>();
  /** Ended subscriptions whose pending deliveries are being handed over. */
  private readonly leaving = new Map<string, Held>();

  constructor(services: SubscriptionHandlerServices, host: CallHost, connection: RpcSubscriptions["connection"]) {
    this.services = services;
    this.host = host;
    this.connection = connection;
  }

  /** Answers a request with an acceptance or a rejection. */
  subscribe(params: unknown): Message {
    const stream = this.host.openStream(
      (batch) => this.host.notifyBatch("aaep.event", batch, this.membersOf(handler.id), "aaepd.checkpoint"),
      (reason) => void this.terminate(handler.id, reason),
    );
    const tell = ({ type, ...params }: Message) =>
      void this.host.notify(String(type), { ...params, ...this.membersOf(handler.id) });
    const handler = new SubscriptionHandler(this.services, { ...this.connection, stream, tell });
    const outcome = handler.request(params);
    if (outcome.kind === "rejected") return outcome.message;
    this.held.set(handler.id, { handler, stream, members: undefined });
    // From the second subscription on, each event names its subscription. Earlier events went out while the first was alone.
    if (this.held.size > 1)
      for (const each of this.held.values()) each.members ??= { subscription_id: each.handler.id };
    return outcome.message;
  }

  /** Carries out a call of the list on the subscription that the params name. Returns the answer; undefined: there is none, and it is safe. */
  take({ type, take }: SubscriberCall, params: unknown): Message | Promise<void> | undefined {
    const handler = this.named(params);
    // The params of the daemon's own messages have no `type`, because the method gives it.
    return take(handler, type.startsWith("aaepd.") ? { ...(params as object), type } : params);
  }

  /** Closes the meant subscription; other mistakes in the message do not matter (R33). */
  close(params: unknown): Message {
    const closed = this.closeMeant([membersOf(params).subscription_id]);
    if (closed === undefined) throw this.unnamed();
    return closed;
  }

  /**
   * Closes the subscription that a close clearly means: the only one of this connection among the named ids, or the only one if none is named (R33).
   * Undefined if none is clear.
   */
  closeMeant(ids: readonly unknown[]): Message | undefined {
    const isOnly = this.held.size === 1;
    const named = ids.find((id): id is string => typeof id === "string" && this.held.has(id));
    if (
      named === undefined
        ? !isOnly || ids.some((id) => typeof id === "string")
        : !isOnly && ids.some((id) => id !== named)
    )
      return undefined;
    const handler = named === undefined ? this.only() : this.held.get(named)?.handler;
    if (handler === undefined) return undefined;
    handler.close();
    this.end(handler.id);
    return {};
  }

  /** Returns whether the reply counted, never the reason why not, not even that the subscription is another's (R19). */
  reply({ params, text }: Pick<RpcCall, "params" | "text">): boolean | Promise<boolean> {
    const handler = this.replier(membersOf(params).subscription_id);
    if (handler !== undefined) return handler.safeReply(params, text);
    refuseStrayReply(this.services.engine, params, text);
    return false;
  }

  /** Records a reply that is no message. */
  refuseReply(id: unknown, token: string, text: string): void {
    const handler = this.replier(id);
    if (handler !== undefined) handler.refuseReply(token, text);
    else this.services.engine.strayReply("malformed", token, { text });
  }

  /** The place that a subscription has reached, behind all events that the place covers (R17). */
  ping(params: unknown): Message {
    if (membersOf(params).subscription_id === undefined && this.held.size !== 1) return {};
    return { cursor: this.named(params).subscription?.cursor() };
  }

  endAll(reason: EndReason | undefined): void {
    for (const id of [...this.held.keys()]) this.end(id)?.handler.subscription?.close(reason);
    for (const { handler, stream } of this.leaving.values()) {
      handler.subscription?.close(reason);
      stream.stop();
    }
  }

  /** As `CallSession.finish`. */
  async finish(reason: EndReason, until: Millis | undefined): Promise<number> {
    const leftCounts = await Promise.all([...this.held.keys()].map((id) => this.terminate(id, reason, until)));
    return leftCounts.reduce((sum, count) => sum + count, 0);
  }

  private membersOf(id: string): Held["members"] {
    return (this.held.get(id) ?? this.leaving.get(id))?.members;
  }

  private end(id: string): Held | undefined {
    const one = this.held.get(id);
    this.held.delete(id);
    one?.stream.stop();
    return one;
  }

  private async terminate(id: string, reason: EndReason, until?: Millis): Promise<number> {
    const one = this.held.get(id);
    if (one === undefined) return 0;
    const { handler, stream } = one;
    this.held.delete(id);
    this.leaving.set(id, one);
    const leftCount = await stream.handOver(handler.pendingDeliveries(reason), until);
    this.leaving.delete(id);
    // The peer may have ended the subscription meanwhile.
    const { subscription } = handler;
    if (subscription === undefined || subscription.isClosed()) return 0;
    const closing = handler.closing(reason);
    subscription.close(reason);
    this.host.notify("aaep.close", closing);
    return leftCount;
  }

  private only(): SubscriptionHandler | undefined {
    const [first] = this.held.values();
    return this.held.size === 1 ? first?.handler : undefined;
  }

  /** Returns the subscription that the params name; without a name, the only one. */
  private named(params: unknown): SubscriptionHandler {
    const { subscription_id: id } = membersOf(params);
    const handler =
      (id === undefined ? this.only() : undefined) ?? this.held.get(typeof id === "string" ? id : "")?.handler;
    if (handler === undefined) throw this.unnamed();
    return handler;
  }

  /** Returns the subscription that handles a reply. For an unknown id that is any of the connection's, which refuses the reply in the log. */
  private replier(id: unknown): SubscriptionHandler | undefined {
    const [first] = this.held.values();
    return (typeof id === "string" ? (this.held.get(id) ?? first) : first)?.handler;
  }

  private unnamed(): Fault {
    if (this.held.size === 0)
      return new Fault("handshake_required", "Call aaep.subscribe first.", { pointer: "", rule: "AAEP §5.1" });
    const sentence = "Name one of this connection's subscriptions in subscription_id.";
    return new Fault("unknown_subscription", sentence, { pointer: "/subscription_id", rule: "R19" });
  }
}
