// The client of a stream both ways as a Connection of bytes, for the contract of transports.

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { createClient, type Transport } from "@connectrpc/connect";
import { type AaepMessage, AaepMessageSchema, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import type { CloseInfo, Connection } from "../../../src/contracts/transport.js";
import { ONLY_ITERATED } from "../../support/peers/frames.js";

const MOST_WAITING = 16;

export function bidiClient(transport: Transport, hangUp: () => void): Connection<Uint8Array> {
  const waiting: AaepMessage[] = [];
  let isEnded = false;
  let isClosed = false;
  let wakeSender = (): void => {};
  let releases: (() => void)[] = [];
  let tellClosed: (info: CloseInfo) => void = () => {};
  const closed = new Promise<CloseInfo>((resolve) => {
    tellClosed = resolve;
  });
  const release = (): void => {
    for (const one of releases) one();
    releases = [];
  };
  const finish = (): void => {
    if (isClosed) return;
    isClosed = true;
    waiting.length = 0;
    wakeSender();
    release();
    tellClosed({ kind: isEnded ? "local" : "remote" });
    hangUp();
  };

  async function* requests(): AsyncGenerator<AaepMessage> {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) {
        if (waiting.length < MOST_WAITING) release();
        yield next;
      } else if (isEnded || isClosed) return;
      else
        await new Promise<void>((resolve) => {
          wakeSender = resolve;
        });
    }
  }

  const responses = createClient(AaepService, transport).subscribe(requests())[Symbol.asyncIterator]();
  // Asked for at once: the call begins with it.
  let first: Promise<IteratorResult<AaepMessage>> | undefined = responses.next();
  first.catch(() => {});
  const next = async (): Promise<IteratorResult<AaepMessage>> => {
    const result = first ?? responses.next();
    first = undefined;
    return result;
  };

  const send = (bytes: Uint8Array): boolean => {
    if (isClosed || isEnded) return false;
    waiting.push(fromBinary(AaepMessageSchema, bytes));
    wakeSender();
    return waiting.length < MOST_WAITING;
  };
  return {
    ...ONLY_ITERATED,
    peer: { label: "client", trust: "same-user" },
    frames: {
      [Symbol.asyncIterator]: () => ({
        next: async () => {
          try {
            const { done, value } = await next();
            if (done !== true) return { done: false, value: [toBinary(AaepMessageSchema, value)] };
          } catch {
            // How the call ended is not the contract's.
          }
          finish();
          return { done: true, value: undefined };
        },
      }),
    },
    send,
    sendBatch: ({ frames, last, joined }) => {
      joined.set("client", true);
      return (last === undefined ? frames : [...frames, last]).map(send).every(Boolean);
    },
    writable: () =>
      isClosed || isEnded || waiting.length < MOST_WAITING
        ? Promise.resolve()
        : new Promise((resolve) => releases.push(resolve)),
    close: async () => {
      isEnded = true;
      wakeSender();
      release();
      try {
        while ((await next()).done !== true);
      } catch {
        // Likewise.
      }
      finish();
    },
    closed,
  };
}
