import { expect, it } from "vitest";
import { instantText, OTHER_INSTANTS, PLAIN_INSTANT } from "../../../src/conformance/wire/instant-forms.js";

it("each form names the same instant, to its precision", () => {
  const instant = Date.UTC(2026, 11, 31, 23, 59, 58, 123);
  expect([PLAIN_INSTANT, ...OTHER_INSTANTS].map((form) => instantText(instant, form))).toEqual([
    "2026-12-31T23:59:58.123Z",
    "2026-12-31T23:59:58+00:00",
    "2027-01-01T12:59:58.123000+13:00",
    "2026-12-31T12:59:58.123-11:00",
  ]);
  for (const form of OTHER_INSTANTS)
    expect(Math.abs(Date.parse(instantText(instant, form)) - instant)).toBeLessThan(form.digits === 0 ? 1000 : 1);
});
