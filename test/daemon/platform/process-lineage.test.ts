// The parents of a process, as this system tells them.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { processLineage, processTable } from "../../../src/daemon/platform/process-lineage.js";

test.runIf(process.platform !== "win32")("R5d: a process stands below those that started it", async () => {
  expect(processLineage(process.pid).slice(0, 2)).toEqual([process.pid, process.ppid]);
  // Its name has blanks and brackets, as the system shows them.
  const script = 'process.title = "a) S 1 (b"; console.log(process.pid); process.stdin.resume();';
  const child = spawn("sh", ["-c", `"${process.execPath}" -e '${script}'; :`], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(child.stdout, "data");
  expect(processLineage(Number(String(line))).slice(0, 3)).toEqual([Number(String(line)), child.pid, process.pid]);
  child.stdin.end();
  await once(child, "exit");
});

test("R5d: of a process that is not there only the number is known, and a lineage ends", () => {
  expect(processLineage(2 ** 22 + 1)).toEqual([2 ** 22 + 1]);
  expect(processLineage(process.pid, processTable("win32"))).toEqual([process.pid]);
  expect(processLineage(process.pid).length).toBeLessThanOrEqual(64);
  expect(processLineage(process.pid, processTable("darwin")).slice(0, 2)).toEqual(
    process.platform === "win32" ? [process.pid] : [process.pid, process.ppid],
  );
});
