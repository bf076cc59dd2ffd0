// AAEP §3.7: the soft limits, also of an event that gets one more field.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  isWithinLimits,
  limitBreaches,
  MAX_EVENT_BYTES,
  MAX_FIELD_COUNT,
} from "../../../../src/protocols/aaep/validation/limits.js";

const kindsOf = (event: object, addedBytes?: number) => limitBreaches(event, addedBytes).map(({ kind }) => kind);
const fields = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));

describe("fields", () => {
  it("are counted with the prefixes of extensions and with the one that will be added", () => {
    const full = fields(MAX_FIELD_COUNT);
    const withExtensions = { ...fields(MAX_FIELD_COUNT - 3), extensions: { a: {}, b: {} } };
    for (const event of [full, withExtensions]) {
      expect([kindsOf(event), isWithinLimits(event)]).toEqual([[], true]);
      expect([kindsOf(event, 10), isWithinLimits(event, 10)]).toEqual([["fields"], false]);
      expect(kindsOf({ ...event, more: "x".repeat(16_384) })).toEqual(["fields"]);
      expect(kindsOf({ ...event, more: "x".repeat(16_385) })).toEqual(["fields", "string"]);
    }
    expect(limitBreaches(full, 10)[0]?.sentence).toContain(`this one has ${MAX_FIELD_COUNT + 1}.`);
  });
});

describe("bytes", () => {
  const noteOf = (text: string, parts: number) => ({ notes: Array.from({ length: parts }, () => text) });

  it.each(["x", "é", "߿", "ࠀ", "日", "\uffff", "😀", '"', "\\", "\n"])(
    "are those of JSON in UTF-8, of %j",
    (character) => {
      const event = noteOf(character.repeat(4000), 4);
      const bytes = Buffer.byteLength(JSON.stringify(event));
      const room = MAX_EVENT_BYTES - bytes;
      if (room > 0) {
        expect([kindsOf(event, room), isWithinLimits(event, room)]).toEqual([[], true]);
        expect([kindsOf(event, room + 1), isWithinLimits(event, room + 1)]).toEqual([["bytes"], false]);
      }
      const long = noteOf(character.repeat(8000), 9);
      const counted = Buffer.byteLength(JSON.stringify(long));
      const [breach] = limitBreaches(long);
      expect(breach?.sentence).toContain(`this one has ${counted}.`);
    },
  );

  it("are estimated no lower than they are", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 20 }), (event) => {
        const breaches = limitBreaches(event);
        expect(isWithinLimits(event)).toBe(breaches.length === 0);
        const bytes = Buffer.byteLength(JSON.stringify(event));
        expect(isWithinLimits(event, MAX_EVENT_BYTES - bytes + 1)).toBe(false);
      }),
    );
  });
});
