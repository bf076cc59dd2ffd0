// the file that says which process has a place.
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
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

it("is this user's alone, also where it was removed and is made again", () => {
  const path = join(temporaryDirectory(), "owner");
  const { otherOwner, wasLeft } = taken(path);
  const content = readFileSync(path, "utf8");
  expect([wasLeft, modeOf(path), content.split("\n")[0]]).toEqual([false, 0o600, String(process.pid)]);
  rmSync(path);
  expect(otherOwner()).toBeUndefined();
  expect([readFileSync(path, "utf8"), modeOf(path)]).toEqual([content, 0o600]);
});

it("of a process that has ended is taken over, and said to have been left", () => {
  const path = join(temporaryDirectory(), "owner");
  writeFileSync(path, "4194303\n\n");
  chmodSync(path, 0o600);
  expect(taken(path).wasLeft).toBe(true);
  expect(ownerOf(path)).toBe(process.pid);
  expect(takeOwnership(path)).toEqual({ kind: "owned", pid: process.pid });
});

it("names the process that has taken it since, for good, and is left to that one", () => {
  const path = join(temporaryDirectory(), "owner");
  const { otherOwner, release } = taken(path);
  expect(otherOwner()).toBeUndefined();
  writeFileSync(path, `${process.ppid}\n\n`);
  expect(otherOwner()).toBe(process.ppid);
  rmSync(path);
  expect(otherOwner()).toBe(process.ppid);
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, `${process.ppid}\n\n`);
  release();
  expect(existsSync(path)).toBe(true);
});

it("is removed by its owner", () => {
  const path = join(temporaryDirectory(), "owner");
  taken(path).release();
  expect(existsSync(path)).toBe(false);
});
