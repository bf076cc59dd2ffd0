// The session of one A2E agent: handshake, requests, their answers, and the end. For the agent the daemon is the host (A2E companion).
import { type Fault, publicFault } from "../../../base/errors.js";
import type { Millis } from "../../../contracts/clock.js";
import type { ExchangeHost, ExchangeSession } from "../../../contracts/exchange.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import { type A2eServices, MOST_WAITING_REQUESTS, MOST_WAITING_UNITS } from "../host/a2e-services.js";
import { type CapabilityName, capabilityOf } from "../messages/capabilities.js";
import { codeOfFrame, type ErrorCode, type ErrorDetail, errorFields } from "../messages/error-codes.js";
import { isA2eType, REGISTER } from "../messages/first-types.js";
import { type A2eMessage, isId, isMessage, versionIn } from "../messages/message.js";
import { schemaFault } from "../messages/validate.js";
import { createMirror, type Mirror } from "../mirror/mirror.js";
import type { Provider } from "../providers/provider.js";
import { negotiate, type RejectionReason } from "./handshake.js";
import { createParallelRequests, type ParallelRequests } from "./parallel-requests.js";
import { createRelayedRequest, type RelayedRequest } from "./relayed-request.js";

/** Time to drain if a `shutdown` names none, s. */
const DRAIN_SECONDS = 10;

/** Types that hosts send, and agents do not. */
const FROM_HOSTS = new Set(["handshake/resp", "pong", "error", "invoke/event", "tool/event"]);

interface OpenSession {
  readonly sessionId: string;
  readonly capabilities: readonly CapabilityName[];
  readonly mirror: Mirror;
  readonly requests: ParallelRequests<RelayedRequest>;
  /** Requests by the agent's id, begun or not. */
  readonly byId: Map<string, RelayedRequest>;
  readonly stopListening: () => void;
}

export function createAgentSession(services: A2eServices, peer: PeerIdentity, host: ExchangeHost): ExchangeSession {
  const { router, maker, clock, log, options } = services;
  const access = services.access.of(peer);
  const startedAt = clock.now();
  let session: OpenSession | undefined;
  /** Set from the shutdown on: no further request is taken. */
  let isDraining = false;
  /** Whether the agent itself ends the session. */
  let isOrderly = false;
  let isOver = false;
  let cancelDrain = (): void => {};
  /** A handshake waits for the providers. */
  let starting: Promise<void> | undefined;
  const drained: (() => void)[] = [];

  const say = (type: string, fields: A2eMessage): void => void host.send(maker.make(type, fields), true);
  const fail = (code: ErrorCode, sentence: string, requestId?: unknown, detail?: ErrorDetail): void =>
    say("error", errorFields(code, sentence, isId(requestId) ? requestId : undefined, detail));

  const reject = (requestId: string, reason: RejectionReason): void =>
    say("handshake/resp", {
      req_id: requestId,
      session_id: "",
      accepted_caps: [],
      max_parallel: options.maxParallel(),
      ok: false,
      reason,
    });

  const begin = (agentId: string, capabilities: readonly CapabilityName[]): OpenSession => {
    const sessionId = maker.newId();
    const mirror = createMirror({
      agent: services.engine.openAgent(undefined, undefined, undefined),
      sessionId: `sess_${sessionId}`,
      agentId,
      texts: services.texts,
      shownArguments: options.shownArguments(),
      confirmationSeconds: options.confirmationSeconds(),
      unheard: (caught) =>
        log.warn({ err: caught, peer: peer.label }, "an event of an A2E agent could not be published"),
    });
    try {
      mirror.started(capabilities);
    } catch (caught) {
      mirror.close();
      throw caught;
    }
    return {
      sessionId,
      capabilities,
      mirror,
      requests: createParallelRequests({
        maxParallel: options.maxParallel(),
        maxWaitingCount: MOST_WAITING_REQUESTS,
        maxWaitingUnits: MOST_WAITING_UNITS,
      }),
      byId: new Map(),
      stopListening: router.listen({ announced: (provider, _, text) => passBack(provider, text) }),
    };
  };

  const handshake = (message: A2eMessage, requestId: string): void => {
    if (session !== undefined) {
      fail("invalid_message", "The handshake is done; a session has one.", requestId);
      return;
    }
    const sentence = schemaFault("handshake/req", message);
    if (sentence !== undefined) {
      fail("schema_violation", sentence, requestId);
      return;
    }
    const ready = services.providersReady();
    if (ready === undefined) {
      decide(message, requestId);
      return;
    }
    // An agent that starts the daemon speaks before the daemon's own child is ready.
    starting = ready.then(() => {
      starting = undefined;
      if (!isOver) decide(message, requestId);
    });
  };

  const decide = (message: A2eMessage, requestId: string): void => {
    const outcome = access.may("publish") ? negotiate(message, peer, router, options) : AUTH_FAILED;
    if (outcome.kind === "rejected") {
      reject(requestId, outcome.reason);
      return;
    }
    try {
      session = begin(String(message.agent_id), outcome.capabilities);
    } catch (caught) {
      log.error({ err: publicFault(caught, log), peer: peer.label }, "the session of an A2E agent could not begin");
      reject(requestId, "server_error");
      return;
    }
    services.agents.add(session);
    say("handshake/resp", {
      req_id: requestId,
      session_id: session.sessionId,
      accepted_caps: outcome.accepted,
      max_parallel: options.maxParallel(),
      ok: true,
    });
  };

  /** A message that a provider sends to no request. It is for the agents that may use the provider. */
  const passBack = (provider: Provider, text: string): void => {
    const isUser = session?.capabilities.some((name) => router.holderOf(name)?.provider === provider) === true;
    if (isUser) host.send(text);
  };

  /** The provider of a type: that of its capability, or, for a type that A2E does not name, that of the session's first capability. */
  const providerOf = (capability: CapabilityName | undefined, { capabilities }: OpenSession): Provider | undefined => {
    const name = capability ?? capabilities[0];
    return name === undefined ? undefined : router.holderOf(name)?.provider;
  };

  const ended = (request: RelayedRequest, of: OpenSession): void => {
    of.byId.delete(request.id);
    of.requests.ended(request);
    if (isDraining && of.requests.isIdle()) finishDrain();
  };

  const request = (message: A2eMessage, text: string, requestId: string, type: string, of: OpenSession): void => {
    const capability = capabilityOf(type);
    if (capability !== undefined && !of.capabilities.includes(capability)) {
      const sentence = `The handshake did not grant ${capability}, which ${type} needs.`;
      fail("invalid_message", sentence, requestId, { capability });
      return;
    }
    const sentence = schemaFault(type, message);
    if (sentence !== undefined) {
      fail("schema_violation", sentence, requestId, { capability });
      return;
    }
    if (!type.endsWith("/req")) {
      providerOf(capability, of)?.passOn(text);
      return;
    }
    if (!access.may("publish", of.mirror.sessionId)) {
      fail("unauthorized", "This connection may not make requests any more.", requestId, { capability });
      return;
    }
    if (of.byId.has(requestId)) {
      fail("invalid_message", "A request with this id is under way. Give each request an id of its own.", requestId);
      return;
    }
    const relayed = createRelayedRequest(
      { message, text, id: requestId, type, capability },
      {
        clock,
        mirror: of.mirror,
        newCallId: () => `call_${maker.newId()}`,
        provider: () => providerOf(capability, of),
        isIrreversible: (tool) => options.irreversibleTools().has(tool),
        mayAsk: () => access.may("ask", of.mirror.sessionId),
        requestTimeoutMs: options.requestTimeoutMs(),
        send: host.send,
        fail: (code, why, detail) => fail(code, why, requestId, { capability, ...detail }),
        ended: (one) => ended(one, of),
      },
    );
    of.byId.set(requestId, relayed);
    if (of.requests.add(relayed)) return;
    of.byId.delete(requestId);
    fail("runtime_error", "Too many requests wait already. Send this one again later.", requestId, { capability });
  };

  const finishDrain = (): void => {
    cancelDrain();
    const over = session;
    session = undefined;
    if (over !== undefined) {
      if (isOrderly) over.mirror.ended();
      leave(over);
    }
    for (const tell of drained.splice(0)) tell();
    host.close();
  };

  const leave = (over: OpenSession): void => {
    over.stopListening();
    services.agents.delete(over);
    over.mirror.close();
  };

  /** Takes no further request, and ends when those under way have, at `until` at the latest. */
  const drain = (until: Millis): void => {
    isDraining = true;
    if (session === undefined || session.requests.isIdle()) {
      finishDrain();
      return;
    }
    cancelDrain();
    cancelDrain = clock.wakeAt(until, () => {
      const of = session;
      if (of === undefined) return;
      for (const one of of.requests.dropWaiting())
        one.end("timeout", "The session shut down before this request began.");
      for (const one of of.requests.begun())
        one.end("timeout", "The session shut down before this request was answered.");
      if (session !== undefined) finishDrain();
    });
  };

  const receive = (message: unknown, text: string): void => {
    if (isOver) return;
    if (!isMessage(message) || typeof message.type !== "string") {
      fail("invalid_message", "Send objects with a `type`.", isMessage(message) ? message.id : undefined);
      return;
    }
    const { type, id } = message;
    if (!isId(id)) {
      fail("invalid_message", "Give each message an `id` of 1 to 256 characters.");
      return;
    }
    if (type === "handshake/req") {
      handshake(message, id);
      return;
    }
    const version = versionIn(message);
    if (version === "other") {
      fail("version_mismatch", "This host speaks A2E 1. Send `a2e` or `version` as in the handshake.", id);
    } else if (type === "ping") {
      say("pong", { req_id: id, uptime_seconds: (clock.now() - startedAt) / 1000 });
    } else if (type === "shutdown") {
      const sentence = schemaFault(type, message);
      isOrderly = sentence === undefined;
      if (sentence !== undefined) fail("schema_violation", sentence, id);
      else drain(clock.now() + (typeof message.timeout === "number" ? message.timeout : DRAIN_SECONDS) * 1000);
    } else if (session === undefined) {
      fail("unauthorized", "Send a handshake/req first.", id);
    } else if (!isA2eType(type) || type === REGISTER) {
      fail("invalid_message", "An A2E agent sends requests such as tool/call/req, ping and shutdown.", id);
    } else if (FROM_HOSTS.has(type) || type.endsWith("/resp")) {
      fail("invalid_message", `A host sends ${type}, and an agent does not.`, id);
    } else if (isDraining) {
      fail("runtime_error", "The session is shutting down. Begin another.", id, { capability: capabilityOf(type) });
    } else request(message, text, id, type, session);
  };

  return {
    receive,
    refuse: (fault: Fault, text) => {
      if (!isOver) fail(codeOfFrame(fault), fault.sentence, idIn(text));
    },
    room: () => starting ?? session?.mirror.room(),
    isOpen: () => session !== undefined,
    inputEnded: () => {
      isOrderly = true;
      drain(clock.now() + DRAIN_SECONDS * 1000);
    },
    finish: (reason: EndReason, until) => {
      if (reason === "handshake_timeout") services.engine.refused(reason);
      return new Promise((resolve) => {
        drained.push(resolve);
        drain(until);
      });
    },
    ended: () => {
      isOver = true;
      cancelDrain();
      const of = session;
      session = undefined;
      if (of !== undefined) {
        for (const one of of.requests.dropWaiting()) one.forget();
        for (const one of of.requests.begun()) one.forget();
        leave(of);
      }
      for (const tell of drained.splice(0)) tell();
    },
  };
}

const AUTH_FAILED = { kind: "rejected", reason: "auth_failed" } as const;

/** The id of a message that could be read in two ways, if it stands there once. */
function idIn(text: string | undefined): unknown {
  const [, id] = /"id"\s*:\s*"([^"\\]{1,256})"/.exec(text?.slice(0, 4096) ?? "") ?? [];
  return id;
}
