import fc from "fast-check";
import { expect, test } from "vitest";
import { shownText } from "../../../src/cli/terminal/shown-text.js";
import { wrapText } from "../../../src/cli/terminal/wrap-text.js";
import { casesOf } from "../../support/extent.js";

test("an agent cannot move the cursor, recolour or reorder what is shown, and no character of its text is lost", () => {
  expect(shownText("Delete \u001b]/home/me\u0007 a\u001b[all")).toBe("Delete \\u001b]/home/me\\u0007 a\\u001b[all");
  expect(shownText("Pay \u001b[500m")).toBe("Pay \\u001b[500m");
  expect(shownText("a\u0007 b\u202ec\u2066d\u0085e\u0000")).toBe("a\\u0007 b\\u202ec\\u2066d e\\u0000");
  expect(shownText("\u009bHello")).toBe("\\u009bHello");
  expect(shownText("\ufeffone\ufeffword\ufeff")).toBe("\ufeffone\ufeffword\ufeff");
  expect(shownText("\u001bHello")).toBe("\\u001bHello");
});

test("one event is one line", () => {
  expect(shownText("\n# Title\n\n- one\r\n- two\u2028end\n")).toBe("# Title - one - two end");
});

test("text is wrapped by the columns of a terminal: wide characters take two, marks none, an emoji of several code points two", () => {
  expect(wrapText("one two three", 7)).toEqual(["one two", "three"]);
  expect(wrapText("京都の旅", 4)).toEqual(["京都", "の旅"]);
  expect(wrapText("e\u0328\u0301e\u0328\u0301", 1)).toHaveLength(2);
  expect(wrapText("👩\u200d👧👩\u200d👧", 2)).toHaveLength(2);
  expect(wrapText("", 4)).toEqual([""]);
});

test("wrapping loses nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }).map(shownText), fc.integer({ min: 2, max: 30 }), (text, width) => {
      expect(wrapText(text, width).join("").replaceAll(" ", "")).toBe(text.normalize().replaceAll(" ", ""));
    }),
    { numRuns: casesOf(500) },
  );
});
