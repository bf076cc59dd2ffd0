import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claimName } from "../../src/adapters/claim-name.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const USER = process.getuid?.();

test("names in use get a number, and names that were let go, or whose process has ended, do not", () => {
  const folder = join(temporaryDirectory(), "aaep");
  const first = claimName("Claude in shop", folder, USER);
  const second = claimName("Claude in shop", folder, USER);
  expect([first.name, second.name]).toEqual(["Claude in shop", "Claude in shop 2"]);
  expect(claimName("Claude", folder, USER).name).toBe("Claude");
  first.release();
  expect(claimName("Claude in shop", folder, USER).name).toBe("Claude in shop");
  second.release();
  const modes = readdirSync(join(folder, "names")).map((file) => statSync(join(folder, "names", file)).mode & 0o777);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  for (const file of readdirSync(join(folder, "names"))) writeFileSync(join(folder, "names", file), "999999999");
  expect(claimName("Claude in shop", folder, USER).name).toBe("Claude in shop");
});

test("where no folder is this user's alone, a name stays as it is", () => {
  expect(claimName("Claude", undefined, USER).name).toBe("Claude");
  const open = join(temporaryDirectory(), "aaep");
  mkdirSync(open);
  chmodSync(open, 0o777);
  expect(claimName("Claude", open, USER).name).toBe("Claude");
  expect(readdirSync(open)).toEqual([]);
});
