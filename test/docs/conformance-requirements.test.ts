// docs/conformance-requirements.md is made from the table of requirements: run with -u after a change.
import { expect, it } from "vitest";
import { SCENARIOS } from "../../src/conformance/drive/scenarios.js";
import { describeCase, PRODUCER_CASES } from "../../src/conformance/producer/all-cases.js";
import { PRODUCER_REQUIREMENTS } from "../../src/conformance/requirements/producer-requirements.js";
import type { Requirement } from "../../src/conformance/requirements/requirement.js";
import { SUBSCRIBER_REQUIREMENTS } from "../../src/conformance/requirements/subscriber-requirements.js";
import { describeSubscriberCase, SUBSCRIBER_CASES } from "../../src/conformance/subscriber/run-subscriber-cases.js";

const SIDES = [
  ["Producers", PRODUCER_REQUIREMENTS, PRODUCER_CASES.map(describeCase)],
  ["Subscribers", SUBSCRIBER_REQUIREMENTS, SUBSCRIBER_CASES.map(describeSubscriberCase)],
] as const;

function rowOf({ paragraph, level, rule, covered }: Requirement): string {
  const cases = typeof covered === "string" ? `none: ${covered}` : covered.map((id) => `\`${id}\``).join(", ");
  return `| ${paragraph} | ${level} | ${rule} | ${cases} |`;
}

function page(): string {
  const sections = SIDES.map(([title, requirements, cases]) => {
    const ours = cases.filter(({ extension }) => extension !== undefined);
    const table = ["| paragraph | level | requirement | cases |", "|---|---|---|---|", ...requirements.map(rowOf)];
    const more =
      ours.length === 0
        ? []
        : [
            "",
            "Cases of the set `aaepd`, which are no part of a level:",
            "",
            ...ours.map(({ id, title: rule, paragraphs }) => `- \`${id}\`: ${rule} (${paragraphs.join(", ")})`),
          ];
    return [`## ${title}`, "", ...table, ...more].join("\n");
  });
  return `# Requirements

The requirements of AAEP that show on the wire, with the cases of [\`aaepd conformance\`](conformance.md) that judge them. This page is made from
\`src/conformance/requirements\` and \`src/conformance/drive/scenarios.ts\`. After a change there, run
\`npx vitest run test/docs/conformance-requirements.test.ts -u\`.

${sections.join("\n\n")}

## Scenarios

A [control command](conformance.md#test-a-producer) gets the name of a scenario in \`AAEP_SCENARIO\`, and the sentence in \`AAEP_SCENARIO_TEXT\`.

| name | sentence |
|---|---|
${Object.entries(SCENARIOS)
  .map(([name, sentence]) => `| \`${name}\` | ${sentence} |`)
  .join("\n")}
`;
}

it("the page has every requirement", async () => {
  await expect(page()).toMatchFileSnapshot("../../docs/conformance-requirements.md");
});

it.each(SIDES)(
  "%s: requirements name cases that exist, and every case of a level is named",
  (_, requirements, cases) => {
    const named = new Set(requirements.flatMap(({ covered }) => (typeof covered === "string" ? [] : covered)));
    const ids = cases.filter(({ extension }) => extension === undefined).map(({ id }) => id);
    expect([...named].filter((id) => !ids.includes(id))).toEqual([]);
    expect(ids.filter((id) => !named.has(id))).toEqual([]);
    for (const { covered } of requirements) expect(covered.length).toBeGreaterThan(0);
    for (const [index, { id }] of cases.entries()) expect(cases.findIndex((one) => one.id === id)).toBe(index);
  },
);
