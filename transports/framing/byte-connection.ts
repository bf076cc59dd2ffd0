// A Connection over a pair of Node streams: a socket, or the two ends of stdio. Framing is in decoder.ts and framings.ts, reading in
// inbox.ts, writing in outbox.ts; what lives here is the life of the connection.
import type { Readable, Writable } from "node:stream";
import { Fault } from "../../src/base/errors.js";
import type { CloseInfo, Connection, PeerIdentity } from "../../src/contracts/transport.js";
import { faultFromNodeError } from "../node-errors.js";
import { createFrameDecoder } from "./decoder.js";
import { createInbox } from "./inbox.js";
import { type ByteConnectionOptions, resolveByteConnectionOptions } from "./options.js";
import { createOutbox } from "./outbox.js";

/** The two directions; a duplex stream is given as both. A socket must have been made with `allowHalfOpen`. */
export interface ByteStreams {
  readonly readable: Readable;
  readonly writable: Writable;
}

/**
 * The frames of one peer. It reads only while `frames` is asked, answers in the framing it was spoken to in (R23), and sends what is handed over in
 * one turn of the event loop with one write.
 *
 * When the peer ends its side, `frames` ends and sending goes on until `close` is called; so it does after a fault of framing, for the
 * answer that tells the peer (R33). A connection that breaks closes by itself.
 */
export function createByteConnection(
  streams: ByteStreams,
  peer: PeerIdentity,
  options: ByteConnectionOptions = {},
): Connection<Uint8Array> {
  const { readable, writable } = streams;
  const resolved = resolveByteConnectionOptions(options);
  const decoder = createFrameDecoder(resolved.maxFrameBytes);
  let tellClosed: (info: CloseInfo) => void = () => {};
  const closed = new Promise<CloseInfo>((resolve) => {
    tellClosed = resolve;
  });
  let state: "open" | "closing" | "closed" = "open";
  let peerEnded = false;
  let lost: Fault | undefined;
  /** How it will have closed, once `close` was called. */
  let closing: CloseInfo = { kind: "local" };
  let cancelDeadline: () => void = () => {};

  const inbox = createInbox(readable, decoder, (fault) => {
    if (fault === undefined) peerEnded = true;
    else lost = fault;
  });
  const outbox = createOutbox(writable, {
    framing: () => decoder.framing() ?? resolved.framing,
    highWaterMarkBytes: resolved.highWaterMarkBytes,
    maxBufferedBytes: resolved.maxBufferedBytes,
    onOverflow: () => breakOff(doesNotRead(peer, resolved.maxBufferedBytes)),
  });

  function finish(info: CloseInfo): void {
    if (state === "closed") return;
    state = "closed";
    cancelDeadline();
    outbox.settle();
    readable.destroy();
    writable.destroy();
    // A turn later the descriptors are closed as well.
    setImmediate(tellClosed, info);
  }

  /** Something broke. After the peer's orderly end, or after our own close, that is no news. */
  function breakOff(fault: Fault): void {
    if (state === "closed") return;
    if (state === "closing") {
      finish(closing);
    } else {
      inbox.fail(fault);
      finish(peerEnded && fault.code === "peer_gone" ? { kind: "remote" } : { kind: "abrupt", fault });
    }
  }

  function onError(error: Error): void {
    breakOff(faultFromNodeError(error, peer.label));
  }

  function onGone(): void {
    breakOff(new Fault("peer_gone", `The connection to ${peer.label} has ended. Connect again to go on.`));
  }

  const separate = !Object.is(readable, writable);
  readable.on("error", onError);
  readable.on("close", () => {
    // A standard input of its own closes after its end, while answers still go out (R8a).
    if (separate && readable.readableEnded) return;
    onGone();
  });
  if (separate) {
    writable.on("error", onError);
    writable.on("close", () => {
      // Once all has left, the peer's own end is waited for.
      if (!writable.writableFinished) onGone();
    });
  }

  function close(fault?: Fault): void {
    if (state !== "open") return;
    state = "closing";
    closing = closeInfo(peerEnded, lost, fault);
    outbox.flush();
    // From here on `send` answers false, and who waits to send goes on.
    outbox.settle();
    inbox.stop();
    cancelDeadline = resolved.after(resolved.closeTimeoutMs, () => finish(closing));
    writable.end(() => {
      if (state === "closed") return;
      if (peerEnded || readable.readableEnded) {
        finish(closing);
        return;
      }
      // With what it still sends unread, the peer would see a reset in place of an end.
      cancelDeadline();
      cancelDeadline = resolved.after(Math.min(resolved.lingerTimeoutMs, resolved.closeTimeoutMs), () =>
        finish(closing),
      );
      readable.once("end", () => finish(closing));
    });
  }

  return {
    peer,
    frames: inbox.frames,
    send: outbox.send,
    sendRun: outbox.sendRun,
    writable: outbox.writable,
    close: async (fault) => {
      close(fault);
      await closed;
    },
    closed,
  };
}

function closeInfo(peerEnded: boolean, lost: Fault | undefined, given: Fault | undefined): CloseInfo {
  if (lost !== undefined) return { kind: "abrupt", fault: lost };
  const kind = peerEnded ? "remote" : "local";
  return given === undefined ? { kind } : { kind, fault: given };
}

function doesNotRead(peer: PeerIdentity, maxBufferedBytes: number): Fault {
  return new Fault(
    "peer_gone",
    `${peer.label} does not read: more than ${maxBufferedBytes} bytes wait for it. Read faster, or connect again and resume.`,
  );
}
