// A2E on a connection: a provider that registers, or the session of an agent, with its handshake, its requests and its end. For the agent the daemon
// is the host (R23, A2E companion).

import { type Fault, publicFault } from "../../../base/errors.js";
import { foreignProtocol } from "../../../base/foreign-protocol.js";
import { idIn } from "../../../base/json-members.js";
import { isObject } from "../../../base/members.js";
import type { Millis } from "../../../contracts/clock.js";
import type { ExchangeHost, ExchangeProtocol, ExchangeSession } from "../../../contracts/exchange.js";
import type { EndReason } from "../../../contracts/protocol.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import {
  type CapabilityName,
  capabilityOf,
  isAvailable,
  isCapability,
  type ServedCapability,
} from "../messages/capabilities.js";
import { codeOfFrame, type ErrorCode, type ErrorDetail, errorFields } from "../messages/error-codes.js";
import { isA2eType, REGISTER } from "../messages/first-types.js";
import { type A2eMessage, isId, schemaFault, versionIn } from "../messages/message.js";
import { Mirror } from "../mirror/mirror.js";
import { type A2eServices, isAuthorized } from "../providers/a2e-services.js";
import { PeerProvider } from "../providers/peer-provider.js";
import type { Held, Offer, Router } from "../providers/router.js";
import { OpenSession } from "./open-session.js";

/** Time to drain if a `shutdown` names none, s. */
const DRAIN_SECONDS = 10;

/** The code of JSON-RPC. */
const METHOD_NOT_FOUND = -32601;

/** Types that hosts send, and agents do not. */
const FROM_HOSTS = new Set(["handshake/resp", "pong", "error", "invoke/event", "tool/event"]);

/** The protocol of a peer whose first message is one of A2E. */
export function createA2eProtocol(services: A2eServices): ExchangeProtocol {
  return {
    recognizes: ({ members }) => isA2eType(members.type),
    open: (peer, host) => openSession(services, peer, host),
  };
}

/** The first message decides whether the peer is an agent or a provider. A ping and a broken message leave it open. */
function openSession(services: A2eServices, peer: PeerIdentity, host: ExchangeHost): ExchangeSession {
  let session = createAgentSession(services, peer, host);
  let isDecided = false;
  return {
    receive: (message, text) => {
      const type = isObject(message) ? message.type : undefined;
      if (!isDecided && typeof type === "string" && type !== "ping") {
        isDecided = true;
        if (type === REGISTER) session = new PeerProvider(services, peer, host);
      }
      session.receive(message, text);
    },
    refuse: (fault, text) => session.refuse(fault, text),
    isReadAlways: () => session.isReadAlways(),
    passesOn: () => session.passesOn(),
    room: () => session.room(),
    isOpen: () => session.isOpen(),
    inputEnded: () => session.inputEnded(),
    finish: (reason, until) => session.finish(reason, until),
    ended: () => session.ended(),
  };
}

function createAgentSession(services: A2eServices, peer: PeerIdentity, host: ExchangeHost): ExchangeSession {
  const { router, maker, clock, log, options } = services;
  const access = services.access.of(peer);
  const startedAt = clock.now();
  let session: OpenSession | undefined;
  /** Set from the shutdown on: no further request is taken. */
  let isDraining = false;
  /** Whether the agent itself ends the session. */
  let isOrderly = false;
  let isOver = false;
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
    const mirror = new Mirror({
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
    const may = (operation: "publish" | "ask"): boolean => access.may(operation, mirror.sessionId);
    return new OpenSession({ sessionId, capabilities, mirror, send: host.send, fail, may }, services);
  };

  const handshake = (message: A2eMessage, requestId: string): void => {
    if (isDraining) {
      fail("runtime_error", SHUTTING_DOWN, requestId);
      return;
    }
    if (session !== undefined) {
      fail("invalid_message", "The handshake is done; a session has one.", requestId);
      return;
    }
    const sentence = schemaFault("handshake/req", message);
    if (sentence !== undefined) {
      fail("schema_violation", sentence, requestId);
      return;
    }
    // An agent whose capabilities are all there waits for no other provider.
    const ready = isAllServed(message.agent_caps, router) ? undefined : services.providersReady();
    if (ready === undefined) {
      decide(message, requestId);
      return;
    }
    // An agent that starts the daemon speaks before the daemon's own child is ready.
    starting = ready.then(() => {
      starting = undefined;
      if (!isOver && !isDraining) decide(message, requestId);
    });
  };

  const decide = (message: A2eMessage, requestId: string): void => {
    const outcome = access.may("publish") ? negotiate(message, peer, services) : AUTH_FAILED;
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

  const finishDrain = (): void => {
    leave(isOrderly);
    for (const tell of drained.splice(0)) tell();
    host.close();
  };

  const leave = (inOrder: boolean): void => {
    const over = session;
    if (over === undefined) return;
    session = undefined;
    over.close(inOrder);
    services.agents.delete(over);
  };

  /** Takes no further request, and ends when those under way have, at `until` at the latest. */
  const drain = (until: Millis): void => {
    isDraining = true;
    if (session === undefined) finishDrain();
    else session.drain(until, finishDrain);
  };

  const shutdown = (message: A2eMessage, requestId: string): void => {
    const sentence = schemaFault("shutdown", message);
    if (sentence !== undefined) {
      fail("schema_violation", sentence, requestId);
      return;
    }
    isOrderly = true;
    drain(clock.now() + (typeof message.timeout === "number" ? message.timeout : DRAIN_SECONDS) * 1000);
  };

  const receive = (message: unknown, text: string): void => {
    if (isOver) return;
    if (!isObject(message) || typeof message.type !== "string") {
      const { id, method, params } = isObject(message) ? message : {};
      const foreign = foreignProtocol(method, params);
      // A peer of another protocol does not read A2E.
      if (foreign === undefined) fail("invalid_message", "Send objects with a `type`.", id);
      else
        host.send(
          JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code: METHOD_NOT_FOUND, message: foreign } }),
        );
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
      shutdown(message, id);
    } else if (session === undefined) {
      fail("unauthorized", "Send a handshake/req first.", id);
    } else if (!isA2eType(type) || type === REGISTER) {
      fail("invalid_message", "An A2E agent sends requests such as tool/call/req, ping and shutdown.", id);
    } else if (FROM_HOSTS.has(type) || type.endsWith("/resp")) {
      fail("invalid_message", `A host sends ${type}, and an agent does not.`, id);
    } else if (isDraining) {
      fail("runtime_error", SHUTTING_DOWN, id, { capability: capabilityOf(type) });
    } else session.take(message, text, id, type);
  };

  return {
    receive,
    refuse: (fault: Fault, text) => {
      if (!isOver) fail(codeOfFrame(fault), fault.sentence, idIn(text));
    },
    isReadAlways: () => false,
    passesOn: () => false,
    room: () => starting,
    isOpen: () => session !== undefined,
    inputEnded: () => {
      isOrderly = true;
      // The agent may be gone altogether, and nothing that cannot be undone is done for nobody.
      session?.endHeld("The agent's input has ended, so the call was not made.");
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
      leave(false);
      for (const tell of drained.splice(0)) tell();
    },
  };
}

const SHUTTING_DOWN = "The session is shutting down. Begin another on a new connection.";
const AUTH_FAILED = { kind: "rejected", reason: "auth_failed" } as const;

type RejectionReason = "auth_failed" | "version_mismatch" | "no_caps" | "server_error";

type Negotiated =
  | { readonly kind: "rejected"; readonly reason: RejectionReason }
  | {
      readonly kind: "accepted";
      readonly capabilities: readonly CapabilityName[];
      readonly accepted: readonly object[];
    };

/** Decides about a `handshake/req` of the right form. */
function negotiate(request: A2eMessage, peer: PeerIdentity, { router, options }: A2eServices): Negotiated {
  if (versionIn(request) !== "spoken") return { kind: "rejected", reason: "version_mismatch" };
  if (!isAuthorized(request.auth_token, peer, options)) return { kind: "rejected", reason: "auth_failed" };
  const asked = new Set(request.agent_caps as readonly string[]);
  const held: Held[] = [];
  for (const name of asked) {
    const holder = isCapability(name) && isAvailable(name) ? router.holderOf(name) : undefined;
    if (holder !== undefined) held.push(holder);
  }
  if (held.length === 0) return { kind: "rejected", reason: "no_caps" };
  return {
    kind: "accepted",
    capabilities: held.map(({ served }) => served.name),
    accepted: held.map(({ provider, served }) => ({
      capability: served.name,
      enabled: true,
      metadata: metadataOf(provider.offer, served),
    })),
  };
}

/** Whether some provider serves each of the capabilities that could be served. */
function isAllServed(asked: unknown, router: Router): boolean {
  const names = Array.isArray(asked) ? asked.filter((name) => isCapability(name) && isAvailable(name)) : [];
  return names.length > 0 && names.every((name) => router.holderOf(name) !== undefined);
}

/** The provider's own metadata, with the members that every host gives. */
function metadataOf({ name, kind, priority }: Offer, { metadata }: ServedCapability): object {
  return { name, type: kind, priority, exclusive: false, ...metadata };
}
