import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { EXIT } from "../../src/cli/shell/run-command.js";
import { EXIT_CODES } from "../../src/daemon/platform/exit-codes.js";

const PAGE = readFileSync(new URL("../../docs/exit-codes.md", import.meta.url), "utf8");

it("docs/exit-codes.md has every exit code with its meaning, and no other", () => {
  const rows = [...PAGE.matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(rows).toStrictEqual(Object.values(EXIT_CODES).map(({ code, meaning }) => [code, meaning]));
});

it("no two reasons share a number, and all commands use the same ones", () => {
  const codes: readonly number[] = Object.values(EXIT_CODES).map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes).toStrictEqual(expect.arrayContaining(Object.values(EXIT)));
});
