// A peer that registers as a provider: for it the daemon is the agent of all agents.
import type { Fault } from "../../../base/errors.js";
import { within } from "../../../base/time-limit.js";
import type { ExchangeHost, ExchangeSession } from "../../../contracts/exchange.js";
import type { PeerIdentity } from "../../../contracts/transport.js";
import type { A2eServices } from "../host/a2e-services.js";
import { isAuthorized } from "../host/authorization.js";
import { type CapabilityName, isAvailable } from "../messages/capabilities.js";
import { codeOfFrame, type ErrorCode, errorFields } from "../messages/error-codes.js";
import { idIn, requestIdIn } from "../messages/id-in-text.js";
import { type A2eMessage, isId, isMessage, versionIn } from "../messages/message.js";
import { schemaFault } from "../messages/validate.js";
import { createForwarding, type Forwarding } from "../providers/forwarding.js";
import type { Provider } from "../providers/provider.js";

const GONE = "The provider has gone. Try again later.";

/** Requests that a peer takes at a time if it does not say how many. */
const MOST_REQUESTS = 256;

export function createPeerProvider(services: A2eServices, peer: PeerIdentity, host: ExchangeHost): ExchangeSession {
  const { router, maker, options } = services;
  const access = services.access.of(peer);
  const startedAt = services.clock.now();
  let forwarding: Forwarding | undefined;
  let registered: Provider | undefined;
  let maxParallel = MOST_REQUESTS;
  let remove = (): void => {};
  let isOver = false;

  /** A provider that takes nothing while it goes on asking gets no answer any more, so that what waits for it stays bounded. */
  const say = (type: string, fields: A2eMessage): void => void host.send(maker.make(type, fields));
  const fail = (code: ErrorCode, sentence: string, requestId: unknown): void =>
    say("error", errorFields(code, sentence, isId(requestId) ? requestId : undefined));

  const leave = (): void => {
    remove();
    remove = () => {};
    forwarding?.ended(GONE);
    forwarding = undefined;
  };

  const register = (message: A2eMessage, requestId: string): void => {
    const sentence = schemaFault("aaepd.a2e.register", message);
    if (sentence !== undefined) {
      fail("schema_violation", sentence, requestId);
      return;
    }
    if (!access.may("provide") || !isAuthorized(message.auth_token, peer, options)) {
      fail("unauthorized", "Register with the `auth_token` of the daemon's configuration.", requestId);
      return;
    }
    const names = [...new Set(message.capabilities as readonly CapabilityName[])].filter(isAvailable);
    if (names.length === 0) {
      fail("invalid_message", "Register at least one capability. multi_agent is never available.", requestId);
      return;
    }
    // A second registration replaces the first. Requests under way stay.
    remove();
    const name = typeof message.name === "string" ? message.name : peer.label;
    maxParallel = typeof message.max_parallel === "number" ? message.max_parallel : MOST_REQUESTS;
    forwarding ??= createForwarding({
      send: host.send,
      newId: maker.newId,
      maxParallel: () => maxParallel,
      announced: (text) => {
        if (registered !== undefined) router.announce(registered, text);
      },
      clock: services.clock,
    });
    registered = {
      name,
      kind: "peer",
      priority: typeof message.priority === "number" ? message.priority : 0,
      capabilities: names.map((one) => ({ name: one, metadata: {} })),
      request: forwarding.request,
      passOn: forwarding.passOn,
      requestCount: forwarding.count,
    };
    remove = router.add(registered);
    say("aaepd.a2e.registered", { req_id: requestId, name, capabilities: names });
  };

  const receive = (message: unknown, text: string): void => {
    if (isOver) return;
    if (!isMessage(message) || typeof message.type !== "string") {
      fail("invalid_message", "Send objects with a `type`.", isMessage(message) ? message.id : undefined);
      return;
    }
    const { type, id } = message;
    if (type === "aaepd.a2e.register") {
      if (isId(id)) register(message, id);
      else fail("invalid_message", "Give each message an `id` of 1 to 256 characters.", undefined);
    } else if (versionIn(message) === "other") {
      fail("version_mismatch", "This daemon speaks A2E 1.", id);
    } else if (type === "ping") {
      say("pong", { ...(isId(id) ? { req_id: id } : {}), uptime_seconds: (services.clock.now() - startedAt) / 1000 });
    } else if (type === "shutdown") {
      leave();
      host.close();
    } else if (forwarding === undefined) {
      fail("unauthorized", "Send aaepd.a2e.register first.", id);
    } else if (type.endsWith("/req")) {
      fail("invalid_message", `A provider answers requests; ${type} is one.`, id);
    } else forwarding.receive(message, text);
  };

  return {
    receive,
    refuse: (fault: Fault, text) => {
      if (isOver) return;
      fail(codeOfFrame(fault), fault.sentence, idIn(text));
      const requestId = requestIdIn(text);
      if (requestId !== undefined) forwarding?.unreadable(requestId);
    },
    isReadAlways: () => true,
    passesOn: () => true,
    room: () => undefined,
    isOpen: () => forwarding !== undefined,
    inputEnded: () => {
      leave();
      host.close();
    },
    finish: async (reason, until) => {
      if (reason === "handshake_timeout") services.engine.refused(reason);
      else if (forwarding !== undefined) {
        // The agents end first, because the provider still has their requests.
        await within(until, services.agents.allLeft(), services.clock);
        if (!isOver) say("shutdown", { timeout: 0 });
      }
      leave();
    },
    ended: () => {
      isOver = true;
      leave();
    },
  };
}
