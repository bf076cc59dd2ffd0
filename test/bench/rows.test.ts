import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { ensureBuilt } from "../support/built.js";

beforeAll(ensureBuilt);

test("docs/performance.md names every row", async () => {
  const { SECTIONS } = await import("../../bench/sections.mjs");
  const page = readFileSync(new URL("../../docs/performance.md", import.meta.url), "utf8");
  const named = /Names of rows: ([^.]+)\./.exec(page)?.[1]?.split(/,\s+/);
  expect(named).toEqual(SECTIONS.map(({ name }) => name));
});
