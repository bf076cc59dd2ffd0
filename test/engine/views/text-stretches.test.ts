// R10: what a subscription with an empty queue makes of the texts that stand next.
import { describe, expect, it } from "vitest";
import { Delivery } from "../../../src/engine/views/delivery.js";
import type { TextUnit } from "../../../src/engine/views/unit.js";
import { ViewLog } from "../../../src/engine/views/view-log.js";
import { BASE, textUnit as text } from "../../support/rigs/text-unit.js";

/** The stretch from the first unit: its text, how many units are in it, and whether it is cut off. */
function first(units: readonly TextUnit[], maxChars: number): readonly unknown[] {
  const log = new ViewLog(
    { wordWork: 0, deliveryOf: (unit) => new Delivery(BASE, unit.epoch, unit.at, undefined) },
    maxChars,
  );
  for (const unit of units) log.append(unit);
  const stretch = log.stretchFrom(0);
  return [stretch?.unit.text, stretch?.next, stretch?.isCutOff];
}

describe("R10: a stretch of text", () => {
  it("goes to the newest, and is not cut off there", () => {
    expect(first([text(0, "One. "), text(5, "Two. "), text(10, "Three.")], 100)).toEqual([
      "One. Two. Three.",
      3,
      false,
    ]);
  });

  it.each<readonly [string, TextUnit]>([
    ["it would be too long", text(10, "Three is longer.")],
    ["it is in another language", text(10, "Drei.", { base: { ...BASE, language: "de" } })],
    ["it goes out as it is", text(10, "Three.", { mergeable: false })],
  ])("is cut off where more of the same text follows that does not join it: %s", (_, next) => {
    expect(first([text(0, "One. "), text(5, "Two. "), next], 20)).toEqual(["One. Two. ", 2, true]);
  });

  it("goes on where its language is written otherwise, and no further than that", () => {
    const inLanguage = (language: string) => ({ base: { ...BASE, language } });
    const units = [
      text(0, "One. ", inLanguage("EN")),
      text(5, "Two. ", inLanguage("en")),
      text(10, "Drei.", inLanguage("de")),
    ];
    expect(first(units, 100)).toEqual(["One. Two. ", 2, true]);
  });

  it("is not cut off by another text, nor after its own end", () => {
    const other = text(0, "Other.", { output: "sess_1/out_2" });
    expect(first([text(0, "One. "), other, text(5, "Two. ")], 20)).toEqual(["One. ", 1, false]);
    expect(first([text(0, "One. ", { complete: true }), text(0, "Again.")], 20)).toEqual(["One. ", 1, false]);
  });
});
