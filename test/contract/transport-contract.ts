// What every transport must do, whatever it is made of. A transport's test calls this function with a subject: a few lines that open a pair.
import { describe, expect, it } from "vitest";
import { Fault } from "../../src/base/errors.js";
import type { CloseInfo, Connection, FrameBatch, PeekableConnection } from "../../src/contracts/transport.js";
import { expectNothingLeftOpen } from "../support/open-handles.js";
import { isStill } from "../support/patience.js";
import { drain, takeFrames } from "../support/peers/frames.js";

export interface Pair {
  /** The end that listened. */
  readonly server: Connection<Uint8Array>;
  readonly client: Connection<Uint8Array>;
  /** The server's end where several protocols share it, so that its first frames are looked at (R23). */
  readonly peekable: PeekableConnection<Uint8Array> | { readonly notBecause: string };
  /** Makes the client vanish as a killed process does. */
  readonly killClient: () => void;
  /** Writes bytes as they are from the client's side, past its framing. */
  readonly writeRaw?: (bytes: Uint8Array) => void;
  /** Stops the listener; the pair lives on. */
  readonly stop: () => Promise<void>;
}

export interface Subject {
  readonly name: string;
  readonly maxFrameBytes: number | { readonly unlimitedBecause: string };
  /** A frame of that size which this transport carries unchanged. Different for each `seed`. */
  readonly frameOf: (bytes: number, seed: number) => Uint8Array;
  /** The smallest frame there can be. */
  readonly smallestFrameBytes: number;
  /** How a frame stands on the wire, where there is a wire. */
  readonly onTheWire: ((frames: readonly Uint8Array[]) => Uint8Array) | { readonly notBecause: string };
  readonly trust: Connection<Uint8Array>["peer"]["trust"];
  readonly open: () => Promise<Pair>;
  /** Listens twice at one address; answers the second's fault. */
  readonly listenTwice: (() => Promise<unknown>) | { readonly notBecause: string };
}

const KIB = 1024;

export function transportContract(subject: Subject): void {
  describe(`transport contract: ${subject.name}`, () => {
    const { frameOf } = subject;

    async function opened(): Promise<Pair> {
      expectNothingLeftOpen();
      return subject.open();
    }

    async function closeBoth({ server, client, stop }: Pair): Promise<void> {
      await Promise.all([client.close(), server.close(), stop()]);
    }

    function runOf(frames: readonly Uint8Array[]): FrameBatch<Uint8Array> {
      return { frames, joined: new Map() };
    }

    it("AAEP §8.2.1: carries frames of every size byte-identical, in order, both ways", async () => {
      const pair = await opened();
      const sizes = [subject.smallestFrameBytes, Math.max(1, subject.smallestFrameBytes), 64 * KIB, 1024 * KIB, 17];
      const frames = sizes.map((size, seed) => frameOf(size, seed));
      for (const [from, to] of [
        [pair.client, pair.server],
        [pair.server, pair.client],
      ] as const) {
        const received = takeFrames(to.frames[Symbol.asyncIterator](), frames.length);
        for (const frame of frames) if (!from.send(frame)) await from.writable();
        const got = await received;
        expect(got.length).toBe(frames.length);
        got.forEach((frame, index) => {
          expect(Buffer.compare(frame, frames[index] ?? new Uint8Array(0))).toBe(0);
        });
      }
      await closeBoth(pair);
    });

    it("AAEP §8.2.3: keeps the order of frames and runs handed over in one turn, and shares a run's bytes", async () => {
      const pair = await opened();
      const [a, b, c, d] = [1, 2, 3, 4].map((seed) => frameOf(100 + seed, seed)) as [
        Uint8Array,
        Uint8Array,
        Uint8Array,
        Uint8Array,
      ];
      const batch = runOf([b, c]);
      const received = takeFrames(pair.server.frames[Symbol.asyncIterator](), 6);
      pair.client.send(a);
      pair.client.sendBatch(batch);
      const encodings = batch.joined.size;
      pair.client.sendBatch(batch);
      pair.client.send(d);
      expect((await received).map((frame) => Buffer.from(frame))).toEqual(
        [a, b, c, b, c, d].map((frame) => Buffer.from(frame)),
      );
      expect(batch.joined.size).toBe(encodings);
      await closeBoth(pair);
    });

    it("R17: a run's last frame comes behind its others, and alone where there are none", async () => {
      const pair = await opened();
      const [a, b, last, d] = [1, 2, 3, 4].map((seed) => frameOf(100 + seed, seed)) as [
        Uint8Array,
        Uint8Array,
        Uint8Array,
        Uint8Array,
      ];
      const [both, alone] = [
        { frames: [a, b], last, joined: new Map() },
        { frames: [], last, joined: new Map() },
      ];
      for (const [from, to] of [
        [pair.client, pair.server],
        [pair.server, pair.client],
      ] as const) {
        const received = takeFrames(to.frames[Symbol.asyncIterator](), 8);
        from.sendBatch(both);
        from.sendBatch(alone);
        from.send(d);
        from.sendBatch(both);
        expect((await received).map((frame) => Buffer.from(frame))).toEqual(
          [a, b, last, last, d, a, b, last].map((frame) => Buffer.from(frame)),
        );
      }
      await closeBoth(pair);
    });

    it("finds frames split and joined at every position", async () => {
      if (typeof subject.onTheWire !== "function") return expect(subject.onTheWire.notBecause).not.toBe("");
      const frames = [frameOf(23, 1), frameOf(Math.max(1, subject.smallestFrameBytes), 2), frameOf(40, 3)];
      const bytes = subject.onTheWire(frames);
      const pair = await opened();
      const iterator = pair.server.frames[Symbol.asyncIterator]();
      for (let cut = 0; cut <= bytes.length; cut++) {
        const received = takeFrames(iterator, frames.length);
        pair.writeRaw?.(bytes.subarray(0, cut));
        // The next turn brings the rest as another read.
        await new Promise(setImmediate);
        pair.writeRaw?.(bytes.subarray(cut));
        expect((await received).map((frame) => Buffer.from(frame))).toEqual(frames.map((frame) => Buffer.from(frame)));
      }
      await closeBoth(pair);
    });

    it("takes a frame of exactly the limit, and refuses the next larger one after those before it", async () => {
      if (typeof subject.maxFrameBytes !== "number") return expect(subject.maxFrameBytes.unlimitedBecause).not.toBe("");
      const pair = await opened();
      const received: Uint8Array[] = [];
      const serverDone = drain(pair.server, (frames) => received.push(...frames));
      const clientDone = drain(pair.client);
      pair.client.send(frameOf(subject.maxFrameBytes, 1));
      pair.client.send(frameOf(subject.maxFrameBytes + 1, 2));
      const fault = (await serverDone) as Fault;
      expect(fault).toBeInstanceOf(Fault);
      expect(fault.code).toBe("message_too_large");
      expect(received.map((frame) => frame.length)).toEqual([subject.maxFrameBytes]);
      expect((await pair.server.closed).fault?.code).toBe("message_too_large");
      await clientDone;
      await pair.stop();
    });

    it("answers false while the peer does not read, with bounded memory, and goes on when it does", async () => {
      const pair = await opened();
      const frame = frameOf(4 * KIB, 1);
      let handedOver = 1;
      let slow = false;
      for (; handedOver < 100_000 && !slow; handedOver++) {
        if (pair.server.send(frame)) continue;
        slow = await isStill(pair.server.writable());
      }
      expect(slow).toBe(true);
      expect(handedOver * frame.length).toBeLessThan(8 * KIB * KIB);
      const writable = pair.server.writable();
      const received = takeFrames(pair.client.frames[Symbol.asyncIterator](), handedOver - 1);
      await writable;
      expect((await received).length).toBe(handedOver - 1);
      await closeBoth(pair);
    });

    it("AAEP §8.2.5: tells both ends of an orderly close once, after everything handed over has arrived", async () => {
      const pair = await opened();
      const received: Uint8Array[] = [];
      const serverDone = drain(pair.server, (frames) => received.push(...frames));
      pair.client.send(frameOf(10, 1));
      pair.client.send(frameOf(200 * KIB, 2));
      await pair.client.close();
      expect(await serverDone).toBeUndefined();
      expect(received.map((frame) => frame.length)).toEqual([10, 200 * KIB]);
      expect((await pair.client.closed).kind).toBe("local");
      expect((await pair.server.closed).kind).toBe("remote");
      expect(pair.client.send(frameOf(10, 3))).toBe(false);
      await pair.client.writable();
      await pair.client.close();
      await pair.stop();
    });

    it("R8a: can still send to a peer that has ended its side", async () => {
      const pair = await opened();
      const clientFrames = pair.client.frames[Symbol.asyncIterator]();
      const serverFrames = pair.server.frames[Symbol.asyncIterator]();
      pair.client.send(frameOf(10, 1));
      await takeFrames(serverFrames, 1);
      pair.server.send(frameOf(20, 2));
      const closing = pair.server.close(new Fault("shutting_down", "The test ends.", { origin: "local" }));
      expect((await takeFrames(clientFrames, 1)).map((frame) => frame.length)).toEqual([20]);
      expect((await clientFrames.next()).done).toBe(true);
      await pair.client.close();
      await closing;
      const info: CloseInfo = await pair.server.closed;
      expect([info.kind, info.fault?.code]).toEqual(["local", "shutting_down"]);
      await pair.stop();
    });

    it("a peer that vanishes while frames go to it closes the connection, and lets go of who waits to send", async () => {
      const pair = await opened();
      const frame = frameOf(64 * KIB, 1);
      const thrown = drain(pair.server);
      let waited: Promise<void> = Promise.resolve();
      for (let index = 0; index < 32; index++) if (!pair.server.send(frame)) waited = pair.server.writable();
      await new Promise(setImmediate);
      pair.killClient();
      await waited;
      await thrown;
      expect(["abrupt", "remote"]).toContain((await pair.server.closed).kind);
      expect(pair.server.send(frame)).toBe(false);
      await pair.client.close();
      await pair.stop();
    });

    it("closes during a flood from the other side", async () => {
      const pair = await opened();
      let flooding = true;
      const frame = frameOf(16 * KIB, 1);
      const flood = (async () => {
        while (flooding) {
          if (!pair.client.send(frame)) await pair.client.writable();
          await new Promise(setImmediate);
        }
      })();
      const clientDone = drain(pair.client);
      await takeFrames(pair.server.frames[Symbol.asyncIterator](), 3);
      await pair.server.close();
      expect((await pair.server.closed).kind).toBe("local");
      await clientDone;
      expect((await pair.client.closed).kind).toBe("remote");
      flooding = false;
      await flood;
      await pair.stop();
    });

    it("stops listening without touching the connections there are", async () => {
      const pair = await opened();
      await pair.stop();
      await pair.stop();
      pair.client.send(frameOf(10, 1));
      expect((await takeFrames(pair.server.frames[Symbol.asyncIterator](), 1)).length).toBe(1);
      await closeBoth(pair);
    });

    it("refuses a second listener at one address", async () => {
      if (typeof subject.listenTwice !== "function") return expect(subject.listenTwice.notBecause).not.toBe("");
      expectNothingLeftOpen();
      const fault = await subject.listenTwice();
      expect((fault as Fault).code).toBe("address_in_use");
    });

    it("R23: first frames that were looked at stay to be taken, and others follow them", async () => {
      const pair = await opened();
      const { peekable } = pair;
      if (!("peek" in peekable)) {
        expect(peekable.notBecause).not.toBe("");
        return closeBoth(pair);
      }
      pair.client.send(frameOf(100, 1));
      const [first] = await peekable.peek();
      pair.client.send(frameOf(100, 2));
      const received = await takeFrames(pair.server.frames[Symbol.asyncIterator](), 2);
      expect(received.map((frame) => Buffer.from(frame))).toEqual(
        [1, 2].map((seed) => Buffer.from(frameOf(100, seed))),
      );
      expect(Buffer.from(first ?? [])).toEqual(Buffer.from(frameOf(100, 1)));
      await closeBoth(pair);
    });

    it("R23: looking at the first frames of a peer that ends without any finds none, and the iteration ends", async () => {
      const pair = await opened();
      const { peekable } = pair;
      if (!("peek" in peekable)) return closeBoth(pair);
      const peeked = peekable.peek();
      const closed = pair.client.close();
      expect(await peeked).toEqual([]);
      expect(await takeFrames(pair.server.frames[Symbol.asyncIterator](), 1)).toEqual([]);
      await Promise.all([closed, closeBoth(pair)]);
    });

    it("R23: what is wrong with the first frames is told to who looks at them, and to the iteration", async () => {
      const pair = await opened();
      const { peekable } = pair;
      if (!("peek" in peekable)) return closeBoth(pair);
      const peeked = peekable.peek().catch((caught: unknown) => caught);
      pair.killClient();
      const seen = await peeked;
      if (seen instanceof Fault) expect(await drain(pair.server)).toBe(seen);
      else expect([seen, await drain(pair.server)]).toEqual([[], undefined]);
      await Promise.all([pair.client.close(), pair.server.close(), pair.stop()]);
    });

    it("says who the peer is", async () => {
      const pair = await opened();
      expect(pair.server.peer.trust).toBe(subject.trust);
      expect(pair.server.peer.label).not.toBe("");
      await closeBoth(pair);
    });
  });
}
