// `aaepd status` on real terminals that take no control sequences, or that do not say how wide they are (U7).
import { beforeAll, expect, it } from "vitest";
import { ensureBuilt } from "../../support/built.js";
import { CTRL_C, startOnTerminal } from "../../support/peers/on-terminal.js";
import { runtimeEnvironment, serve } from "../command-stage.js";

beforeAll(ensureBuilt, 120_000);

it("U7: a terminal of 0 columns gets lines of words, as one of 80", async () => {
  const { XDG_RUNTIME_DIR } = runtimeEnvironment();
  await serve(XDG_RUNTIME_DIR, "--journal", "memory");
  const status = startOnTerminal(["status"], { environment: { XDG_RUNTIME_DIR }, columns: 0 });
  expect(await status.ended).toBe(0);
  const lines = status.shown().trimEnd().split("\n");
  expect(lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^Daemon aaepd, aaepd [\d.]+, process \d+, up \d+ seconds?$/),
    "No problems.",
  ]);
  const width = Math.max(...lines.map((line) => line.length));
  expect([width > 50, width <= 80]).toEqual([true, true]);
});

it.each([
  ["dumb", {}],
  ["xterm", { NO_COLOR: "1" }],
])("U7: --watch with TERM=%s and %j writes no control sequence, and one report below the other", async (TERM, more) => {
  const { XDG_RUNTIME_DIR } = runtimeEnvironment();
  await serve(XDG_RUNTIME_DIR, "--journal", "memory");
  const watch = startOnTerminal(["status", "--watch", "1"], { environment: { XDG_RUNTIME_DIR, TERM, ...more } });
  await watch.until(/^Daemon [\s\S]*\n\nDaemon /);
  watch.type(CTRL_C);
  expect(await watch.ended).toBe(0);
  expect(watch.shown()).not.toContain("\u001b");
});
