// A session after its handshake: the requests of its agent, and their end.
import type { Millis } from "../../../contracts/clock.js";
import type { ExchangeHost } from "../../../contracts/exchange.js";
import { type A2eServices, MOST_WAITING_REQUESTS, MOST_WAITING_UNITS } from "../host/a2e-services.js";
import { type CapabilityName, capabilityOf } from "../messages/capabilities.js";
import type { ErrorCode, ErrorDetail } from "../messages/error-codes.js";
import type { A2eMessage } from "../messages/message.js";
import { namedTools } from "../messages/named-tools.js";
import { schemaFault } from "../messages/validate.js";
import type { Mirror } from "../mirror/mirror.js";
import type { Provider } from "../providers/provider.js";
import { announceMessage } from "./announce-message.js";
import { createParallelRequests } from "./parallel-requests.js";
import { createRelayedRequest, type RelayedRequest } from "./relayed-request.js";

/** An agent without a request under way for so long is told to be idle. Until then it may only be between two calls. */
const REST_AFTER_MS: Millis = 1000;

export interface OpenSessionOptions {
  readonly sessionId: string;
  readonly capabilities: readonly CapabilityName[];
  readonly mirror: Mirror;
  readonly send: ExchangeHost["send"];
  readonly fail: (code: ErrorCode, sentence: string, requestId?: unknown, detail?: ErrorDetail) => void;
  /** Whether the agent may do this now (R36). */
  readonly may: (operation: "publish" | "ask") => boolean;
}

export interface OpenSession {
  readonly sessionId: string;
  /** Takes a message of the agent for a provider. */
  readonly take: (message: A2eMessage, text: string, requestId: string, type: string) => void;
  /** Calls `done` when no request is left. At `until` each that is left is answered by timeout. A later call replaces the time limit. */
  readonly drain: (until: Millis, done: () => void) => void;
  /** Ends the requests that still wait for a person, and lets no other wait. */
  readonly endHeld: (sentence: string) => void;
  /** Ends the session. `isOrderly`: the agent or the daemon ended it, and the connection did not break. */
  readonly close: (isOrderly: boolean) => void;
}

export function createOpenSession(options: OpenSessionOptions, services: A2eServices): OpenSession {
  const { sessionId, capabilities, mirror, send, fail, may } = options;
  const { router, maker, clock, engine, options: choices } = services;
  /** Requests by the agent's id, begun or not. */
  const byId = new Map<string, RelayedRequest>();
  const requests = createParallelRequests<RelayedRequest>({
    maxParallel: choices.maxParallel(),
    maxWaitingCount: MOST_WAITING_REQUESTS,
    maxWaitingUnits: MOST_WAITING_UNITS,
  });
  const room = services.room.open();
  let cancelDrain = (): void => {};
  let tellDrained: (() => void) | undefined;
  let cancelRest = (): void => {};
  let whyNotHeld: string | undefined;

  /** A message that a provider sends to no request. It is for the agents that may use the provider. */
  const stopListening = router.listen({
    announced: (provider, text) => {
      if (capabilities.some((name) => router.holderOf(name)?.provider === provider)) send(text);
    },
  });

  /** The provider of a type: that of its capability, or, for a type that A2E does not name, that of the session's first capability. */
  const providerOf = (capability: CapabilityName | undefined): Provider | undefined => {
    const name = capability ?? capabilities[0];
    return name === undefined ? undefined : router.holderOf(name)?.provider;
  };

  const ended = (request: RelayedRequest): void => {
    if (byId.delete(request.id)) room.leave(request.units);
    requests.ended(request);
    if (!requests.isIdle()) return;
    cancelRest();
    cancelRest = clock.wakeAt(clock.now() + REST_AFTER_MS, mirror.rested);
    drained();
  };

  const drained = (): void => {
    cancelDrain();
    const tell = tellDrained;
    tellDrained = undefined;
    tell?.();
  };

  /** Whether a host could take the message for a call that nobody would be asked about: of another type, or by another member. */
  const isUnaskedCall = (type: string, message: A2eMessage): boolean => {
    const isCall = type === "tool/call/req";
    if (isCall && choices.isIrreversible(message.tool_name)) return false;
    for (const tool of namedTools(message, isCall ? 0 : undefined)) if (choices.isIrreversible(tool)) return true;
    return false;
  };

  const begin = (
    message: A2eMessage,
    text: string,
    requestId: string,
    type: string,
    capability: CapabilityName | undefined,
  ): void => {
    if (byId.has(requestId)) {
      fail("invalid_message", "A request with this id is under way. Give each request an id of its own.", requestId);
      return;
    }
    const request = createRelayedRequest(
      { message, text, id: requestId, type, capability },
      {
        clock,
        mirror,
        sessionId,
        newCallId: () => `call_${maker.newId()}`,
        provider: () => providerOf(capability),
        isIrreversible: choices.isIrreversible,
        mayAsk: () => may("ask"),
        whyNotHeld: () => whyNotHeld,
        inTurn: (work) => engine.inTurn(work),
        requestTimeoutMs: choices.requestTimeoutMs(),
        send,
        fail: (code, why, detail) => fail(code, why, requestId, { capability, ...detail }),
        ended,
      },
    );
    cancelRest();
    if (room.take(request.units)) {
      byId.set(requestId, request);
      if (requests.add(request)) return;
      byId.delete(requestId);
      room.leave(request.units);
    }
    fail("runtime_error", "Too many requests wait already. Send this one again later.", requestId, { capability });
  };

  const endAll = (ending: readonly RelayedRequest[], sentence: string): void => {
    for (const request of ending) engine.inTurn(() => request.end("timeout", sentence));
  };

  return {
    sessionId,
    take: (message, text, requestId, type) => {
      const capability = capabilityOf(type);
      if (capability !== undefined && !capabilities.includes(capability)) {
        const sentence = `The handshake did not grant ${capability}, which ${type} needs.`;
        fail("invalid_message", sentence, requestId, { capability });
        return;
      }
      const sentence = schemaFault(type, message);
      if (sentence !== undefined) fail("schema_violation", sentence, requestId, { capability });
      else if (!may("publish"))
        fail("unauthorized", "This connection may not make requests any more.", requestId, { capability });
      else if (isUnaskedCall(type, message))
        fail(
          "invalid_message",
          "Call this tool by `tool_name` of tool/call/req: a person has to confirm it.",
          requestId,
        );
      else if (type.endsWith("/req")) begin(message, text, requestId, type, capability);
      else if (announceMessage(mirror, type, `call_${maker.newId()}`)) providerOf(capability)?.passOn(text);
      else
        fail("runtime_error", "The message could not be announced, so it was not passed on.", requestId, {
          capability,
        });
    },
    drain: (until, done) => {
      tellDrained = done;
      cancelDrain();
      if (requests.isIdle()) {
        drained();
        return;
      }
      cancelDrain = clock.wakeAt(until, () => {
        endAll(requests.dropWaiting(), "The session shut down before this request began.");
        endAll(requests.begun(), "The session shut down before this request was answered.");
      });
    },
    endHeld: (sentence) => {
      whyNotHeld = sentence;
      for (const request of requests.begun()) engine.inTurn(() => request.endIfHeld(sentence));
    },
    close: (isOrderly) => {
      cancelDrain();
      cancelRest();
      tellDrained = undefined;
      for (const one of requests.dropWaiting()) one.forget();
      const isHolding = requests.begun().some((one) => one.isHeld());
      for (const one of requests.begun()) one.forget();
      byId.clear();
      room.end();
      stopListening();
      const leave = (): void => {
        if (isOrderly) mirror.ended();
        mirror.close();
      };
      // The agent is there until its questions are taken back.
      if (isHolding) engine.inTurn(leave);
      else leave();
    },
  };
}
