// Every relative link in the documentation leads to a file, and every anchor to a heading. The reference is made here, as npm makes it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { referencePages } from "../../scripts/generate/reference/pages.mjs";
import { linksIn, sectionsOf } from "../support/markdown.js";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const MADE: ReadonlyMap<string, string> = await referencePages(ROOT);
const textOf = (page: string): string => MADE.get(page) ?? readFileSync(join(ROOT, page), "utf8");

function pagesBelow(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join(folder, name));
}

const PAGES = [
  ...new Set([
    ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
    ...["docs", "examples", "src", "bench", "test"].flatMap(pagesBelow),
    ...MADE.keys(),
  ]),
].sort();
/** The one guide that leads to the pages that are made. Links of others to them would lead nowhere on a host of the repository. */
const CONTENTS = "docs/reference.md";
const mayLeadToMade = (page: string) => page === CONTENTS || page.startsWith("docs/reference/");

const anchorsOf = new Map<string, ReadonlySet<string>>();

function hasAnchor(path: string, anchor: string): boolean {
  const known = anchorsOf.get(path) ?? new Set(sectionsOf(textOf(path)).map((section) => section.anchor));
  anchorsOf.set(path, known);
  return known.has(anchor);
}

/** The files and folders of the package, which the guides are read in. */
const PACKAGED = /^(docs|examples|gen|packaging|proto|schemas)(\/|$)|^(README|CHANGELOG)\.md$|^LICENSE$/;
const isGuide = (page: string) => PACKAGED.test(page);

/** Why a link of a page leads nowhere; undefined if it leads somewhere, or out of the project. */
function complaint(page: string, link: string): string | undefined {
  if (/^(https?|mailto|file):/.test(link)) return undefined;
  const [path = "", anchor] = decodeURI(link).split("#");
  const target = path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
  if (target.startsWith("..") || !(MADE.has(target) || existsSync(join(ROOT, target))))
    return `${link}: there is no such file`;
  if (isGuide(page) && !PACKAGED.test(target)) return `${link}: the package has no such file`;
  if (MADE.has(target) && !mayLeadToMade(page)) return `${link}: link to a section of ${CONTENTS}`;
  if (anchor === undefined) return undefined;
  if (!target.endsWith(".md")) return `${link}: no page of headings`;
  return hasAnchor(target, anchor) ? undefined : `${link}: there is no such heading`;
}

describe("links", () => {
  it("finds the pages and their links", () => {
    expect(PAGES).toEqual(expect.arrayContaining(["README.md", "docs/publishing.md", "docs/reference/errors.md"]));
    expect(linksIn("[a](b.md#c) `[d](e)` [f\ng](h)\n```\n[i](j)\n```\n")).toEqual(["b.md#c", "h"]);
  });

  it("notices a missing file and a missing heading", () => {
    expect(complaint("README.md", "docs/publishing.md#streamed-text")).toBeUndefined();
    expect(complaint("README.md", "docs/nothing.md")).toContain("no such file");
    expect(complaint("README.md", "docs/publishing.md#nothing")).toContain("no such heading");
    expect(complaint("docs/publishing.md", "#nothing")).toContain("no such heading");
    expect(complaint("docs/publishing.md", "reference/events.md#the-envelope")).toContain(
      "section of docs/reference.md",
    );
    expect(complaint("docs/publishing.md", "../ARCHITECTURE.md")).toContain("the package has no such file");
  });

  it("no page of the package asks its reader for a command of the repository", () => {
    const asking = PAGES.filter(isGuide).filter((page) => /run `(npm run generate|npx vitest)/.test(textOf(page)));
    expect(asking).toEqual([]);
  });

  it.each(PAGES)("%s", (page) => {
    const links = linksIn(textOf(page));
    expect(links.flatMap((link) => complaint(page, link) ?? [])).toEqual([]);
  });
});
