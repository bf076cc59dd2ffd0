// docs/conformance-requirements.md is the list of requirements. It names every case of a level, and no other; every extension case, and every scenario.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { SCENARIOS } from "../../src/conformance/drive/driver.js";
import type { CaseDescription } from "../../src/conformance/findings/finding.js";
import { PRODUCER_CASES } from "../../src/conformance/producer/all-cases.js";
import { SUBSCRIBER_CASES } from "../../src/conformance/subscriber/run-subscriber-cases.js";
import { sectionsOf, tablesIn } from "../support/markdown.js";

const PAGE = sectionsOf(readFileSync(new URL("../../docs/conformance-requirements.md", import.meta.url), "utf8"));

function textOf(title: string): string {
  const found = PAGE.find((one) => one.title === title);
  if (found === undefined) throw new Error(`The page has no heading ${title}.`);
  return found.text;
}

const rowsOf = (title: string): readonly (readonly string[])[] => tablesIn(textOf(title))[0]?.rows ?? [];

const lineOf = ({ id, title, paragraphs }: CaseDescription): string =>
  `- \`${id}\`: ${title} (${paragraphs.join(", ")})`;

it.each([
  ["Producers", PRODUCER_CASES],
  ["Subscribers", SUBSCRIBER_CASES],
] as const)("%s: requirements name cases that exist, and every case of a level is named", (title, cases) => {
  const ids = cases.filter(({ extension }) => extension === undefined).map(({ id }) => id);
  const named = new Map<string, number>();
  for (const [paragraph, level, , covered = ""] of rowsOf(title)) {
    const mine = [...covered.matchAll(/`([PS]\d-[a-z-]+)`/g)].map(([, id = ""]) => id);
    for (const id of mine) named.set(id, Math.min(Number(level), named.get(id) ?? Number(level)));
    // The column has cases alone, or one reason.
    const isWhole = /^none: .+\.$/.test(covered) || covered === mine.map((id) => `\`${id}\``).join(", ");
    expect({ paragraph, level, covered, isWhole: isWhole && covered !== "" }).toEqual({
      paragraph: expect.stringMatching(/^AAEP §\d+(\.\d+)*$/),
      level: expect.stringMatching(/^[123]$/),
      covered,
      isWhole: true,
    });
  }
  expect([...named.keys()].sort()).toEqual([...ids].sort());
  for (const { id, level, paragraphs, severity } of cases) {
    expect([id, level]).toEqual([id, named.get(id) ?? level]);
    expect([
      id,
      paragraphs.every((one) => /^(AAEP §[\dA-Z]+(\.\d+)*|R\d+[a-z]?)$/.test(one)) && paragraphs.length > 0,
    ]).toEqual([id, true]);
    expect(["error", "warning"]).toContain(severity);
  }
  const ours = cases.filter(({ extension }) => extension !== undefined).map(lineOf);
  expect([...textOf(title).matchAll(/^- .*$/gm)].map(([line]) => line)).toEqual(ours);
  for (const [index, { id }] of cases.entries()) expect(cases.findIndex((one) => one.id === id)).toBe(index);
});

it("every scenario is told, as a control command gets it", () => {
  expect(rowsOf("Scenarios")).toEqual(Object.entries(SCENARIOS).map(([name, text]) => [`\`${name}\``, text]));
});
