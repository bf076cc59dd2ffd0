// One stream call as a Connection. Input is read through the library; output is written straight to the response.
import { constants } from "node:http2";
import { Fault } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { CloseInfo, Connection } from "../../src/contracts/transport.js";
import { doesNotRead } from "../framing/back-pressure.js";
import { FrameQueue } from "../framing/frame-queue.js";
import { Outbox } from "../framing/outbox.js";
import type { Exchange } from "../http/exchange.js";
import { STATUS, STATUS_OF } from "../rpc-status.js";
import { deadlinePassed } from "../service-calls/deadline.js";
import type { Envelopes } from "./envelopes.js";
import { faultOfInput } from "./faults.js";
import type { ResolvedConnectOptions } from "./options.js";
import { isDeadline } from "./unary-call.js";

export interface StreamCall {
  readonly connection: Connection<Uint8Array>;
  /** Resolves when everything has been written and the call is to end: with the fault of its status, or undefined for OK. Never rejects. */
  readonly ending: Promise<Fault | undefined>;
}

export interface StreamParts {
  readonly exchange: Exchange;
  readonly messages: AsyncIterator<Uint8Array>;
  readonly envelopes: Envelopes;
  /** Whether the client may send only one message; the end of its side then means nothing. */
  readonly takesOne: boolean;
  /** Aborted at the deadline set by the client. */
  readonly deadline: AbortSignal;
}

export function createStreamCall(
  parts: StreamParts,
  options: Pick<ResolvedConnectOptions, "closeTimeoutMs" | "after">,
): StreamCall {
  const { exchange, deadline } = parts;
  const { peer } = exchange;
  const { promise: closed, resolve: tellClosed } = withResolvers<CloseInfo>();
  const { promise: ending, resolve: tellEnding } = withResolvers<Fault | undefined>();
  let state: "open" | "closing" | "closed" = "open";
  let peerEnded = false;
  let lost: Fault | undefined;
  /** The result of the close, once it has begun. */
  let closing: CloseInfo = { kind: "local" };
  let cancelDeadline: () => void = () => {};

  const inbox = createInbox(parts.messages, parts.takesOne, (fault) => {
    if (fault !== undefined) lost = fault;
    else if (!parts.takesOne) peerEnded = true;
  });
  const outbox = new Outbox(exchange.response, {
    ...parts.envelopes,
    overflowed: () => {
      finish({ kind: "abrupt", fault: doesNotRead(peer) });
      exchange.cutOff(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    },
  });

  function finish(info: CloseInfo): void {
    if (state === "closed") return;
    state = "closed";
    cancelDeadline();
    outbox.settle();
    if (info.kind === "abrupt" && info.fault !== undefined) inbox.end(info.fault);
    else inbox.stop();
    tellEnding(info.fault);
    tellClosed(info);
  }

  /** The response has closed; after our own end that was expected. */
  function onGone(): void {
    if (state === "closing") finish(closing);
    else if (exchange.left() === "cancelled") finish({ kind: "remote" });
    else {
      const fault = new Fault("peer_gone", `The call of ${peer.label} was broken off. Call again to go on.`);
      finish(peerEnded ? { kind: "remote" } : { kind: "abrupt", fault });
    }
  }

  function end(info: CloseInfo, status: Fault | undefined, withinMs: Millis = options.closeTimeoutMs): void {
    if (state !== "open") return;
    state = "closing";
    closing = info;
    outbox.flush();
    // From here on `send` answers false, and waiting senders are released.
    outbox.settle();
    inbox.stop();
    tellEnding(status);
    cancelDeadline = options.after(withinMs, () => {
      finish({ ...closing, isCutShort: true });
      exchange.cutOff(cutOffCode(status));
    });
  }

  exchange.onceGone(onGone);
  deadline.addEventListener(
    "abort",
    () => {
      if (!isDeadline(deadline)) return;
      const fault = deadlinePassed();
      end({ kind: "remote", fault }, fault);
    },
    { once: true },
  );

  const connection: Connection<Uint8Array> = {
    peer,
    read: (reader) => inbox.read(reader),
    readOn: () => inbox.readOn(),
    frames: inbox.frames,
    send: (frame) => outbox.send(frame),
    sendBatch: (batch) => outbox.sendBatch(batch),
    writable: () => outbox.writable(),
    close: async (fault, withinMs) => {
      if (lost !== undefined) end({ kind: "abrupt", fault: lost }, fault ?? lost, withinMs);
      else end(fault === undefined ? { kind: orderly() } : { kind: orderly(), fault }, fault, withinMs);
      await closed;
    },
    closed,
  };

  function orderly(): "remote" | "local" {
    return peerEnded ? "remote" : "local";
  }

  return { connection, ending };
}

/** The reset code for a client that does not read its stream, and so cannot read a status either. */
function cutOffCode(status: Fault | undefined): number {
  const isTooSlow = status !== undefined && STATUS_OF[status.code] === STATUS.RESOURCE_EXHAUSTED;
  return isTooSlow ? constants.NGHTTP2_ENHANCE_YOUR_CALM : constants.NGHTTP2_CANCEL;
}

/** One read of 64 KiB can bring 13,000 messages: handled in one turn, they would delay all other peers. */
const MOST_MESSAGES_A_TURN = 64;

/**
 * The read side of a stream. A message is read only when the reader takes it. `takesOne`: the client may send only one message. `onEnd` is called
 * once when the client has ended its side, with a fault if that was out of order.
 */
function createInbox(
  messages: AsyncIterator<Uint8Array>,
  takesOne: boolean,
  onEnd: (fault: Fault | undefined) => void,
): FrameQueue<Uint8Array> {
  let isReading = false;
  let count = 0;

  function end(fault: Fault | undefined): void {
    if (!queue.isOpen()) return;
    queue.end(fault);
    onEnd(fault);
  }

  function take(result: IteratorResult<Uint8Array>): void {
    isReading = false;
    if (result.done === true) end(undefined);
    else if (takesOne && count === 1) {
      end(new Fault("invalid_message", "This method takes one message. Send one, and end your side of the call."));
    } else {
      count += 1;
      if (queue.push(result.value)) wanted();
    }
  }

  function read(): void {
    if (!queue.isOpen()) return;
    messages.next().then(take, (caught) => end(faultOfInput(caught)));
  }

  function wanted(): void {
    if (isReading) return;
    isReading = true;
    if (count % MOST_MESSAGES_A_TURN === MOST_MESSAGES_A_TURN - 1) setImmediate(read);
    else read();
  }

  const queue = new FrameQueue<Uint8Array>(wanted);
  return queue;
}
