import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeTokenFile } from "../../src/security/token-file.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

it("AAEP §8.2.7: the token stands in a file of mode 0600, whatever was there and whatever the mask", () => {
  const path = join(temporaryDirectory(), "aaepd.token");
  writeFileSync(path, "old", { mode: 0o644 });
  const mask = process.umask(0);
  try {
    const file = writeTokenFile(path, "secret");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, "utf8")).toBe("secret\n");
    file.remove();
    expect(() => statSync(path)).toThrow();
    file.remove();
  } finally {
    process.umask(mask);
  }
});

it("does not remove the token of another daemon", () => {
  const path = join(temporaryDirectory(), "aaepd.token");
  const mine = writeTokenFile(path, "mine");
  const theirs = writeTokenFile(path, "theirs");
  mine.remove();
  expect(readFileSync(path, "utf8")).toBe("theirs\n");
  theirs.remove();
});

it("R8b: another token takes its place, of the same mode, and is removed like the first; where it cannot, the first stands there", () => {
  const directory = join(temporaryDirectory(), "own");
  mkdirSync(directory, { mode: 0o700 });
  const path = join(directory, "aaepd.token");
  const file = writeTokenFile(path, "first");
  renameSync(directory, `${directory}.away`);
  expect(() => file.replace("second")).toThrow(/could not be written to/);
  renameSync(`${directory}.away`, directory);
  expect(readFileSync(path, "utf8")).toBe("first\n");
  file.replace("second");
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toStrictEqual(["second\n", 0o600]);
  file.remove();
  expect(() => statSync(path)).toThrow();
});

it("says where the token could not be written", () => {
  const directory = join(temporaryDirectory(), "missing");
  expect(() => writeTokenFile(join(directory, "x.token"), "secret")).toThrow(/could not be written to .*x\.token/);
  mkdirSync(directory);
  chmodSync(directory, 0o700);
  writeTokenFile(join(directory, "x.token"), "secret").remove();
});
