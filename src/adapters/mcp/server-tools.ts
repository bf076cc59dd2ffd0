// The titles of the server's tools, by the lists that have passed by.
import { type Fields, fieldsOf, listOf, someText } from "../fields.js";

/** Tools whose titles are remembered. */
const MOST_TOOLS = 4096;

export class ServerTools {
  readonly #titles = new Map<string, string>();

  /** A page of the list. */
  listed(result: Fields): void {
    for (const tool of listOf(result.tools).map(fieldsOf)) {
      const name = someText(tool.name);
      const title = someText(tool.title) ?? someText(fieldsOf(tool.annotations).title);
      if (name !== undefined && title !== undefined && this.#titles.size < MOST_TOOLS) this.#titles.set(name, title);
    }
  }

  changed(): void {
    this.#titles.clear();
  }

  /** The title of a tool, else its name in words. */
  titleOf(name: string): string {
    return this.#titles.get(name) ?? name.replaceAll("_", " ");
  }
}
