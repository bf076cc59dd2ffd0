import { expect, it } from "vitest";
import { stateDirectory } from "../../../src/daemon/platform/state-directory.js";

it("auto is the folder of XDG for state, and has a place on every platform", () => {
  const windows = { LOCALAPPDATA: "/local", HOME: "/h" };
  expect(stateDirectory({ XDG_STATE_HOME: "/s", ...windows }, "audit", "linux")).toBe("/s/aaepd/audit");
  expect(stateDirectory({ XDG_STATE_HOME: "relative", ...windows }, "audit", "linux")).toBe(
    "/h/.local/state/aaepd/audit",
  );
  expect(stateDirectory(windows, "audit", "win32")).toBe("/local/aaepd/audit");
});
