import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A page of docs. */
export function docPage(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");
}

/** The commands of a page that stand behind "```sh NAME", also where a list indents them. */
export function docBlock(page: string, name: string): string {
  const [, indent = "", found] = new RegExp(`^( *)\`\`\`sh ${name}\n([\\s\\S]*?)\n *\`\`\`$`, "m").exec(page) ?? [];
  if (found === undefined) throw new Error(`there is no block ${name}`);
  return found
    .split("\n")
    .map((line) => line.slice(indent.length))
    .join("\n");
}

/** The rows of a table with that heading, cell by cell. */
export function docTable(page: string, heading: string): readonly (readonly string[])[] {
  return page
    .split("\n\n")
    .filter((part) => part.trimStart().startsWith(heading))
    .flatMap((part) => part.trim().split("\n").slice(2))
    .map((row) =>
      row
        .replace(/^\| ?/, "")
        .replace(/ ?\|$/, "")
        .split("|")
        .map((cell) => cell.trim()),
    );
}
