import { expect, test } from "vitest";
import * as daemon from "../../src/daemon/index.js";

test("what aaepd/daemon exports", () => {
  expect(Object.keys(daemon).sort()).toEqual([
    "createClock",
    "createIdSource",
    "createLog",
    "createMemoryPair",
    "resolveConfiguration",
    "sha256Hex",
    "startDaemon",
  ]);
});
