// A release is four packages of one version.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");

test("all packages have the version of package.json", () => {
  const { version } = JSON.parse(read("package.json"));
  const packages = ["client", "conformance"].map((name) => JSON.parse(read(`packaging/${name}/package.json`)).version);
  const locked = JSON.parse(read("package-lock.json")).version;
  const [, python] = /^__version__ = "(.+)"$/m.exec(read("python/src/aaepd/_version.py")) ?? [];
  expect([...packages, locked, python]).toEqual(Array(4).fill(version));
  expect(read("python/pyproject.toml")).toMatch(/^dynamic = \["version"\]$[\s\S]*^path = "src\/aaepd\/_version\.py"$/m);
});
