// An A2E host that the daemon runs as a child, seen from the protocol: the daemon is its agent. It shakes hands for all capabilities, and passes
// requests.
import type { Fault } from "../../../base/errors.js";
import { textOf } from "../../../base/members.js";
import type { Clock } from "../../../contracts/clock.js";
import type { ExchangeHost, ExchangeSession } from "../../../contracts/exchange.js";
import type { Log } from "../../../contracts/log.js";
import { CAPABILITIES, isAvailable, isCapability, type ServedCapability } from "../messages/capabilities.js";
import { requestIdIn } from "../messages/id-in-text.js";
import { type A2eMessage, isMessage, type MessageMaker } from "../messages/message.js";
import { schemaFault } from "../messages/validate.js";
import { createForwarding, type Forwarding } from "../providers/forwarding.js";
import type { Provider } from "../providers/provider.js";
import type { Router } from "../providers/router.js";

export interface HostProviderOptions {
  readonly name: string;
  readonly priority: number;
  /** The capabilities that the daemon asks for; undefined: all. */
  readonly capabilities: readonly string[] | undefined;
  /** The token that the host wants. */
  readonly authToken: string;
  readonly router: Router;
  readonly maker: MessageMaker;
  readonly log: Pick<Log, "info" | "warn" | "debug">;
  readonly clock: Pick<Clock, "now" | "wakeAt" | "afterTurn">;
  /** The host answered the handshake well. */
  readonly ready: () => void;
}

/** Seconds that a host has to drain at a stop. Its own agents give it three (A2E companion). */
const DRAIN_SECONDS = 3;

const GONE = "The provider has ended. Try again later.";

export function createHostProvider(options: HostProviderOptions, host: ExchangeHost): ExchangeSession {
  const { name, priority, router, maker, log } = options;
  let forwarding: Forwarding | undefined;
  let remove = (): void => {};
  let handshakeId: string | undefined;
  let oddCount = 0;

  const say = (type: string, fields: A2eMessage): void => void host.send(maker.make(type, fields), true);

  const leave = (): void => {
    remove();
    remove = () => {};
    forwarding?.ended(GONE);
    forwarding = undefined;
  };

  const handshake = (): void => {
    handshakeId = maker.newId();
    say("handshake/req", {
      id: handshakeId,
      agent_id: "aaepd",
      agent_caps: options.capabilities ?? CAPABILITIES.filter(isAvailable),
      auth_token: options.authToken,
    });
  };

  const accept = (message: A2eMessage): void => {
    const sentence = schemaFault("handshake/resp", message);
    if (sentence !== undefined) {
      log.warn({ provider: name, reason: sentence }, "an A2E provider answered the handshake in a wrong form");
      host.close();
      return;
    }
    if (message.ok !== true) {
      const reason = textOf(message.reason) || "no reason";
      log.warn({ provider: name, reason }, "an A2E provider rejected the handshake");
      host.close();
      return;
    }
    const served = servedIn(message);
    if (served.length === 0) {
      log.warn({ provider: name }, "an A2E provider serves none of the capabilities");
      host.close();
      return;
    }
    const maxParallel = Number(message.max_parallel);
    const calls = createForwarding({
      send: host.send,
      newId: maker.newId,
      maxParallel: () => maxParallel,
      sessionId: textOf(message.session_id),
      announced: (text) => router.announce(provider, text),
      clock: options.clock,
    });
    forwarding = calls;
    const provider: Provider = {
      name,
      kind: "child",
      priority,
      capabilities: served,
      request: calls.request,
      passOn: calls.passOn,
      requestCount: calls.count,
    };
    remove = router.add(provider);
    options.ready();
  };

  /** Lines that are no messages, such as a log on standard output. The first is logged, the others counted. */
  const odd = (what: string): void => {
    oddCount += 1;
    if (oddCount === 1)
      log.warn({ provider: name, what: what.slice(0, 200) }, "an A2E provider writes lines that are no messages");
  };

  handshake();
  return {
    receive: (message, text) => {
      if (!isMessage(message) || typeof message.type !== "string") odd(text);
      else if (message.type === "handshake/resp") {
        if (forwarding === undefined && message.req_id === handshakeId) accept(message);
      } else if (forwarding === undefined) odd(text);
      else if (message.type !== "pong") forwarding.receive(message, text);
    },
    refuse: (fault: Fault, text) => {
      // The end of the connection is told by the process.
      if (fault.code === "peer_gone") return;
      const requestId = requestIdIn(text);
      if (requestId !== undefined) forwarding?.unreadable(requestId);
      // A message may have what nobody else is to see.
      odd(text === undefined || text.trimStart().startsWith("{") ? fault.sentence : text);
    },
    isReadAlways: () => true,
    passesOn: () => true,
    room: () => undefined,
    isOpen: () => forwarding !== undefined,
    inputEnded: () => {
      leave();
      host.close();
    },
    finish: () => {
      if (forwarding !== undefined) say("shutdown", { timeout: DRAIN_SECONDS });
      leave();
      return Promise.resolve();
    },
    ended: leave,
  };
}

function servedIn({ accepted_caps: accepted }: A2eMessage): readonly ServedCapability[] {
  return (accepted as readonly A2eMessage[]).flatMap(({ capability, enabled, metadata }) =>
    isCapability(capability) && isAvailable(capability) && enabled === true
      ? [{ name: capability, metadata: metadata as A2eMessage }]
      : [],
  );
}
