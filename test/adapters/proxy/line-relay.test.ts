// Bytes pass unchanged, whatever they are and wherever they are cut. Lines of our own come between lines only.
import { PassThrough, Readable, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createLateReading } from "../../../src/adapters/proxy/late-reading.js";
import { type LineReader, MOST_READ_BYTES, relayLines, type Verdict } from "../../../src/adapters/proxy/line-relay.js";
import { hostileLines } from "../hostile-lines.js";

function stage({ holds = false, verdict }: { holds?: boolean; verdict?: (line: string) => Verdict } = {}) {
  const source = new PassThrough();
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  const read: { readonly line: string; readonly isWhole: boolean }[] = [];
  const faults: unknown[] = [];
  const reader: LineReader = {
    holds: () => holds,
    read: (line, isWhole) => {
      read.push({ line: line.toString(), isWhole });
      return verdict?.(line.toString()) ?? "pass";
    },
  };
  // Reads at once. One test is about the time.
  const late = { add: (work: () => void) => work(), catchUp: () => {} };
  const relay = relayLines({ source, sink, reader, late, onFault: (caught) => faults.push(caught) });
  return { read, faults, out: () => Buffer.concat(chunks), inject: relay.inject, ended: relay.ended, source };
}

/** Gives the source a chunk, and lets it be read. */
async function give({ source }: { readonly source: PassThrough }, chunk: Buffer | string): Promise<void> {
  source.write(chunk);
  await new Promise(setImmediate);
}

const SMALL = Buffer.concat(hostileLines().filter((line) => line.length < 1000));

describe.each([false, true])("held: %s", (holds) => {
  test("bytes are the same wherever they are cut, and each line is read once and whole", async () => {
    const lines = SMALL.toString().match(/[^\n]*\n|[^\n]+$/g);
    for (let cut = 1; cut < SMALL.length; cut++) {
      const on = stage({ holds });
      on.source.write(SMALL.subarray(0, cut));
      on.source.end(SMALL.subarray(cut));
      await on.ended;
      expect(on.out().equals(SMALL), `cut at ${cut}`).toBe(true);
      expect(on.read.map(({ line }) => line)).toEqual(lines);
    }
  });

  test("bytes are the same if they come one at a time", async () => {
    const on = stage({ holds });
    for (const byte of SMALL) on.source.write(Buffer.of(byte));
    on.source.end();
    await on.ended;
    expect(on.out().equals(SMALL)).toBe(true);
  });

  test("of a line that is too long the reader gets the beginning, and the sink everything", async () => {
    const on = stage({ holds });
    const long = Buffer.concat([Buffer.alloc(MOST_READ_BYTES + 5, "a"), Buffer.from("\nshort\n")]);
    for (let from = 0; from < long.length; from += 100_000) on.source.write(long.subarray(from, from + 100_000));
    on.source.end();
    await on.ended;
    expect(on.out().equals(long)).toBe(true);
    expect(on.read.map(({ line, isWhole }) => [line.length, isWhole])).toEqual([
      [MOST_READ_BYTES, false],
      [6, true],
    ]);
  });

  test("a line of our own waits for the end of the line that is under way", async () => {
    const on = stage({ holds });
    on.inject("first");
    await give(on, "one\ntw");
    on.inject("between");
    expect(on.out().toString()).toBe(holds ? "first\none\nbetween\n" : "first\none\ntw");
    await give(on, "o\nthree\n");
    on.inject("last");
    expect(on.out().toString()).toBe(
      holds ? "first\none\nbetween\ntwo\nthree\nlast\n" : "first\none\ntwo\nbetween\nthree\nlast\n",
    );
    on.source.end();
    await on.ended;
    on.inject("too late");
    expect(on.out().toString()).not.toContain("too late");
  });

  test("a reader that throws is reported, and its line passes", async () => {
    const on = stage({
      holds,
      verdict: () => {
        throw new Error("A mistake.");
      },
    });
    on.source.end("one\ntwo\n");
    await on.ended;
    expect(on.out().toString()).toBe("one\ntwo\n");
    expect(on.faults).toHaveLength(2);
  });
});

test("a held line is swallowed alone, also the last one without its end, and one that is too long", async () => {
  const long = `drop${"x".repeat(MOST_READ_BYTES)}`;
  const on = stage({ holds: true, verdict: (line) => (line.startsWith("drop") ? "swallow" : "pass") });
  for (const piece of ["keep 1\ndrop 2\nke", "ep 3\nd", "rop 4\n", long, "more of it\nkeep 5\n", "drop 6"])
    await give(on, piece);
  on.source.end();
  await on.ended;
  expect(on.out().toString()).toBe("keep 1\nkeep 3\nkeep 5\n");
});

test("what is held is judged before it passes, and what is not, afterwards", async () => {
  const order: string[] = [];
  for (const holds of [true, false]) {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        order.push(`write ${chunk.toString().trim()}`);
        done();
      },
    });
    const source = Readable.from([Buffer.from("a\n"), Buffer.from("b\n")]);
    const read = (line: Buffer): Verdict => {
      order.push(`read ${line.toString().trim()}`);
      return "pass";
    };
    await relayLines({ source, sink, reader: { holds: () => holds, read }, onFault: () => {} }).ended;
  }
  expect(order).toEqual(["read a", "write a", "read b", "write b", "write a", "write b", "read a", "read b"]);
});

test("a line that has passed is read before one that is held, whichever direction it had, and before what asks for it", async () => {
  const late = createLateReading();
  const order: string[] = [];
  let isHeld = false;
  const directions = ["down", "up"].map((name) => {
    const source = new PassThrough();
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        order.push(`${name} writes ${chunk.toString().trim()}`);
        done();
      },
    });
    const read = (line: Buffer): Verdict => {
      order.push(`${name} reads ${line.toString().trim()}`);
      return "pass";
    };
    relayLines({ source, sink, reader: { holds: () => isHeld, read }, late, onFault: () => {} });
    return source;
  });
  const give = async (direction: number, line: string): Promise<void> => {
    directions[direction]?.write(`${line}\n`);
    await new Promise((resolve) => process.nextTick(resolve));
  };
  await give(0, "a");
  await give(1, "b");
  isHeld = true;
  await give(0, "c");
  isHeld = false;
  await give(1, "d");
  late.catchUp();
  expect(order).toEqual([
    "down writes a",
    "up writes b",
    "down reads a",
    "up reads b",
    "down reads c",
    "down writes c",
    "up writes d",
    "up reads d",
  ]);
});

test("the source is read only as fast as the sink takes", async () => {
  let given = 0;
  const source = new Readable({
    highWaterMark: 1024,
    read() {
      given += 1024;
      this.push(Buffer.alloc(1024, given > 1_000_000 ? "\n" : "a"));
    },
  });
  let goOn = (): void => {};
  const sink = new Writable({
    highWaterMark: 1024,
    write: (_chunk, _encoding, done) => {
      goOn = done;
    },
  });
  const relay = relayLines({ source, sink, reader: { holds: () => false, read: () => "pass" }, onFault: () => {} });
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(relay.isFlowing()).toBe(false);
  const before = given;
  expect(before).toBeLessThan(16_384);
  goOn();
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(given).toBeGreaterThan(before);
  source.destroy();
});

test("a sink that breaks ends its source, so that the writer learns of it", async () => {
  const source = new PassThrough();
  const sink = new Writable({ write: (_chunk, _encoding, done) => done(new Error("Nobody reads.")) });
  const { ended } = relayLines({ source, sink, reader: { holds: () => false, read: () => "pass" }, onFault: () => {} });
  source.write("one\n");
  await ended;
  expect(source.destroyed).toBe(true);
});
