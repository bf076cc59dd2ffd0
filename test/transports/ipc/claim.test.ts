import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { expect, it, onTestFinished, vi } from "vitest";
import { isProcess } from "../../../transports/ipc/claim.js";

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
