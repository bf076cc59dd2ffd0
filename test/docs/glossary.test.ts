import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { linksIn, sectionsOf } from "../support/markdown.js";

const PAGE = readFileSync(new URL("../../docs/glossary.md", import.meta.url), "utf8");
const ENTRIES = sectionsOf(PAGE).filter(({ level }) => level === 2);

it("has the terms of the field, in the order of the alphabet", () => {
  const terms = ENTRIES.map(({ title }) => title);
  expect(terms).toEqual(
    expect.arrayContaining([
      ...["access", "agent", "producer", "subscriber", "subscription", "capability", "boundary", "coalescing"],
      ...["token bucket", "epoch", "cursor", "checkpoint", "shape", "view", "framing", "journal", "session", "grace"],
      ...["question", "confirmation", "clarification", "token", "reply token", "resume token", "urgency", "manifest"],
    ]),
  );
  expect(terms).toEqual(terms.toSorted((one, other) => one.localeCompare(other, "en")));
});

it.each(ENTRIES.map(({ title, text }) => [title, text]))(
  "%s: a few sentences that use the term, and where to read on",
  (title, text) => {
    const sentences = text.trim().split(/(?<=[.?!)])\s+(?=[A-Z`[])/);
    expect(sentences.length).toBeLessThanOrEqual(5);
    expect(text.toLowerCase()).toContain(title.split(" ")[0]?.toLowerCase().slice(0, 5));
    expect(linksIn(text).length).toBeGreaterThan(0);
  },
);
