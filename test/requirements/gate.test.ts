// Every requirement is proved by a test that can be found, or excluded for a reason that can be read.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CHAPTER_4 } from "./chapter-4.js";
import { CHAPTER_5 } from "./chapter-5.js";
import { CHAPTER_9 } from "./chapter-9.js";
import type { Requirement } from "./requirement.js";
import { RULINGS } from "./rulings.js";

const REQUIREMENTS: readonly Requirement[] = [...CHAPTER_4, ...CHAPTER_5, ...CHAPTER_9, ...RULINGS];
const TESTS = new URL("../", import.meta.url);
const ID = /\bAAEP-\d+(?:\.\d+)*-[a-z]\b|\bR\d+[a-d]?\b/g;

/** Files that hold tests, and those whose data become the titles of tests. */
const FILES = readdirSync(TESTS, { recursive: true })
  .map(String)
  .filter((path) => /\.test\.ts$|^scenarios\/[a-z-]+\.ts$/.test(path))
  .sort();
const TEXTS = new Map(FILES.map((path) => [path, readFileSync(new URL(path, TESTS), "utf8")]));

/** What a test, a group of tests or a scenario is called. */
function titlesIn(text: string): readonly string[] {
  const call =
    /\b(?:it|test|describe|itInFull|describeInFull)(?:\.(?:each|runIf)\b[\s\S]{0,2000}?\))?\(\s*(?:"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)/g;
  const named = /^ {4}name: "([^"]*)"/gm;
  return [...text.matchAll(call), ...text.matchAll(named)].map(([, quoted, template]) => quoted ?? template ?? "");
}

const CITED = new Map<string, string[]>();
for (const [path, text] of TEXTS) {
  for (const title of titlesIn(text)) {
    for (const [id] of title.matchAll(ID)) CITED.set(id, [...(CITED.get(id) ?? []), `${path}: ${title}`]);
  }
}

describe("the requirements", () => {
  it("are all there: each id once, with a sentence", () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => !new RegExp(`^(${ID.source})$`).test(id))).toEqual([]);
    for (const { says } of REQUIREMENTS) expect(says).toMatch(/^[A-Z].{9,}\.$/);
    const rulings = Array.from({ length: 33 }, (_, index) => `R${index + 1}`);
    expect([...rulings, "R3a", "R3b", "R8a"].filter((id) => !ids.includes(id))).toEqual([]);
  });

  it("are each proved, or excluded", () => {
    const unproved = REQUIREMENTS.filter(
      ({ id, excluded, provedBy }) => excluded === undefined && provedBy === undefined && !CITED.has(id),
    );
    expect(unproved.map(({ id, says }) => `${id}: ${says}`)).toEqual([]);
  });

  it("are not excluded without a reason, nor where there is a proof after all", () => {
    for (const { id, excluded, provedBy } of REQUIREMENTS) {
      if (excluded === undefined) continue;
      expect([id, excluded.length > 30]).toEqual([id, true]);
      expect([id, provedBy ?? CITED.get(id) ?? []]).toEqual([id, []]);
    }
  });

  it("are proved by tests that exist", () => {
    const missing = REQUIREMENTS.flatMap(({ id, provedBy = [] }) =>
      provedBy.flatMap(([path, title]) => {
        const text = TEXTS.get(path);
        const found =
          text === undefined ? existingText(path).includes(title) : titlesIn(text).some((one) => one.includes(title));
        return found ? [] : [`${id}: ${path}: ${title}`];
      }),
    );
    expect(missing).toEqual([]);
  });

  it("that tests cite exist", () => {
    const known = new Set(REQUIREMENTS.map(({ id }) => id));
    expect([...CITED.keys()].filter((id) => !known.has(id))).toEqual([]);
  });
});

describe("the tests", () => {
  it("are all run in a whole run: none is skipped, set aside or alone", () => {
    const aside = [...TEXTS].filter(([, text]) => /\b(it|test|describe)\.(skip|todo|only|fails)\b/.test(text));
    expect(aside.map(([path]) => path)).toEqual([]);
  });
});

function existingText(path: string): string {
  try {
    return readFileSync(new URL(path, TESTS), "utf8");
  } catch {
    return "";
  }
}
