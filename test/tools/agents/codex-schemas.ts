// The schemas of hooks that Codex has published. Its program holds their text.
import { readFile } from "node:fs/promises";

const BEGINNING = '{\n  "$schema"';

/** Reads a schema by its title, such as "stop.command.input". `program`: the path of the binary. */
export async function hookSchemas(program: string): Promise<(title: string) => object> {
  const bytes = await readFile(program);
  return (title) => {
    const named = bytes.indexOf(`"title": "${title}"`);
    const [from, to] = [bytes.lastIndexOf(BEGINNING, named), bytes.indexOf("\n}", named)];
    if (named < 0 || from < 0 || to < 0) throw new Error(`Codex has no schema ${title}.`);
    return JSON.parse(bytes.toString("utf8", from, to + 2));
  };
}
