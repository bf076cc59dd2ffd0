import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type DerivedIdFacts, derivedEventId, parseDerivedId } from "../../../src/engine/event/derived-id.js";
import { casesOf } from "../../support/extent.js";

const services = { sha256Hex: (text: string) => createHash("sha256").update(text).digest("hex") };

const facts = fc.record<DerivedIdFacts>({
  epoch: fc.maxSafeNat(),
  sessionId: fc.string(),
  about: fc.string(),
  start: fc.nat(0xffff_ffff),
  end: fc.nat(0xffff_ffff),
  shape: fc.string(),
  boundaries: fc.array(fc.string(), { maxLength: 3 }),
});

describe("derivedEventId", () => {
  test("R12: is an AAEP event id that gives its epoch, start and end back", () => {
    fc.assert(
      fc.property(facts, (one) => {
        const id = derivedEventId(one, services);
        expect(id).toMatch(/^evt_[A-Za-z0-9]{64}$/);
        expect(parseDerivedId(id)).toEqual({ epoch: one.epoch, start: one.start, end: one.end });
        expect(derivedEventId({ ...one }, services)).toBe(id);
      }),
      { numRuns: casesOf(1000) },
    );
  });

  test("R12: differs when anything it stands for differs", () => {
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        const same = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
        expect(derivedEventId(one, services) === derivedEventId(other, services)).toBe(same);
        for (const member of Object.keys(one) as (keyof DerivedIdFacts)[]) {
          const mixed = { ...one, [member]: other[member] };
          const unchanged = JSON.stringify(one[member]) === JSON.stringify(other[member]);
          expect(derivedEventId(mixed, services) === derivedEventId(one, services)).toBe(unchanged);
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });

  test("R12: parts of neighbouring fields do not run together", () => {
    const base = { epoch: 1, start: 0, end: 0, shape: "", boundaries: [] };
    expect(derivedEventId({ ...base, sessionId: "ab", about: "c" }, services)).not.toBe(
      derivedEventId({ ...base, sessionId: "a", about: "bc" }, services),
    );
  });

  test("R12: ids of other forms say nothing", () => {
    const tail = "0".repeat(48);
    expect(parseDerivedId("evt_8a3f5b22c91e4d7a")).toBeUndefined();
    expect(parseDerivedId(`evt_0020000000000000${tail}`)).toBeUndefined();
    expect(parseDerivedId(`evt_001fffffffffffff${tail}`)?.epoch).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseDerivedId(`evt_000000000000000G${tail}`)).toBeUndefined();
  });
});
