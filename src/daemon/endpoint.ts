// One accepted connection: its first message says which protocol it speaks, and from then on that protocol has it (R23).
import { refusedHead } from "../../transports/framing/refusal.js";
import { createAnsweringConnection } from "../../transports/json-rpc/answering-connection.js";
import { Fault, faultFrom } from "../base/errors.js";
import { membersOf } from "../base/json-members.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type { Log } from "../contracts/log.js";
import type { EndReason } from "../contracts/protocol.js";
import type { Connection, PeekableConnection } from "../contracts/transport.js";
import { createPlainProtocol } from "../protocols/aaep/sessions/plain-session.js";
import { createRpcSession, type RpcServices } from "../protocols/aaep/sessions/rpc-session.js";
import { errorMessage } from "../protocols/aaep/subscriber/subscription-desk.js";
import type { Checkpoints } from "../runtime/checkpoints.js";
import { converse } from "../runtime/converse.js";
import { frameRunOf } from "../runtime/frame-runs.js";
import { closeWithin, handOver, LAST_WORDS_MS } from "../runtime/hand-over.js";
import { createPump } from "../runtime/pump.js";
import type { SendingTurns } from "../runtime/sending-turns.js";
import type { Served } from "./services/served.js";

export interface EndpointServices {
  readonly aaep: Omit<RpcServices, "startPump" | "handOver">;
  readonly codec: Codec<Uint8Array, unknown>;
  readonly clock: Clock;
  readonly log: Log;
  readonly handshakeTimeoutMs: () => Millis;
  /** Whose turn it is to be sent what waits; one for all connections and streams. */
  readonly sendingTurns: SendingTurns;
  /** When subscriptions are told the place that they have reached; one for all connections and streams. */
  readonly checkpoints: Checkpoints;
}

export interface ServeOptions {
  readonly speaksRpc: boolean;
  readonly keepsOutput: boolean;
}

/**
 * Serves a connection. `speaksRpc` says what a first frame that is no message is taken for. `keepsOutput`: the peer's end is not yet the
 * connection's (R8a); whoever asks for that calls `finish`.
 */
export function serveConnection(
  connection: PeekableConnection<Uint8Array>,
  services: EndpointServices,
  options: ServeOptions,
): Served {
  return new ServedConnection(connection, services, options);
}

/** A class, because there is one for each connection. */
class ServedConnection implements Served {
  private readonly connection: PeekableConnection<Uint8Array>;
  private readonly services: EndpointServices;
  private readonly options: ServeOptions;
  private readonly started: Promise<Served>;
  private finishing = false;
  private served: Served | undefined;
  private cancelTimeout: (() => void) | undefined;

  constructor(connection: PeekableConnection<Uint8Array>, services: EndpointServices, options: ServeOptions) {
    this.connection = connection;
    this.services = services;
    this.options = options;
    this.awaitFirst();
    this.started = this.begin();
  }

  get inputEnded(): Promise<void> {
    return this.started.then((one) => one.inputEnded);
  }

  get done(): Promise<void> {
    return this.started.then((one) => one.done);
  }

  finish(reason: EndReason, until?: Millis): Promise<number> {
    this.finishing = true;
    return this.served === undefined ? this.refuseSilent(reason, until) : this.served.finish(reason, until);
  }

  private awaitFirst(): void {
    // A parent may be silent for as long as it likes: the daemon is there for it alone.
    if (this.connection.peer.trust === "parent") return;
    const { clock, handshakeTimeoutMs } = this.services;
    this.cancelTimeout = clock.wakeAt(clock.now() + handshakeTimeoutMs(), () => {
      if (this.served === undefined) void this.finish("handshake_timeout");
    });
  }

  private async begin(): Promise<Served> {
    const { connection, services, options } = this;
    const first = await firstFrameOf(connection);
    this.cancelTimeout?.();
    this.cancelTimeout = undefined;
    if (this.finishing) {
      const closed = connection.closed.then(() => {});
      return { finish: (reason, until) => this.finish(reason, until), inputEnded: closed, done: closed };
    }
    const isRpc = isRpcFrame(first, services.codec) ?? options.speaksRpc;
    this.served = isRpc
      ? serveRpc(connection, services, options.keepsOutput)
      : converse(connection, services.codec, createPlainProtocol(services.aaep), services, options);
    return this.served;
  }

  private async refuseSilent(reason: EndReason, until: Millis | undefined): Promise<number> {
    const { connection, services } = this;
    if (reason === "handshake_timeout") services.aaep.engine.refused(reason);
    const { closed } = connection;
    const close = (withinMs?: Millis): Promise<void> => connection.close(undefined, withinMs);
    // In which protocol and framing it would hear why is known of nobody who said nothing; and one that waits for JSON-RPC would not understand it.
    if (reason === "handshake_timeout" && !this.options.speaksRpc) {
      const fault = new Fault("timed_out", "Nothing was said in time; connect again.", { rule: "R22" });
      connection.send(services.codec.encode(errorMessage(fault)));
    }
    return closeWithin({ close, closed }, until, services.clock);
  }
}

/** The first frame, or the beginning of one that was refused; undefined where there is neither. Never rejects. */
async function firstFrameOf(connection: PeekableConnection<Uint8Array>): Promise<Uint8Array | undefined> {
  try {
    const [frame] = await connection.peek();
    return frame;
  } catch (caught) {
    return refusedHead(faultFrom(caught));
  }
}

/** Undefined where the frame is no JSON object or array, and does not begin like a message of JSON-RPC either. */
function isRpcFrame(frame: Uint8Array | undefined, codec: Codec<Uint8Array, unknown>): boolean | undefined {
  if (frame === undefined) return undefined;
  try {
    const message = codec.decode(frame);
    if (Array.isArray(message)) return true;
    return typeof message === "object" && message !== null ? "jsonrpc" in message : undefined;
  } catch (caught) {
    // Whoever sends a broken message is to understand the answer to it.
    const text = faultFrom(caught).code === "invalid_message" ? codec.textOf?.(frame) : undefined;
    if (text !== undefined) return /^\s*\[/.test(text) || membersOf(text).some(({ name }) => name === "jsonrpc");
    const beginning = String.fromCharCode(...frame.subarray(0, SNIFFED_BYTES));
    return /^\s*\{[^{[]*"jsonrpc"\s*:/.test(beginning) ? true : undefined;
  }
}

const SNIFFED_BYTES = 256;

function logAccident(connection: Connection<Uint8Array>, { log }: EndpointServices, fault: Fault): void {
  log.error(
    { peer: connection.peer.label, cause: fault.cause },
    "a connection was ended, because an event for it could not be made",
  );
}

type NotificationForm = Pick<Codec<Uint8Array, unknown>, "format" | "checkpoint">;

const FORMS = new WeakMap<Codec<Uint8Array, unknown>, NotificationForm>();

/** Params without the type, which the method says; events are encoded as everywhere. One for all connections, so that they share what is encoded. */
function notificationForm(codec: Codec<Uint8Array, unknown>): NotificationForm {
  const known = FORMS.get(codec);
  if (known !== undefined) return known;
  const form: NotificationForm = { format: codec.format, checkpoint: (cursor) => codec.encode({ cursor }) };
  FORMS.set(codec, form);
  return form;
}

function serveRpc(connection: Connection<Uint8Array>, services: EndpointServices, keepsOutput: boolean): Served {
  const { clock } = services;
  const form = notificationForm(services.codec);
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
              session.ended("producer_error");
              void connection.close(fault);
            },
          },
          services,
        ),
      handOver: (owed, send, until = clock.now() + LAST_WORDS_MS) =>
        handOver(owed, { send, writable: () => rpc.writable() }, until, services),
    },
    {
      notify: (method, params) => rpc.notify(method, params),
      deliver: (run, members) => rpc.notifyRun("aaep.event", frameRunOf(run, form), members, "aaepd.checkpoint"),
      writable: () => rpc.writable(),
    },
  );
  const { answering: rpc } = createAnsweringConnection(connection, session.handlers, {
    closeAtEnd: false,
    log: services.log,
  });
  // A first frame that was no call keeps nobody's place (R22).
  const cancelTimeout =
    connection.peer.trust === "parent"
      ? () => {}
      : clock.wakeAt(clock.now() + services.handshakeTimeoutMs(), () => {
          if (session.isOpen()) return;
          services.aaep.engine.refused("handshake_timeout");
          void rpc.close();
        });
  const inputEnded = rpc.ended.then(async () => {
    if (keepsOutput) {
      session.agentEnded();
      return;
    }
    session.ended();
    await rpc.close();
  });
  const done = rpc.closed.then(() => {
    cancelTimeout();
    session.ended();
  });
  return {
    finish: async (reason, until) => {
      rpc.takeNoMore();
      session.agentEnded();
      const leftCount = await session.finish(reason, until);
      return leftCount + (await closeWithin(rpc, until, clock));
    },
    inputEnded,
    done,
  };
}
