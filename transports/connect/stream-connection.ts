// One stream call as a Connection. Input is read through the library; output is written straight to the response.
import { constants } from "node:http2";
import { Fault } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { CloseInfo, Connection } from "../../src/contracts/transport.js";
import type { Exchange } from "../http/exchange.js";
import { createOutbox, type Envelopes } from "../http/outbox.js";
import { STATUS, STATUS_OF } from "../rpc-status.js";
import { createInbox } from "./inbox.js";
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
  options: Pick<ResolvedConnectOptions, "highWaterMarkBytes" | "maxBufferedBytes" | "closeTimeoutMs" | "after">,
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
  const outbox = createOutbox(exchange.response, {
    envelopes: parts.envelopes,
    highWaterMarkBytes: options.highWaterMarkBytes,
    maxBufferedBytes: options.maxBufferedBytes,
    onOverflow: () => {
      const fault = doesNotRead(peer.label, options.maxBufferedBytes);
      finish({ kind: "abrupt", fault });
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
      const fault = new Fault(
        "timed_out",
        "The deadline of this call has passed. Call again, with a later deadline or none.",
      );
      end({ kind: "remote", fault }, fault);
    },
    { once: true },
  );

  const connection: Connection<Uint8Array> = {
    peer,
    read: (reader) => inbox.read(reader),
    readOn: () => inbox.readOn(),
    frames: inbox.frames,
    send: outbox.send,
    sendBatch: outbox.sendBatch,
    writable: outbox.writable,
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

function doesNotRead(label: string, maxBufferedBytes: number): Fault {
  return new Fault(
    "peer_gone",
    `${label} does not read: more than ${maxBufferedBytes} bytes wait for it. Read faster, or call again and resume.`,
  );
}
