import { expect, it } from "vitest";
import { isSpokenVersion } from "../../../../src/protocols/aaep/validation/event-rules.js";

it.each([
  ["1", true],
  ["1.1", true],
  ["1.0.0", true],
  ["1.20.3-rc.1+build", true],
  ["0.1.0-draft", true],
  ["0.1.0", false],
  ["2.0.0", false],
  ["10.0.0", false],
  ["1.", false],
  ["1.0.0.0", false],
  ["1.x", false],
  [" 1.0.0", false],
])("R21: version %j is spoken: %s", (version, isSpoken) => {
  expect(isSpokenVersion(version)).toBe(isSpoken);
});
