import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const PAGE = readFileSync(join(ROOT, "docs/rules.md"), "utf8");

/** Rules that stand alone in a text of the code: what a message can name. Comments mention others; what is given as a rule is one. */
const RULE =
  /["'`]((?:AAEP (?:§[0-9]+(?:\.[0-9]+)*|app\. [A-Z]|ch\. [0-9]+)|[PR][0-9]+[a-z]?|(?<=\brule: ")\w+))["'`]/g;

function rulesInCode(): readonly string[] {
  const rules = new Set<string>();
  for (const folder of ["src", "transports"]) {
    for (const name of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      // The cases of the conformance suite name paragraphs for their reports. No message of the daemon does.
      if (name.startsWith("conformance/")) continue;
      if (!name.endsWith(".ts") || name.includes("node_modules")) continue;
      const code = readFileSync(join(ROOT, folder, name), "utf8")
        .split("\n")
        .filter((line) => !/^\s*(\/\/|\/?\*)/.test(line))
        .join("\n");
      for (const [, rule = ""] of code.matchAll(RULE)) rules.add(rule);
    }
  }
  return [...rules].sort();
}

it("R20: docs/rules.md explains every rule that a message can name, once, and no other", () => {
  const explained = [...PAGE.matchAll(/^\| `([^`]+)` \| .+\. \|$/gm)].map(([, rule]) => rule);
  const named = rulesInCode();
  expect(named.length).toBeGreaterThan(50);
  expect([...explained].sort()).toEqual(named);
});
