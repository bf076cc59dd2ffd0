import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { isProcess, withClaim } from "../../../transports/ipc/claim.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

it("a process that runs is one, and a number that is none is not", () => {
  expect(isProcess(process.pid)).toBe(true);
  for (const none of [0, -1, 1.5, Number.NaN]) expect(isProcess(none)).toBe(false);
});

it.runIf(process.platform === "linux")("one that has ended and is not asked for how is none any more", async () => {
  // The shell becomes a program that asks for no child.
  const parent = spawn("sh", ["-c", "sleep 0.3 & echo $!; exec sleep 600"]);
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [printed] = (await once(parent.stdout, "data")) as [Buffer];
  const pid = Number(printed.toString());
  await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, "latin1")).toContain(") Z "), 60_000);
  expect(isProcess(pid)).toBe(false);
});

it("R40: a claim is as old as the monotonic clock says, whatever the time of its file", async () => {
  const directory = temporaryDirectory();
  const claim = `.s.claim-${process.pid}-00`;
  writeFileSync(join(directory, claim), "");
  // As after a step of the clock on the wall, forward or back.
  const times = [0, Date.now() / 1000 + 86_400];
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const seen: (readonly string[])[] = [];
  const work = withClaim(join(directory, "s"), async () => void seen.push(readdirSync(directory)));
  for (const time of [...times, ...times]) {
    utimesSync(join(directory, claim), time, time);
    now += 1200;
    // It looks at the clock twice each time that it tries.
    const looks = clock.mock.calls.length;
    await vi.waitFor(() => expect(clock.mock.calls.length).toBeGreaterThanOrEqual(looks + 2), { interval: 5 });
    expect(readdirSync(directory)).toContain(claim);
  }
  now += 1200;
  await work;
  expect(seen).toEqual([[expect.stringMatching(/^\.s\.claim-/)]]);
  expect(readdirSync(directory)).toEqual([]);
});
