import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Fault } from "../../../src/base/errors.js";
import { FrameDecoder } from "../../../transports/framing/decoder.js";
import { DEFAULT_MAX_FRAME_BYTES, FRAMINGS, type Framing, join } from "../../../transports/framing/framings.js";
import { refusedHead } from "../../../transports/framing/refusal.js";
import { casesOf, isWhole } from "../../support/extent.js";

const LIMIT = 1000;

/** The frames that a chunk completes. */
function cutFrom(decoder: FrameDecoder, chunk: Uint8Array): Uint8Array[] {
  const frames: Uint8Array[] = [];
  decoder.push(chunk, frames);
  return frames;
}

function bytes(text: string): Uint8Array {
  return Buffer.from(text);
}

/** What comes out of a stream, whatever the pieces it came in. */
function decode(chunks: readonly Uint8Array[], limit = LIMIT) {
  const decoder = new FrameDecoder(limit);
  const frames: Buffer[] = [];
  let fault: Fault | undefined;
  for (const chunk of chunks) {
    // Copied at once: a frame may share memory with its chunk.
    const lost = decoder.push(chunk, { push: (cut) => frames.push(Buffer.from(cut)) });
    fault ??= lost;
  }
  return { frames, fault, atEnd: decoder.end(), framing: decoder.framing };
}

function chunksOf(stream: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
    stream.subarray(index * size, (index + 1) * size),
  );
}

/** Counts bytes that are copied and searched from here on, until it is called. */
function countWork(): () => { readonly copied: number; readonly searched: number } {
  const arrays: { set: Uint8Array["set"] } = Object.getPrototypeOf(Uint8Array.prototype);
  const { set } = arrays;
  const { indexOf } = Buffer.prototype;
  let [copied, searched] = [0, 0];
  arrays.set = function (this: Uint8Array, source, offset) {
    copied += source.length;
    set.call(this, source, offset);
  };
  Buffer.prototype.indexOf = function (this: Buffer, value: string | number | Uint8Array, from?: number) {
    searched += this.length - (from ?? 0);
    return indexOf.call(this, value, from);
  } as Buffer["indexOf"];
  const restore = () => {
    arrays.set = set;
    Buffer.prototype.indexOf = indexOf;
  };
  onTestFinished(restore);
  return () => {
    restore();
    return { copied, searched };
  };
}

describe("R23: the first byte tells the framing", () => {
  it.each([
    ["length-prefixed", [0, 0, 0, 2, 0x7b, 0x7d]],
    ["newline", [...bytes("{}\n")]],
    ["content-length", [...bytes("Content-Length: 2\r\n\r\n{}")]],
  ] as const)("%s", (framing, stream) => {
    expect(decode([Uint8Array.from(stream)])).toEqual({
      frames: [Buffer.from("{}")],
      fault: undefined,
      atEnd: undefined,
      framing,
    });
  });

  it("passes over white space before it", () => {
    expect(decode([bytes(" \r\n\t{}\n")]).frames).toEqual([Buffer.from("{}")]);
  });

  it("newline: a frame is one line, whatever lines it has within", () => {
    const frames = ["{\n\n}", "\r\n{}\r\n", "{\r\r\n\n\r}"].map(bytes);
    expect(join("newline", frames).toString()).toBe("{  }\n  {}  \n{     }\n");
    expect(frames.map(String)).toEqual(["{\n\n}", "\r\n{}\r\n", "{\r\r\n\n\r}"]);
  });

  it.each(["GET / HTTP/1.1\r\n", "[]\n", "\u{feff}{}\n", "\x80\0\0\0"])(
    "%j is lost, and the sentence names the three framings",
    (start) => {
      const { fault, frames } = decode([bytes(start)]);
      expect(fault?.code).toBe("framing_lost");
      expect(fault?.sentence).toMatch(/4-byte big-endian length.*one JSON text a line.*Content-Length/);
      expect(frames).toEqual([]);
    },
  );

  it.each([
    ["hello\n", "newline", "0x68,"],
    ["[]\n", "newline", "0x5b,"],
    ["\u{feff}{}\n", "newline", "0xef, as a byte order mark"],
    ["\u0001\u0000", undefined, "0x01,"],
  ])("R33: a peer that begins with %j is answered in lines if it writes text", (start, framing, told) => {
    const decoder = new FrameDecoder(100);
    const fault = decoder.push(bytes(start), [] as Uint8Array[]);
    expect(decoder.framing).toBe(framing);
    expect(fault?.sentence).toContain(`The stream begins with byte ${told}`);
  });
});

describe("frames survive any cutting of the stream", () => {
  const frameBytes: Record<Framing, fc.Arbitrary<Uint8Array>> = {
    "length-prefixed": fc.uint8Array({ maxLength: 300 }),
    // A line is a JSON text; what it holds beyond ASCII is not cut either.
    newline: fc
      .json()
      .map((text) => bytes(`{"a":${text},"b":"中😀"}`))
      .filter((cut) => cut.length <= LIMIT),
    "content-length": fc.uint8Array({ maxLength: 300 }),
  };

  it.each(FRAMINGS)("%s, at random places", (framing) => {
    fc.assert(
      fc.property(fc.array(frameBytes[framing], { maxLength: 8 }), fc.array(fc.nat(2000)), (frames, cuts) => {
        const stream = join(framing, frames);
        const places = [0, ...cuts.map((cut) => cut % (stream.length + 1)).sort((a, b) => a - b), stream.length];
        const chunks = places.slice(1).map((end, index) => stream.subarray(places[index], end));
        const decoded = decode(chunks);
        expect(decoded.frames).toEqual(frames.map((cut) => Buffer.from(cut)));
        expect([decoded.fault, decoded.atEnd]).toEqual([undefined, undefined]);
      }),
      { numRuns: casesOf(200) },
    );
  });

  it.each(FRAMINGS)("%s, byte by byte", (framing) => {
    const frames = ['{"text":"中"}', '{"text":"👩‍👩‍👧 é"}', "{}"].map(bytes);
    expect(decode(chunksOf(join(framing, frames), 1)).frames).toEqual(frames);
  });

  it("never throws and never makes a frame above the limit, whatever comes in", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.constantFrom(0x00, 0x7b, 0x43), (chunks, first) => {
        const { frames, fault } = decode([Uint8Array.of(first), ...chunks], 16);
        expect(frames.every((cut) => cut.length <= 16)).toBe(true);
        expect(fault === undefined || ["framing_lost", "message_too_large"].includes(fault.code)).toBe(true);
      }),
      { numRuns: casesOf(500) },
    );
  });
});

describe("limits", () => {
  it.each(FRAMINGS)("%s: a frame of the limit and another in one chunk pass; one byte more does not", (framing) => {
    const largest = bytes(`{${" ".repeat(LIMIT - 2)}}`);
    expect(decode([join(framing, [largest, bytes("{}")])]).frames.map((cut) => cut.length)).toEqual([LIMIT, 2]);
    const { frames, fault } = decode(
      chunksOf(join(framing, [bytes("{}"), bytes(`{${" ".repeat(LIMIT - 1)}}`), bytes("{}")]), 7),
    );
    expect(frames.map(String)).toEqual(["{}"]);
    expect(fault?.code).toBe("message_too_large");
    expect(fault?.sentence).toContain(`${LIMIT} bytes`);
  });

  it("refuses an announced length before it keeps a byte, and tells how the message began", () => {
    const decoder = new FrameDecoder(DEFAULT_MAX_FRAME_BYTES);
    decoder.push(join("length-prefixed", [bytes("{}")]), [] as Uint8Array[]);
    const fault = decoder.push(Buffer.concat([Buffer.from([0x80, 0, 0, 0]), bytes('{"id":1')]), [] as Uint8Array[]);
    expect(fault?.code).toBe("message_too_large");
    expect(fault?.sentence).toContain("2147483648 bytes");
    expect(String(Buffer.from(refusedHead(fault as Fault) ?? []))).toBe('{"id":1');
    expect(cutFrom(decoder, bytes("more"))).toEqual([]);
  });

  it.each(FRAMINGS)(
    "%s: in chunks of one byte each byte is looked at and copied a few times, however many there are",
    (framing) => {
      const size = isWhole ? 1_000_000 : 200_000;
      const stream = join(framing, [bytes(`{"a":"${"x".repeat(size - 8)}"}`)]);
      const decoder = new FrameDecoder(size);
      const work = countWork();
      let frames = 0;
      for (let at = 0; at < stream.length; at++) frames += cutFrom(decoder, stream.subarray(at, at + 1)).length;
      const { copied, searched } = work();
      expect(frames).toBe(1);
      // A quadratic reader copies or searches thousands of times as many. One that copies otherwise is not counted here, and seems to copy nothing.
      expect(copied).toBeGreaterThanOrEqual(size);
      expect(copied).toBeLessThan(4 * size);
      expect(searched).toBeLessThan(4 * size);
    },
  );

  it("holds nothing of a large frame once it is handed out", () => {
    const decoder = new FrameDecoder(16_000_000);
    const large = join("length-prefixed", [new Uint8Array(10_000_000)]);
    let handed = 0;
    for (const chunk of chunksOf(large, 8192))
      for (const cut of cutFrom(decoder, chunk)) handed = cut.buffer.byteLength;
    expect(handed).toBe(10_000_000);
    const [small] = cutFrom(decoder, join("length-prefixed", [bytes("{}")]));
    expect(small?.buffer.byteLength).toBeLessThan(100_000);
  });
});

describe("the end of the stream", () => {
  it.each([
    ["length-prefixed", "\0\0\0\u0005ab"],
    ["length-prefixed", "\0\0"],
    ["newline", '{"a":1'],
    ["content-length", "Content-Length: 4\r\n"],
    ["content-length", "Content-Length: 4\r\n\r\n"],
  ])("in the middle of a message is a fault (%s %j)", (_framing, stream) => {
    expect(decode([bytes(stream)]).atEnd?.code).toBe("framing_lost");
  });

  it("between messages, or before the first, is none", () => {
    expect(decode([]).atEnd).toBeUndefined();
    expect(decode([bytes("\n")]).atEnd).toBeUndefined();
  });
});

describe("Content-Length headers", () => {
  it("passes over spaces and tabs around a value, and reads the values of other headers no further", () => {
    const stream = `Content-Length:\t 2 \t\r\nX:${" ".repeat(3000)}a:b\r\nEmpty:\r\n\r\n{}`;
    expect(decode([bytes(stream)]).frames.map(String)).toEqual(["{}"]);
  });

  it("takes other headers beside it, in any case, and empty lines between messages", () => {
    const stream = "Content-Type: application/json\r\ncontent-length:2\r\n\r\n{}\r\nCONTENT-LENGTH: 3 \n\n{ }";
    expect(decode([bytes(stream)]).frames.map(String)).toEqual(["{}", "{ }"]);
  });

  it.each([
    "CONNECT host:1 HTTP/1.1\r\n",
    "Content-Length: two\r\n",
    "Content-Length: -2\r\n",
    "Content-Type: x\r\n\r\n",
    "Content-Length: 2\r\nContent-Length: 3\r\n",
    `Content-Type: ${"x".repeat(5000)}`,
    "Content-Length: 2 3\r\n",
    "Content-Length:\r\n",
    ": 2\r\n",
    "Content Length: 2\r\n",
    `Content-Length: 2\r\nX:${" ".repeat(4000)}\rb\n`,
  ])("%j is lost", (stream) => {
    expect(decode([bytes(stream)]).fault?.code).toBe("framing_lost");
  });
});

describe("newline", () => {
  it("passes over empty lines and carriage returns before a line end", () => {
    expect(decode([bytes('{}\r\n\r\n\n{"a":1}\r\n')]).frames.map(String)).toEqual(["{}", '{"a":1}']);
  });

  it("lets no line end of a frame out: in JSON it can only be white space", () => {
    const [cut, next] = decode([join("newline", [bytes('{\r\n  "a": 1\n}'), bytes("{}")])]).frames;
    expect(JSON.parse(String(cut))).toEqual({ a: 1 });
    expect(String(next)).toBe("{}");
  });
});

describe("a stream of lines alone", () => {
  it("has a frame for every line, whatever it begins with", () => {
    const decoder = new FrameDecoder(100, true);
    expect(decoder.framing).toBe("newline");
    const frames: Uint8Array[] = [];
    const fault = decoder.push(Buffer.from("INFO starting\r\n\n{}\nContent-Length: 5\n\u0000\n"), frames);
    expect([frames.map(String), fault]).toEqual([["INFO starting", "{}", "Content-Length: 5", "\u0000"], undefined]);
    expect(decoder.push(Buffer.from("x".repeat(102)), [] as Uint8Array[])?.code).toBe("message_too_large");
  });
});
