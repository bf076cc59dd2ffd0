// Other users of this machine. Root may be any of them; for everybody else the tests are skipped, because nobody else can be two users.
import { chownSync } from "node:fs";
import { test } from "vitest";
import { temporaryDirectory } from "../temporary-directory.js";

const isRoot = process.getuid?.() === 0;

/** Tests that need root, who can be every user. */
export const testAsRoot = test.skipIf(!isRoot);

/** A number that no user has, and no other test that runs. */
export function newUser(): number {
  lastUser.number += 1;
  return lastUser.number;
}

const lastUser = { number: 1_000_000 + process.pid * 100 };

/** A private folder of that user. */
export function folderOf(user: number): string {
  const folder = temporaryDirectory();
  chownSync(folder, user, user);
  return folder;
}
