import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { lastingToken } from "../../src/security/lasting-token.js";
import { faultOf } from "../support/fault-of.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const FRESH = "f".repeat(64);
const USER = process.getuid?.();

function pathOf(content?: string, mode = 0o600): string {
  const path = join(temporaryDirectory(), "monitor.token");
  if (content !== undefined) writeFileSync(path, content, { mode });
  return path;
}

describe("a token that lasts", () => {
  it("is made where there is none, of mode 0600 whatever the mask, and stays", () => {
    const path = pathOf();
    const mask = process.umask(0);
    try {
      expect(lastingToken(path, FRESH, USER)).toBe(FRESH);
    } finally {
      process.umask(mask);
    }
    expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toStrictEqual([`${FRESH}\n`, 0o600]);
    expect(lastingToken(path, "another", USER)).toBe(FRESH);
    expect(readdirSync(dirname(path))).toStrictEqual(["monitor.token"]);
  });

  it("is read through a link, as files of secrets are handed to services", () => {
    const target = pathOf(`${FRESH}\n`, 0o400);
    const link = join(temporaryDirectory(), "link");
    symlinkSync(target, link);
    expect(lastingToken(link, "another", USER)).toBe(FRESH);
  });

  it.each([0o640, 0o604, 0o660, 0o602])("is refused in a file of mode %o: the sentence says what to run", (mode) => {
    const path = pathOf(FRESH);
    chmodSync(path, mode);
    const { code, sentence } = faultOf(() => lastingToken(path, FRESH, USER));
    expect(code).toBe("permission_denied");
    expect(sentence).toContain(`has mode 0${mode.toString(8)}, so that other users can read the token. Run: chmod 600`);
  });

  it.each([0o770, 0o777, 0o1777])("is refused in a folder of mode %o, where others could replace it", (mode) => {
    const path = pathOf(FRESH);
    chmodSync(dirname(path), mode);
    const { code, sentence } = faultOf(() => lastingToken(path, FRESH, USER));
    expect(code).toBe("permission_denied");
    expect(sentence).toContain(`has mode 0${mode.toString(8)}, so that other users can replace the token.`);
  });

  it("is refused in a file or a folder of another user", () => {
    const path = pathOf(FRESH);
    const stranger = (USER ?? 0) + 1;
    const { code, sentence } = faultOf(() => lastingToken(path, FRESH, stranger));
    expect(code).toBe("permission_denied");
    // Root owns the folders of the system, and so its folders are nobody else's.
    expect(sentence).toMatch(/belongs to user \d+/);
  });

  it.each([
    ["nothing", ""],
    ["a word that can be guessed", "secret"],
    ["two words", `${FRESH} ${FRESH}`],
    ["another kind of file", "x".repeat(513)],
    ["letters beyond ASCII", "ü".repeat(40)],
  ])("is refused where the file has %s", (_, content) => {
    const path = pathOf(content);
    const fault = faultOf(() => lastingToken(path, FRESH, USER));
    expect(fault.code).toBe("usage");
    expect(fault.sentence).toBe(
      `The file ${path} has no token. Write a word of 32 to 512 letters, digits and signs into it, or delete it, and the daemon makes one.`,
    );
  });

  it("is refused where there is a folder in its place; its folder is made, unless more than that is missing", () => {
    const path = pathOf();
    mkdirSync(path);
    expect(faultOf(() => lastingToken(path, FRESH, USER)).sentence).toContain("is no file");
    const near = join(dirname(path), "near", "token");
    expect(lastingToken(near, FRESH, USER)).toBe(FRESH);
    expect(statSync(dirname(near)).mode & 0o777).toBe(0o700);
    const missing = join(dirname(path), "far", "away", "token");
    const { code, sentence } = faultOf(() => lastingToken(missing, FRESH, USER));
    expect([code, sentence]).toStrictEqual([
      "not_found",
      `There is no folder ${dirname(missing)} for the token. Run: mkdir -p -m 700 ${dirname(missing)}`,
    ]);
  });
});
