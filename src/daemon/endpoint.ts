// One accepted connection: its first message says which protocol it speaks, and from then on that protocol has it (R23).

import { refusedHead } from "../../transports/framing/refusal.js";
import { createRpcConnection } from "../../transports/json-rpc/rpc-connection.js";
import { Fault } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type { Log } from "../contracts/log.js";
import type { EndReason } from "../contracts/protocol.js";
import type { Connection } from "../contracts/transport.js";
import { createPlainProtocol } from "../protocols/aaep/plain-session.js";
import { createRpcSession, type RpcServices } from "../protocols/aaep/rpc-session.js";
import { errorMessage } from "../protocols/aaep/subscription-desk.js";
import { converse } from "../runtime/converse.js";
import { awaitFirstFrames } from "../runtime/first-frames.js";
import { frameRunOf, frameRunOfDeliveries } from "../runtime/frame-runs.js";
import { createPump } from "../runtime/pump.js";

export interface EndpointServices {
  readonly aaep: Omit<RpcServices, "startPump">;
  readonly codec: Codec<Uint8Array, unknown>;
  readonly clock: Clock;
  readonly log: Log;
  readonly handshakeTimeoutMs: Millis;
}

/** A connection that is being served. */
export interface Served {
  /** Ends it from this side, with everything that is owed on a shutdown (R8a). Never rejects. */
  readonly finish: (reason: EndReason) => Promise<void>;
  /** Resolves when the peer has ended its side; what it sent has been taken. Never rejects. */
  readonly inputEnded: Promise<void>;
  /** Resolves when it is over. Never rejects. */
  readonly done: Promise<void>;
}

/**
 * Serves a connection. `speaksRpc` says what a first frame that is no message is taken for. `keepsOutput`: the peer's end is not yet the
 * connection's (R8a); whoever asks for that calls `finish`.
 */
export function serveConnection(
  connection: Connection<Uint8Array>,
  services: EndpointServices,
  options: { readonly speaksRpc: boolean; readonly keepsOutput: boolean },
): Served {
  let finishing: EndReason | undefined;
  let served: Served | undefined;
  const { clock } = services;

  const refuseSilent = async (reason: EndReason): Promise<void> => {
    // Whoever is known to speak JSON-RPC would not understand it.
    if (options.speaksRpc) return connection.close();
    const code = reason === "handshake_timeout" ? "timed_out" : "shutting_down";
    const sentence =
      reason === "handshake_timeout" ? "Nothing was said in time; connect again." : "The daemon is stopping.";
    connection.send(services.codec.encode(errorMessage(new Fault(code, sentence, { rule: "R22" }))));
    await connection.close();
  };

  // A parent may be silent for as long as it likes: the daemon is there for it alone.
  const cancelTimeout =
    connection.peer.trust === "parent"
      ? () => {}
      : clock.wakeAt(clock.now() + services.handshakeTimeoutMs, () => {
          if (served === undefined) void finish("handshake_timeout");
        });

  const begin = async (): Promise<Served> => {
    const begun = await awaitFirstFrames(connection);
    cancelTimeout();
    if (finishing !== undefined)
      return { finish, inputEnded: connection.closed.then(() => {}), done: connection.closed.then(() => {}) };
    const head = begun.fault === undefined ? undefined : refusedHead(begun.fault);
    const isRpc = isRpcFrame(begun.first[0] ?? head, services.codec) ?? options.speaksRpc;
    served = isRpc
      ? serveRpc(begun.connection, services, options.keepsOutput)
      : servePlain(begun.connection, services, options.keepsOutput);
    return served;
  };

  async function finish(reason: EndReason): Promise<void> {
    finishing = reason;
    await (served === undefined ? refuseSilent(reason) : served.finish(reason));
  }

  const started = begin();
  return {
    finish,
    inputEnded: started.then((one) => one.inputEnded),
    done: started.then((one) => one.done),
  };
}

/** Undefined where the frame is no JSON object or array, and does not begin like a message of JSON-RPC either. */
function isRpcFrame(frame: Uint8Array | undefined, codec: Codec<Uint8Array, unknown>): boolean | undefined {
  if (frame === undefined) return undefined;
  try {
    const message = codec.decode(frame);
    if (Array.isArray(message)) return true;
    return typeof message === "object" && message !== null ? "jsonrpc" in message : undefined;
  } catch {
    // Whoever sends a broken message is to understand the answer to it.
    const beginning = String.fromCharCode(...frame.subarray(0, SNIFFED_BYTES));
    return /^\s*\{[^{[]*"jsonrpc"\s*:/.test(beginning) ? true : undefined;
  }
}

const SNIFFED_BYTES = 256;

function servePlain(connection: Connection<Uint8Array>, services: EndpointServices, keepsOutput: boolean): Served {
  return converse(connection, services.codec, createPlainProtocol(services.aaep), {
    ...services,
    keepsOutput,
    failed: (fault) => logAccident(connection, services, fault),
  });
}

function logAccident(connection: Connection<Uint8Array>, { log }: EndpointServices, fault: Fault): void {
  log.error(
    { peer: connection.peer.label, cause: fault.cause },
    "a connection was ended, because an event for it could not be made",
  );
}

function serveRpc(connection: Connection<Uint8Array>, services: EndpointServices, keepsOutput: boolean): Served {
  const { format } = services.codec;
  const session = createRpcSession(
    {
      ...services.aaep,
      startPump: (source, send) =>
        createPump(
          source,
          {
            send,
            writable: () => rpc.writable(),
            failed: (fault) => {
              logAccident(connection, services, fault);
              void connection.close(fault);
            },
          },
          services.clock,
        ),
    },
    {
      notify: (method, params) => rpc.notify(method, params),
      deliver: (run, members) => rpc.notifyRun("aaep.event", frameRunOf(run, format), members),
      deliverLast: (deliveries, members) => {
        if (deliveries.length > 0) rpc.notifyRun("aaep.event", frameRunOfDeliveries(deliveries, format), members);
      },
      writable: () => rpc.writable(),
    },
  );
  const rpc = createRpcConnection(connection, session.handlers, { closeAtEnd: false, log: services.log });
  // A first frame that was no call keeps nobody's place (R22).
  const cancelTimeout =
    connection.peer.trust === "parent"
      ? () => {}
      : services.clock.wakeAt(services.clock.now() + services.handshakeTimeoutMs, () => {
          if (!session.isOpen()) void rpc.close();
        });
  const inputEnded = rpc.ended.then(async () => {
    session.agentEnded();
    if (keepsOutput) return;
    session.ended();
    await rpc.close();
  });
  const done = rpc.closed.then(() => {
    cancelTimeout();
    session.ended();
  });
  return {
    finish: async (reason) => {
      session.agentEnded();
      session.finish(reason);
      await rpc.close();
    },
    inputEnded,
    done,
  };
}
