import { describe, expect, it } from "vitest";
import { didYouMean, nearestName } from "../../src/base/nearest.js";

const KNOWN = ["install", "status", "--interactive", "aaep.publish", "session.started"];

describe("the known name that an unknown one stands for", () => {
  it.each([
    ["instal", "install"],
    ["stat", "status"],
    ["publish", "aaep.publish"],
    ["session.start", "session.started"],
    ["something else", undefined],
    // A name's opposite is far from it, however few letters they differ in.
    ["uninstall", undefined],
    ["--no-interactive", undefined],
  ])("%s: %s", (name, nearest) => {
    expect(nearestName(name, KNOWN)).toBe(nearest);
  });

  it("is none where nothing is known, and for a name that nobody types", () => {
    const long = "s".repeat(300);
    const near = [nearestName("status", []), ...[256, 257].map((length) => nearestName("s".repeat(length), [long]))];
    expect(near).toEqual([undefined, long, undefined]);
  });

  it("is asked for in a question", () => {
    expect([didYouMean("statos", KNOWN), didYouMean("something else", KNOWN)]).toEqual(["Did you mean status?", ""]);
  });
});
