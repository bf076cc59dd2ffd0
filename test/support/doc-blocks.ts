// The pages of the documentation: their named blocks and tables, and the programs among them, run as they stand there.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureBuilt } from "./built.js";
import { whenFinished } from "./lifetime.js";
import { tablesIn } from "./markdown.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** A page of docs, or the README. */
export function docPage(name: string): string {
  return readFileSync(join(ROOT, name === "README.md" ? name : join("docs", name)), "utf8");
}

/** The blocks of one language that have a name ("```sh NAME"), without the indentation of a list. Each ends with a line feed. */
export function docBlocks(page: string, language: string): ReadonlyMap<string, string> {
  const found = page.matchAll(new RegExp(`^( *)\`\`\`${language} ([^\\n]+)\\n([\\s\\S]*?)^ *\`\`\`$`, "gm"));
  return new Map(
    [...found].map(([, indent = "", name = "", text = ""]) => [
      name,
      text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    ]),
  );
}

export function docBlock(page: string, language: string, name: string): string {
  const found = docBlocks(page, language).get(name);
  if (found === undefined) throw new Error(`there is no block ${language} ${name}`);
  return found;
}

/** Writes programs of a page into a new folder, and returns it. It is inside the package: `aaepd` is found as in a project that depends on it. */
export function projectOf(page: string, language: string, ...names: readonly string[]): string {
  ensureBuilt();
  const folder = mkdtempSync(join(ROOT, "dist", "docs-"));
  whenFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of docBlocks(page, language))
    if (names.length === 0 || names.includes(name)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The rows of the tables with these columns, cell by cell. */
export function docTable(page: string, ...columns: readonly string[]): readonly (readonly string[])[] {
  return tablesIn(page).flatMap((table) => (table.columns.join() === columns.join() ? table.rows : []));
}
