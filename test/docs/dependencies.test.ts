import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PACKAGE_GROUPS } from "../../transports/optional-packages.js";
import { docPage } from "../support/doc-blocks.js";

type Versions = Readonly<Record<string, string>>;

const OWN = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as Readonly<
  Record<"dependencies" | "devDependencies" | "peerDependencies", Versions>
> & { readonly peerDependenciesMeta: Readonly<Record<string, object>> };
const GROUPS = Object.values(PACKAGE_GROUPS).map(({ packages }) => Object.entries(packages));
const GROUPED = [...new Set(GROUPS.flat().map(([name]) => name))].sort();

test("docs/dependencies.md has a row for every dependency", () => {
  const page = docPage("dependencies.md");
  const names = Object.keys({ ...OWN.dependencies, ...OWN.devDependencies, ...OWN.peerDependencies });
  expect(names.filter((name) => !page.includes(`\n| \`${name}\` |`))).toEqual([]);
});

test("the groups are the optional peers of package.json, and the versions that are tested here", () => {
  expect(Object.keys(OWN.peerDependencies).sort()).toEqual(GROUPED);
  expect(Object.entries(OWN.peerDependenciesMeta)).toEqual(GROUPED.map((name) => [name, { optional: true }]));
  for (const [name, version] of GROUPS.flat()) {
    expect(OWN.devDependencies[name], name).toBe(version);
    expect(OWN.peerDependencies[name], name).toBe(version.replace("~", "^"));
  }
});
