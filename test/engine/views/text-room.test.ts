// AAEP §3.7, R10: the bytes that a text takes, and the room for it in one event.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodedBytes } from "../../../src/base/code-points.js";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { MOST_BYTES_PER_UNIT } from "../../../src/engine/text/text-sizes.js";
import { MAX_TEXT_BYTES, roomForText } from "../../../src/engine/views/text-room.js";
import { anyCharacter } from "../../support/any-character.js";

const written = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

describe("bytes of a text", () => {
  it.each(["", "plain text", 'say "\\"', "\n\r\t", "é߿", "ࠀ漢\uffff", "👍", "\u0000\u0001\u001f\u007f"])(
    "%j",
    (text) => {
      expect(encodedBytes(text)).toBe(written(text));
      expect(encodedBytes(text, false)).toBe(Buffer.byteLength(text));
    },
  );

  it("of any text without \\b and \\f, which count as six", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const plain = text.replace(/[\b\f]/g, "");
        expect(encodedBytes(plain)).toBe(written(plain));
        expect(encodedBytes(text)).toBeGreaterThanOrEqual(written(text));
        expect(encodedBytes(text)).toBeLessThanOrEqual(text.length * MOST_BYTES_PER_UNIT);
        expect(encodedBytes(text, false)).toBe(Buffer.byteLength(text));
      }),
    );
    expect(encodedBytes("\b\f")).toBe(12);
  });
});

describe("room for a text", () => {
  const base = { event_id: "evt_1", chunk: "x".repeat(5000) } as unknown as AgentEvent;

  it("beside short fields is 60 KiB", () => {
    expect(roomForText(base)).toBe(MAX_TEXT_BYTES);
  });

  it("beside long fields is what they leave of 64 KiB, less 512 bytes, and at least 1 KiB", () => {
    const withNote = (bytes: number) => roomForText({ ...base, note: "n".repeat(bytes) } as unknown as AgentEvent);
    const others = Buffer.byteLength(JSON.stringify({ ...base, chunk: "", note: "" }));
    expect(withNote(10_000)).toBe(64 * 1024 - 512 - others - 10_000);
    expect(withNote(64 * 1024)).toBe(1024);
  });
});
