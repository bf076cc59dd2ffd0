// The manual pages, read by the two programs that show them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { manPages } from "../../scripts/generate/man-pages.mjs";
import { isMissing } from "../support/missing-tool.js";

const MADE: ReadonlyMap<string, string> = await manPages(fileURLToPath(new URL("../..", import.meta.url)));
const FOLDER = mkdtempSync(join(tmpdir(), "aaepd-man-"));
afterAll(() => rmSync(FOLDER, { recursive: true }));
for (const [path, text] of MADE) writeFileSync(join(FOLDER, basename(path)), text);
const PAGES = [...MADE.keys()].map((path) => basename(path));

describe.skipIf(isMissing("mandoc"))("mandoc", () => {
  it.each(PAGES)("finds nothing wrong with %s, beside its date: a page is of a version, not of a day", (page) => {
    const { stdout } = spawnSync("mandoc", ["-Tlint", join(FOLDER, page)], { encoding: "utf8" });
    const found = stdout.split("\n").filter((line) => line !== "");
    expect(found).toEqual([expect.stringMatching(/ WARNING: missing date, using "": TH$/)]);
  });
});

describe.skipIf(isMissing("man"))("man", () => {
  it.each(PAGES)("shows %s without a warning", (page) => {
    const { stdout, stderr, status } = spawnSync("man", ["--warnings", "--local-file", join(FOLDER, page)], {
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8", MANWIDTH: "80", MANPAGER: "cat" },
    });
    expect([stderr, status]).toEqual(["", 0]);
    for (const heading of ["NAME", "SYNOPSIS", "OPTIONS"]) expect(stdout).toContain(`\n${heading}\n`);
  });
});
