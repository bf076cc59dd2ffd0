// One call with a stream, as a Connection: call-inbox.ts reads, call-outbox.ts writes; this file manages the life of the connection. The library can
// reset no call, so a client that does not read one of its calls loses its connection, and all of its calls with it.
import type { ServerDuplexStream, ServerWritableStream } from "@grpc/grpc-js";
import { type Fault, publicFault } from "../../src/base/errors.js";
import { withResolvers } from "../../src/base/with-resolvers.js";
import type { Millis } from "../../src/contracts/clock.js";
import type { CloseInfo, Connection } from "../../src/contracts/transport.js";
import { doesNotRead } from "../framing/back-pressure.js";
import { watchCallEnd } from "../service-calls/deadline.js";
import { createCallInbox, createSingleFrameInbox } from "./call-inbox.js";
import { createCallOutbox } from "./call-outbox.js";
import type { AdmittedCall } from "./gate.js";
import type { ResolvedGrpcOptions } from "./options.js";
import { statusOf } from "./status.js";

export type StreamCall = ServerDuplexStream<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

export type StreamCallOptions = { readonly joinsBatches: boolean } & Pick<
  ResolvedGrpcOptions,
  "describeFault" | "closeTimeoutMs" | "after"
>;

/** `call` must have just begun: events of its end are listened for from here on. */
export function createStreamConnection(
  call: StreamCall,
  { connection, below }: AdmittedCall,
  options: StreamCallOptions,
): Connection<Uint8Array> {
  const { peer } = connection;
  const { promise: closed, resolve: tellClosed } = withResolvers<CloseInfo>();
  let state: "open" | "closing" | "closed" = "open";
  let peerEnded = false;
  /** The result of the close, once `close` was called. */
  let closing: CloseInfo = { kind: "local" };
  let cancelTimeout: () => void = () => {};
  const whyEnded = watchCallEnd(call, connection);

  const onEnd = (): void => {
    peerEnded = true;
  };
  const inbox = "request" in call ? createSingleFrameInbox(call.request, onEnd) : createCallInbox(call, onEnd);
  const outbox = createCallOutbox(below, {
    joinsBatches: options.joinsBatches,
    overflowed: () => {
      if (state !== "open") return;
      const fault = doesNotRead(peer);
      inbox.end(fault);
      finish({ kind: "abrupt", fault });
      connection.cutOff();
    },
  });

  function finish(info: CloseInfo): void {
    if (state === "closed") return;
    state = "closed";
    cancelTimeout();
    outbox.settle();
    inbox.stop();
    tellClosed(info);
  }

  // Also emitted after a status of our own: then everything has left.
  call.on("cancelled", () => {
    if (state === "closing") finish(closing);
    if (state !== "open") return;
    whyEnded((fault) => {
      if (state === "closing") finish(closing);
      if (state !== "open") return;
      if (fault === undefined) return finish({ kind: "remote" });
      inbox.end(fault);
      finish({ kind: "abrupt", fault });
    });
  });

  function close(fault: Fault | undefined, withinMs: Millis): void {
    if (state !== "open") return;
    state = "closing";
    const kind = peerEnded ? "remote" : "local";
    closing = fault === undefined ? { kind } : { kind, fault };
    outbox.settle();
    inbox.stop();
    cancelTimeout = options.after(withinMs, () => {
      finish({ ...closing, isCutShort: true });
      connection.cutOff();
    });
    if (call.cancelled) finish(closing);
    else if (fault === undefined) call.end();
    // The library ends a stream with a status in this way. Internal errors are logged by the caller that closes with one.
    else call.emit("error", statusOf(publicFault(fault, { error: () => {} }), options.describeFault));
  }

  return {
    peer,
    read: (reader) => inbox.read(reader),
    readOn: () => inbox.readOn(),
    frames: inbox.frames,
    send: outbox.send,
    sendBatch: outbox.sendBatch,
    writable: outbox.writable,
    close: async (fault, withinMs = options.closeTimeoutMs) => {
      close(fault, withinMs);
      await closed;
    },
    closed,
  };
}
