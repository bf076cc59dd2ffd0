// The daemon of the demo, from its start to its last words.
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { startDemoDaemon } from "../../../src/cli/demo/demo-daemon.js";
import { createClock } from "../../../src/daemon/platform/clock.js";
import { ensureBuilt } from "../../support/built.js";
import { cleanEnvironment } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

it("one that cannot start is told in its own words", async () => {
  ensureBuilt();
  const environment = { ...cleanEnvironment(temporaryDirectory()), NODE_OPTIONS: "--no-such-option" };
  await expect(startDemoDaemon({ environment, clock: createClock() }, 60_000)).rejects.toMatchObject({
    code: "unsupported",
    sentence: expect.stringMatching(/^The daemon of the demo ended with code \d+\. .*--no-such-option/s),
  });
});

it("one that runs answers, ends with its input, and leaves no file", async () => {
  ensureBuilt();
  const environment = cleanEnvironment(temporaryDirectory());
  const daemon = await startDemoDaemon({ environment, clock: createClock() }, 60_000);
  await daemon.agent.request("aaep.ping", {});
  expect(existsSync(daemon.socketPath)).toBe(true);
  daemon.endInput();
  expect(await daemon.exited).toBe("ended with code 0");
  await daemon.dispose(0);
  expect(existsSync(dirname(daemon.socketPath))).toBe(false);
});
