// The pages of docs/reference that follow from the schemas, and from the tables beside the code that they describe.
import { join } from "node:path";
import { catalogue, readSchemas } from "../flatten.mjs";
import { capabilitiesPage } from "./capabilities.mjs";
import { eventsPage } from "./events.mjs";
import { messagesPage } from "./messages.mjs";
import { a2ePage, akashikPage } from "./other-protocols.mjs";
import { readTables } from "./tables.mjs";

/** The text of each page by its path from the root of the project. */
export async function referencePages(root) {
  const tables = await readTables(root);
  const schemasOf = (part) => catalogue(readSchemas(join(root, "schemas", part)));
  const aaep = schemasOf("aaep");
  const pages = {
    "a2e.md": a2ePage(schemasOf("a2e")),
    "akashik.md": akashikPage(schemasOf("akashik")),
    "capabilities.md": capabilitiesPage(tables, aaep),
    "events.md": eventsPage(tables, aaep),
    "messages.md": messagesPage(tables, aaep),
  };
  return new Map(Object.entries(pages).map(([name, text]) => [`docs/reference/${name}`, text]));
}
