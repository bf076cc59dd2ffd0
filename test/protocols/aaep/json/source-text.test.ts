import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJsonDocument } from "../../../../src/base/json-document.js";
import { sourceTexts } from "../../../../src/protocols/aaep/json/source-text.js";
import { casesOf } from "../../../support/extent.js";

function textsOf(message: string): readonly string[] {
  const { value, outline } = readJsonDocument(message);
  const isArray = Array.isArray((value as { readonly params: unknown }).params);
  return sourceTexts({ text: message, outline, isLong: false }, isArray);
}

/** JSON with names and texts that a careless reader would stumble over. */
const trickyText = fc.oneof(
  fc.string(),
  fc.constantFrom('"params":', '\\"', "\\\\", "},{", "]}", '"events":[', "\u00e9", "\ud83d\ude00", "{", "[", ":", ","),
);
/** Without the doubles that JSON.stringify writes as whole numbers beyond ±2^53 (R41). */
const anyValue = fc.jsonValue({ maxDepth: 3 }).filter((value) => !/(?<![.\d])\d{16}/.test(JSON.stringify(value)));
const fields = fc.dictionary(trickyText, fc.oneof(trickyText, fc.integer(), anyValue) as fc.Arbitrary<unknown>, {
  maxKeys: 6,
});

/** The same JSON written in other ways. */
const writings: readonly ((value: unknown) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, undefined, 1),
  // With spaces, as other languages' libraries write it.
  (value) => JSON.stringify(value, undefined, 1).replaceAll(/\n */g, " "),
  (value) => JSON.stringify(value).replaceAll("p", "\\u0070"),
];

describe("R2: the agent's own text of an event", () => {
  it("is what stands in the message, whatever surrounds it", () => {
    const message = fc.record({
      params: fc.oneof(fields, fc.array(fields, { maxLength: 4 })),
      before: fc.dictionary(trickyText, trickyText, { maxKeys: 3 }),
      after: fc.dictionary(trickyText, trickyText, { maxKeys: 3 }),
      write: fc.constantFrom(...writings),
    });
    fc.assert(
      fc.property(message, ({ params, before, after, write }) => {
        const { params: _, ...rest } = after as Record<string, unknown>;
        const text = write({ ...before, jsonrpc: "2.0", params, ...rest });
        const parsed = (JSON.parse(text) as { readonly params: unknown }).params;
        const values: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
        const { outline } = readJsonDocument(text);
        const sources = sourceTexts({ text, outline, isLong: false }, Array.isArray(parsed));
        expect(sources.map((source) => JSON.parse(source) as unknown)).toEqual(values);
        expect(sources.every((source) => text.includes(source))).toBe(true);
      }),
      { numRuns: casesOf(2000) },
    );
  });

  it.each([
    ["behind a token", '{"params":{"resume_token":"tok","events":[{"a":{"b":[{}]}},{"c":1}]}}'],
    ["before it", '{"params":{"events":[{"a":{"b":[{}]}},{"c":1}],"resume_token":"tok"}}'],
    [
      "behind lists",
      '{"id":[[{"events":[{}]}]],"params":{"resume_token":"}","\\u0065vents":[{"a":{"b":[{}]}},{"c":1}]}}',
    ],
  ])("R8: is that of the events that stand %s", (_, text) => {
    const { outline } = readJsonDocument(text);
    const sources = sourceTexts({ text, outline, isLong: true }, true);
    expect(sources).toStrictEqual(['{"a":{"b":[{}]}}', '{"c":1}']);
  });

  it("keeps what the agent wrote between", () => {
    const text = '{ "type" : "aaep:agent.session.started",\t"n":1.0 }';
    expect(textsOf(`{"jsonrpc":"2.0","params":${text},"id":1}`)).toEqual([text]);
    expect(textsOf(`{"jsonrpc":"2.0","params":[${text}, ${text}],"id":1}`)).toEqual([text, text]);
  });

  it.each([
    ["in the usual layout", '"params":'],
    ["in another", '"params"\n:'],
  ])("R29: keeps nothing of the message around it: %s", (_, name) => {
    const collect = collector();
    const kept: string[] = [];
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let index = 0; index < 100; index += 1) {
      const message = `{"jsonrpc":"2.0",${name}{"type":"aaep:agent.session.started","number":${index}},"pad":"${"x".repeat(1_000_000)}"}`;
      kept.push(...textsOf(message));
    }
    collect();
    expect(kept).toHaveLength(100);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
  });
});

/** Collects what nobody holds any more, at once. */
function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
