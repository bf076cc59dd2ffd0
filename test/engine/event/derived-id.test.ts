import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isMergedId, type MergedParts, mergedEventId } from "../../../src/engine/event/derived-id.js";
import { casesOf } from "../../support/extent.js";

const services = { sha256Hex: (text: string) => createHash("sha256").update(text).digest("hex") };

const parts = fc.record<MergedParts>({
  sessionId: fc.string(),
  about: fc.string(),
  start: fc.nat(0xffff_ffff),
  end: fc.nat(0xffff_ffff),
  shape: fc.string(),
  boundaries: fc.string(),
});

describe("R12: the id of a merged event", () => {
  test("is an AAEP event id, and the same for the same text and terms", () => {
    fc.assert(
      fc.property(parts, (one) => {
        const id = mergedEventId(one, services);
        expect(id).toMatch(/^evt_[0-9a-f]{40}$/);
        expect(isMergedId(id)).toBe(true);
        expect(mergedEventId({ ...one }, services)).toBe(id);
      }),
      { numRuns: casesOf(1000) },
    );
  });

  test("differs when anything it stands for differs", () => {
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        for (const member of Object.keys(one) as (keyof MergedParts)[]) {
          const mixed = { ...one, [member]: other[member] };
          const isSame = one[member] === other[member];
          expect(mergedEventId(mixed, services) === mergedEventId(one, services)).toBe(isSame);
        }
      }),
      { numRuns: casesOf(1000) },
    );
  });
});
