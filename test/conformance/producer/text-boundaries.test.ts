import { expect, it } from "vitest";
import { cutsWithin } from "../../../src/conformance/producer/negotiated/boundary-cases.js";

/** Cuts, marked by a bar, and the units that they are within. */
const CUTS: readonly (readonly [text: string, within: string])[] = [
  ["It is | done.", "sentence paragraph"],
  ["It is do|ne.", "word sentence paragraph"],
  ["It is done. |Well.", "paragraph"],
  ["It is done.\n\n|Well.", ""],
  ["Photos:\n|one", ""],
  ["He said “yes.” |Well.", "paragraph"],
  ["One, |two.", "sentence paragraph"],
  ["الصور |مرتبة الآن.", "sentence paragraph"],
  ["هل أحذف؟ |لم", "paragraph"],
  ["写真は|整理されました。", "sentence paragraph"],
  ["整理されました。|九枚", "paragraph"],
  ["तस्वीर|ें हैं।", "word sentence paragraph"],
  ["क्रम में हैं। |उनमें", "paragraph"],
  ["จัดเรียง|รูปภาพ", "sentence paragraph"],
  ["จัดเรียงรูปภาพแล้ว |มี", "paragraph"],
  ["|It", ""],
];

it("a cut is within the units that it breaks, in each script", () => {
  for (const [text, within] of CUTS) {
    const [before = "", after = ""] = text.split("|");
    const units = (["word", "sentence", "paragraph"] as const).filter((unit) => cutsWithin(unit, before, after));
    expect([text, units.join(" ")]).toEqual([text, within]);
  }
});
