// AAEP in JSON-RPC 2.0: the agent's side, and the subscriber's with any number of subscriptions on one connection (AAEP app. B, R8, R23, R28, R33).
// This file knows method names and params; ids, error numbers and bytes belong to the transport.
import { Fault, publicFault } from "../../../base/errors.js";
import { didYouMean, foreignProtocol } from "../../../base/nearest.js";
import type { Millis } from "../../../contracts/clock.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { CallHost, CallProtocol, CallSession, RefusedCall, RpcCall, RpcHandlers } from "../../../contracts/rpc.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { DeliveryBatch } from "../../../engine/views/delivery.js";
import { receiptDocument, summaryDocument } from "../agent/agent-documents.js";
import { createAgentHandler } from "../agent/agent-handler.js";
import { isCostlyCall } from "../agent/costly-calls.js";
import { claimsOfCall } from "../json/claims.js";
import type { Message } from "../json/message.js";
import { sourceText } from "../json/source-text.js";
import { quoted } from "../subscriber/capabilities.js";
import { safeReply } from "../subscriber/safe-reply.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";
import { refuseStrayReply, SubscriptionHandler } from "../subscriber/subscription-handler.js";
import { RPC_METHODS, type RpcNotification, rpcMethodOf } from "./message-names.js";
import { createQuestionMethods, questionNotifications } from "./question-methods.js";
import { longForm, NEEDS_AN_ANSWER, unanswerable } from "./rpc-forms.js";
import type { RpcServices } from "./rpc-services.js";

interface Held {
  readonly handler: SubscriptionHandler;
  readonly stop: () => void;
  /** Members beside method and params of each event. Undefined for the only subscription of a connection, whose bytes are shared with all others. */
  members: Readonly<Record<string, string>> | undefined;
}

/** The protocol of a peer whose first message is JSON-RPC 2.0. */
export function createRpcProtocol(services: RpcServices): CallProtocol {
  return {
    recognizes: ({ kind, names }) => kind === "array" || names.has("jsonrpc"),
    open: (peer, host) => createRpcSession(services, peer, host),
  };
}

function createRpcSession(services: RpcServices, peer: PeerIdentity, host: CallHost): CallSession {
  const access = services.access.of(peer);
  const notify: (method: RpcNotification, params: object) => boolean = host.notify;
  const held = new Map<string, Held>();
  // Subscriptions whose pending deliveries are being handed over.
  const leaving = new Set<Held>();
  let isOpen = false;
  // Identifies the connection: a connection that asks a question does not answer it (R5).
  const connection = {};

  const agent = createAgentHandler({
    engine: services.engine,
    access,
    identity: services.agentIdentity,
    events: questionNotifications(notify),
    connection,
    processId: peer.processId,
    languages: services.languages,
    manifestDeclared: (manifest) => services.manifestDeclared(manifest, peer),
  });
  const questions = createQuestionMethods(agent);

  const publish = (call: RpcCall): PublishReceipt => {
    const { params } = call;
    if (typeof params !== "object" || params === null) {
      throw new Fault("invalid_params", "Publish one event, or an array of them.", { pointer: "", rule: "R33" });
    }
    const long = longForm(params);
    const published = long?.events ?? params;
    const isArray = Array.isArray(published);
    return agent.publish({
      events: isArray ? published : [published],
      isArray,
      resumeToken: long?.resumeToken,
      sources: () => sourceText({ text: call.text, outline: call.outline, isArray, isLong: long !== undefined }),
    });
  };

  const publishRequest = (call: RpcCall): Message | Promise<Message> => {
    const receipt = publish(call);
    return whenDurable(receiptDocument(receipt), receipt.durable);
  };

  const resumeSession = (params: unknown): Message | Promise<Message> => {
    // First, because no session is taken over while the journal cannot write.
    const durable = agent.whenDurable();
    return whenDurable(summaryDocument(agent.resumeSession(params), (params as Message).after), durable);
  };

  const end = (id: string): Held | undefined => {
    const one = held.get(id);
    held.delete(id);
    one?.stop();
    return one;
  };

  const deliver = (batch: DeliveryBatch, members: Held["members"]): boolean =>
    host.notifyBatch("aaep.event", batch, members, "aaepd.checkpoint");

  const subscribe = (params: unknown): Message => {
    const stream = host.openStream(
      (batch) => deliver(batch, held.get(handler.id)?.members),
      (reason) => void terminate(handler.id, reason),
    );
    const handler = new SubscriptionHandler(services, {
      stream,
      access,
      connection,
      peer,
      tell: ({ type, ...params }) => void host.notify(String(type), { ...params, ...held.get(handler.id)?.members }),
    });
    const outcome = handler.request(params);
    if (outcome.kind === "rejected") return outcome.message;
    held.set(handler.id, { handler, stop: () => stream.stop(), members: undefined });
    // From the second subscription on, each event names its subscription. Earlier events went out while the first was alone.
    if (held.size > 1) for (const each of held.values()) each.members ??= { subscription_id: each.handler.id };
    return outcome.message;
  };

  const terminate = async (id: string, reason: EndReason, until?: Millis): Promise<number> => {
    const one = end(id);
    if (one === undefined) return 0;
    const { handler, members } = one;
    leaving.add(one);
    let leftCount = 0;
    try {
      leftCount = await host.handOver(handler.pendingDeliveries(reason), (batch) => deliver(batch, members), until);
    } catch (caught) {
      services.log.error({ err: caught, subscription: handler.id }, "what a subscription was owed could not be made");
    }
    leaving.delete(one);
    // The peer may have ended the subscription meanwhile.
    const { subscription } = handler;
    if (subscription === undefined || subscription.isClosed()) return 0;
    const closing = handler.closing(reason);
    subscription.close(reason);
    notify("aaep.close", closing);
    return leftCount;
  };

  /** Returns the subscription that the params name; without a name, the only one. */
  const named = (params: unknown): SubscriptionHandler => {
    const id = isNamed(params) ? params.subscription_id : undefined;
    const [only] = held.values();
    const one = id === undefined && held.size === 1 ? only : held.get(typeof id === "string" ? id : "");
    if (one !== undefined) return one.handler;
    throw held.size === 0 ? unsubscribed() : unknownSubscription();
  };

  /** The daemon's own messages as params, without `type`, which the method gives. */
  const asMessage = (type: string, params: unknown): Message => ({ ...(params as object), type });

  const renegotiate = (params: unknown): Message => {
    const handler = named(params);
    const { message, ended } = handler.renegotiate(params);
    if (ended) end(handler.id);
    return message;
  };

  const setManifest = (params: unknown): Message => {
    agent.setManifest(params);
    return {};
  };

  /**
   * Returns the subscription that a close clearly means: the only one of this connection among the named ids, or the only one if none is named (R33).
   */
  const meant = (ids: readonly unknown[]): Held | undefined => {
    const [named, ...others] = new Set(ids.filter((id) => typeof id === "string" && held.has(id)));
    if (typeof named === "string" && (ids.every((id) => id === named) || held.size === 1))
      return others.length === 0 ? held.get(named) : undefined;
    const [only] = held.values();
    return held.size === 1 && !ids.some((id) => typeof id === "string") ? only : undefined;
  };

  const endMeant = ({ handler }: Held): Message => {
    handler.close();
    end(handler.id);
    return {};
  };

  /** Closes the meant subscription; other mistakes in the message do not matter (R33). */
  const close = (params: unknown): Message => {
    const one = meant(isNamed(params) ? [params.subscription_id] : []);
    if (one !== undefined) return endMeant(one);
    throw held.size === 0 ? unsubscribed() : unknownSubscription();
  };

  /** Returns the subscription that handles a reply. For an unknown id that is any of the connection's, which refuses the reply in the log. */
  const replier = (id: unknown): Held | undefined => {
    const [first] = held.values();
    return typeof id === "string" ? (held.get(id) ?? first) : first;
  };

  /** Returns whether the reply counted, never the reason why not, not even that the subscription is another's (R19). */
  const reply = ({ params, text }: RpcCall): boolean | Promise<boolean> => {
    const one = replier(isNamed(params) ? params.subscription_id : undefined);
    if (one !== undefined) return safeReply(one.handler, params, text);
    refuseStrayReply(services.engine, params, text);
    return false;
  };

  /** Answers a message that cannot be taken: a reply did not count, and a close closes if its subscription is clear. */
  const refused = ({ text, fault, isNotification }: RefusedCall): { readonly result: unknown } | undefined => {
    const { methods, subscriptionIds, replyToken } = claimsOfCall(text);
    const [method] = methods;
    if (methods.includes("aaep.reply")) {
      const one = replier(subscriptionIds[0]);
      if (one !== undefined) one.handler.refuseReply(replyToken, text);
      else services.engine.strayReply("malformed", replyToken, { text });
      return { result: { accepted: false } };
    }
    const isClose = method !== undefined && methods.every((one) => one === "aaep.close");
    const closed = isClose ? meant(subscriptionIds) : undefined;
    if (closed !== undefined) return { result: endMeant(closed) };
    if (methods.includes("aaep.publish")) services.engine.publishRefused(fault.code);
    if (!isNotification || typeof method !== "string") return undefined;
    // The error goes out as a notification of its own, because this message has no id for a result (R3).
    tellFault(fault, method);
    return { result: undefined };
  };

  /** Answers with the place that a subscription has reached, behind all events that the place covers (R17). */
  const ping = (params: unknown): Message => {
    const cursor = isNamed(params) || held.size === 1 ? named(params).subscription?.cursor() : undefined;
    return cursor === undefined ? {} : { cursor };
  };

  const listPending = (params: unknown): Message => named(params).listPending(params ?? {});

  const call = (name: string, params: unknown, whole: RpcCall): unknown => {
    switch (rpcMethodOf(name)) {
      case "aaep.publish":
        return publishRequest(whole);
      case "aaep.subscribe":
        return subscribe(params);
      case "aaep.renegotiate":
        return renegotiate(params);
      case "aaep.reply":
        return acceptance(reply(whole));
      case "aaep.close":
        return close(params);
      case "aaep.confirm":
        return questions.confirm(whole);
      case "aaep.clarify":
        return questions.clarify(whole);
      case "aaep.cancel":
        return questions.cancel(params);
      case "aaep.outcome_of":
        return questions.outcomeOf(params);
      case "aaep.manifest":
        return services.manifest();
      case "aaep.set_manifest":
        return setManifest(params);
      case "aaep.resume_session":
        return resumeSession(params);
      case "aaep.list_pending":
        return listPending(params);
      case "aaep.repeat":
        named(params).repeat(asMessage("aaepd.repeat", params));
        return {};
      case "aaep.skip":
        named(params).skip(asMessage("aaepd.skip", params));
        return {};
      case "aaepd.leave":
        return whenDurable({}, named(params).leave(asMessage("aaepd.leave", params)));
      case "aaepd.stop":
        named(params).stop(asMessage("aaepd.stop", params));
        return {};
      case "aaep.ping":
        return ping(params);
      case "aaepd.hook":
        return services.hook(params, access, { whenLeft, processId: peer.processId });
      case "aaepd.status":
        return services.status(params, access);
      case undefined:
        throw unknownMethod(name, params);
    }
  };

  const tellFault = (caught: unknown, method: string): void => {
    const { type: _, ...error } = errorMessage(publicFault(caught, services.log), method);
    notify("aaep.error", error);
  };

  const handlers: RpcHandlers = {
    request: (whole) => {
      isOpen = true;
      return call(whole.method, whole.params, whole);
    },
    notification: (whole) => {
      isOpen = true;
      try {
        // Nobody waits for the answer, so the durability is not awaited either.
        if (whole.method === "aaep.publish") publish(whole);
        else if (NEEDS_AN_ANSWER.has(whole.method)) throw unanswerable(whole.method);
        else {
          const result = call(whole.method, whole.params, whole);
          if (result instanceof Promise) result.catch((caught) => tellFault(caught, whole.method));
        }
      } catch (caught) {
        tellFault(caught, whole.method);
      }
    },
    refused,
    isCostly: isCostlyCall,
  };

  const waiting = new Set<() => void>();
  const whenLeft = (run: () => void): (() => void) => {
    waiting.add(run);
    return () => waiting.delete(run);
  };
  const left = (): void => {
    for (const run of [...waiting]) run();
    agent.close();
  };

  const endSubscriptions = (reason: EndReason | undefined): void => {
    for (const id of [...held.keys()]) end(id)?.handler.subscription?.close(reason);
    for (const { handler } of leaving) handler.subscription?.close(reason);
  };

  return {
    handlers,
    isOpen: () => isOpen,
    agentEnded: left,
    ended: (reason) => {
      // In this order: an agent without sessions would make its own subscriptions able to answer, until each of them is gone as well (R5, R7).
      endSubscriptions(reason);
      left();
      if (reason === "handshake_timeout") services.engine.refused(reason);
    },
    finish: async (reason, until) => {
      const leftCounts = await Promise.all([...held.keys()].map((id) => terminate(id, reason, until)));
      return leftCounts.reduce((sum, count) => sum + count, 0);
    },
  };
}

function unknownMethod(name: string, params: unknown): Fault {
  const foreign = foreignProtocol(name, params);
  if (foreign !== undefined) return new Fault("unknown_method", foreign, { rule: "AAEP app. B" });
  const near = didYouMean(name, RPC_METHODS);
  return new Fault("unknown_method", `There is no method ${quoted(name)}. ${near}`.trim(), { rule: "AAEP app. B" });
}

function isNamed(params: unknown): params is { readonly subscription_id: unknown } {
  return typeof params === "object" && params !== null && "subscription_id" in params;
}

function unsubscribed(): Fault {
  return new Fault("handshake_required", "Call aaep.subscribe first.", { pointer: "", rule: "AAEP §5.1" });
}

function unknownSubscription(): Fault {
  return new Fault("unknown_subscription", "Name one of this connection's subscriptions in subscription_id.", {
    pointer: "/subscription_id",
    rule: "R19",
  });
}

function acceptance(counts: boolean | Promise<boolean>): Message | Promise<Message> {
  return typeof counts === "boolean" ? { accepted: counts } : counts.then((accepted) => ({ accepted }));
}

/** Acknowledged events are durable (R29). */
function whenDurable(message: Message, durable: Promise<void> | undefined): Message | Promise<Message> {
  return durable === undefined ? message : durable.then(() => message);
}
