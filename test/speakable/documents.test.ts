// Documents of others, as a model would send them: what the packages that are installed here say of themselves.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Leaf, SpeakableStream } from "../../src/speakable/index.js";
import { isWhole } from "../support/extent.js";
import { tokensOf } from "./tokens.js";

const PACKAGES = new URL("../../node_modules/", import.meta.url);

/** How much of each is read, in UTF-16 code units. */
const LENGTH = isWhole ? 4096 : 512;

function documents(): readonly URL[] {
  return readdirSync(PACKAGES)
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(new URL(name, PACKAGES)).map((own) => `${name}/${own}`) : [name],
    )
    .filter((name) => !name.startsWith("@aaepd/"))
    .map((name) => new URL(`${name}/README.md`, PACKAGES))
    .filter((file) => existsSync(file));
}

test("documents of others are covered, each character by one leaf", () => {
  const files = documents();
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const text = readFileSync(file, "utf8")
      .slice(0, LENGTH)
      .replace(/[\ud800-\udbff]$/, "");
    const stream = new SpeakableStream();
    const leaves: Leaf[] = [];
    for (const token of tokensOf(text)) leaves.push(...stream.push(token));
    leaves.push(...stream.end());
    let at = 0;
    for (const { from, to } of leaves) {
      expect(from, file.pathname).toBe(at);
      at = to;
    }
    expect(at, file.pathname).toBe(Array.from(text).length);
  }
});
