// Joins one connection, one codec and one protocol session: frames in, answers and deliveries out, until either side ends it.
import { Fault, publicFault } from "../base/errors.js";
import type { Clock, Millis } from "../contracts/clock.js";
import type { Codec } from "../contracts/codec.js";
import type { Log } from "../contracts/log.js";
import type { EndReason, Heartbeat, Protocol } from "../contracts/protocol.js";
import type { Connection } from "../contracts/transport.js";
import { frameRunOf, frameRunOfDeliveries } from "./frame-runs.js";
import { createHeartbeats } from "./heartbeats.js";
import { createPump } from "./pump.js";

export interface ConverseOptions<Message = unknown> {
  readonly clock: Clock;
  /** How long a peer may stay without a handshake, ms (R22). */
  readonly handshakeTimeoutMs: Millis;
  readonly log: Log;
  /**
   * The peer's end is not yet the conversation's. A parent's goes on until `finish`, which is to be called once `inputEnded` has resolved (R8a).
   * Anybody else's, the client of a call, goes on until the connection closes if there is a subscription; if there is none, it ends at once: in
   * order where the peer was answered, else with the fault of its last message, or `handshake_required`.
   */
  readonly keepsOutput: boolean;
  /** What the connection is closed with where this side ends it: the status of a call. Default: nothing. */
  readonly statusOf?: (reason: EndReason) => Fault | undefined;
  /** Goes out from the handshake on, whenever nothing else did for that long, unless the peer takes nothing. Default: none. */
  readonly heartbeat?: Heartbeat<Message> | undefined;
  /** Told of an accident that ended the conversation, for logs. */
  readonly failed: (fault: Fault) => void;
}

export interface Conversation {
  /** Ends it from this side. Resolves when the connection has closed. Never rejects. */
  readonly finish: (reason: EndReason) => Promise<void>;
  /** Resolves when the peer has ended its side, and what it sent has been taken. Never rejects. */
  readonly inputEnded: Promise<void>;
  /** Resolves when it is over. Never rejects. */
  readonly done: Promise<void>;
}

/** Starts a conversation; the connection's frames are iterated here and nowhere else. */
export function converse<Frame, Message>(
  connection: Connection<Frame>,
  codec: Codec<Frame, Message>,
  protocol: Protocol<Message>,
  options: ConverseOptions<Message>,
): Conversation {
  const isCall = options.keepsOutput && connection.peer.trust !== "parent";
  let isOver = false;
  let hasSpoken = false;
  /** What was wrong with the last message. */
  let lastFault: Fault | undefined;
  let tellInputEnded: () => void = () => {};
  const inputEnded = new Promise<void>((resolve) => {
    tellInputEnded = resolve;
  });
  const session = protocol.open(
    () => pump.wake(),
    (reason) => void finish(reason),
  );
  const pump = createPump(
    session.source,
    {
      send: (run) => handed(connection.sendRun(frameRunOf(run, codec.format))),
      writable: () => connection.writable(),
      failed: (fault) => {
        options.failed(fault);
        over();
        void connection.close(options.statusOf?.("producer_error") ?? fault);
      },
    },
    options.clock,
  );
  // A parent may be silent for as long as it likes: the daemon is there for it alone.
  const cancelTimeout =
    connection.peer.trust === "parent"
      ? () => {}
      : options.clock.wakeAt(options.clock.now() + options.handshakeTimeoutMs, () => {
          if (!session.isOpen()) void finish("handshake_timeout");
        });

  const send = (message: Message): boolean => handed(connection.send(codec.encode(message)));

  const { heartbeat } = options;
  const heartbeats =
    heartbeat === undefined
      ? undefined
      : createHeartbeats(
          heartbeat.everyMs,
          { beat: () => void send(heartbeat.message), writable: () => connection.writable() },
          options.clock,
        );

  /** `isTaken`: what the connection answered. */
  const handed = (isTaken: boolean): boolean => {
    heartbeats?.sent(isTaken);
    return isTaken;
  };

  const over = (): void => {
    if (isOver) return;
    isOver = true;
    cancelTimeout();
    pump.stop();
    heartbeats?.stop();
    session.ended();
  };
  // Its client has hung up: whatever it still had to say is not waited for longer than a turn, and its subscription ends (R7).
  if (isCall) void connection.closed.then(() => options.clock.afterTurn(over));

  async function finish(reason: EndReason): Promise<void> {
    const status = isOver ? undefined : options.statusOf?.(reason);
    if (!isOver) {
      pump.stop();
      const { deliveries, messages } = session.finish(reason);
      if (deliveries.length > 0) connection.sendRun(frameRunOfDeliveries(deliveries, codec.format));
      for (const message of messages) send(message);
      over();
    }
    await connection.close(status);
  }

  /** Answers one frame. */
  const take = (frame: Frame): "go on" | "others first" | "ends" => {
    hasSpoken = true;
    let message: Message;
    try {
      message = codec.decode(frame);
    } catch (caught) {
      lastFault = publicFault(caught, options.log);
      send(session.refuse(lastFault));
      return "go on";
    }
    const { answers, closes, wasCostly, fault } = session.receive(message);
    lastFault = fault;
    for (const answer of answers) send(answer);
    if (closes) return "ends";
    if (heartbeats !== undefined && session.isOpen()) heartbeats.start();
    return wasCostly === true ? "others first" : "go on";
  };

  const run = async (): Promise<void> => {
    let fault: Fault | undefined;
    try {
      for await (const frames of connection.frames) {
        for (const frame of frames) {
          if (isOver) break;
          const next = take(frame);
          if (next === "ends") over();
          if (next === "others first") await new Promise<void>(options.clock.afterTurn);
        }
        if (isOver) break;
        // A peer that sends and does not read is not read from either.
        await connection.writable();
      }
      tellInputEnded();
      if (options.keepsOutput && !isOver) {
        if (isCall && !session.isOpen()) fault = hasSpoken ? lastFault : nothingSaid();
        else await connection.closed;
      }
    } catch (caught) {
      fault = publicFault(caught, options.log);
      if (!isOver) send(session.refuse(fault));
    }
    tellInputEnded();
    over();
    await connection.close(fault);
  };

  return { finish, inputEnded, done: run() };
}

function nothingSaid(): Fault {
  return new Fault("handshake_required", "Send a subscription.request first.", { pointer: "", rule: "AAEP §5.1" });
}
