// the file that says which process has a place.
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ownerOf, takeOwnership } from "../../../src/daemon/platform/owner-file.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const modeOf = (path: string): number => statSync(path).mode & 0o777;

function taken(path: string) {
  const result = takeOwnership(path);
  if (result.kind !== "taken") throw new Error(`owned by ${result.pid}`);
  return result;
}

it("is this user's alone", () => {
  const path = join(temporaryDirectory(), "owner");
  const { wasLeft } = taken(path);
  const content = readFileSync(path, "utf8");
  expect([wasLeft, modeOf(path), content.split("\n")[0]]).toEqual([false, 0o600, String(process.pid)]);
});

it("of a process that has ended is taken over, and said to have been left", () => {
  const path = join(temporaryDirectory(), "owner");
  writeFileSync(path, "4194303\n\n");
  chmodSync(path, 0o600);
  expect(taken(path).wasLeft).toBe(true);
  expect(ownerOf(path)).toBe(process.pid);
  expect(takeOwnership(path)).toEqual({ kind: "owned", pid: process.pid });
});

it("is left to the process that has taken it since", () => {
  const path = join(temporaryDirectory(), "owner");
  const { release } = taken(path);
  writeFileSync(path, `${process.ppid}\n\n`);
  release();
  expect(existsSync(path)).toBe(true);
});

it("is removed by its owner", () => {
  const path = join(temporaryDirectory(), "owner");
  taken(path).release();
  expect(existsSync(path)).toBe(false);
});
