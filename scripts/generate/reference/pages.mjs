// The pages of docs/reference, from the schemas and from the tables beside the code that they describe.
import { join } from "node:path";
import { catalogue, readSchemas } from "../flatten.mjs";
import { capabilitiesPage } from "./capabilities.mjs";
import { errorsPage } from "./errors.mjs";
import { eventsPage } from "./events.mjs";
import { heading, page, paragraph, table } from "./markdown.mjs";
import { messagesPage } from "./messages.mjs";
import { a2ePage, akashikPage, conformanceReportPage } from "./other-protocols.mjs";
import { rulesPage } from "./rules.mjs";
import { statesPage } from "./states.mjs";
import { readTables } from "./tables.mjs";

const CONTENTS = [
  ["events.md", "Events", "the envelope and the twelve core types: members, forms, who fills them in, examples"],
  ["messages.md", "Messages", "the messages of a plain connection, and the calls and notifications over JSON-RPC"],
  [
    "states.md",
    "States",
    "the states of agents, the phases of sessions, the ends of questions, and the permitted steps",
  ],
  ["capabilities.md", "Capabilities", "the terms of a subscription: forms, ranges, defaults, grants"],
  ["errors.md", "Errors", "each code: the event behind it, the remedy, the numbers of the transports"],
  ["rules.md", "Rules", "each rule that an error names, with its source"],
  ["a2e.md", "Messages of A2E", "the messages of A2E agents and their providers"],
  ["akashik.md", "Messages of Akashik", "the messages of the Akashik Field"],
  ["conformance-report.md", "The conformance report", "the members of a report of `aaepd conformance`"],
];

function contentsPage() {
  return page([
    heading(1, "Reference"),
    paragraph(
      "The *reference* has an entry for everything that is named on the wire. It is generated from the schemas and from tables beside the code, so it is complete: a test fails if an entry is missing or left over. The guides of [docs](../../README.md#where-to-read-on) explain how the parts work together, and the [glossary](../glossary.md) explains the terms.",
    ),
    table(
      ["page", "content"],
      CONTENTS.map(([file, title, content]) => [`[${title}](${file})`, content]),
    ),
    paragraph(
      "The specification of AAEP is at <https://aaep-protocol.org/>. The entries name its chapters and paragraphs, as in AAEP §4.2.1.",
    ),
  ]);
}

/** The text of each page by its path from the root of the project. `aaep`: the catalogue of the schemas of AAEP. */
export async function referencePages(root, aaep) {
  const tables = await readTables(root);
  const schemasOf = (part) => catalogue(readSchemas(join(root, "schemas", part)));
  const pages = {
    "README.md": contentsPage(),
    "a2e.md": a2ePage(schemasOf("a2e")),
    "akashik.md": akashikPage(schemasOf("akashik")),
    "capabilities.md": capabilitiesPage(tables, aaep),
    "conformance-report.md": conformanceReportPage(schemasOf("conformance")),
    "errors.md": errorsPage(tables),
    "events.md": eventsPage(tables, aaep),
    "messages.md": messagesPage(tables, aaep),
    "rules.md": rulesPage(tables),
    "states.md": statesPage(tables),
  };
  return new Map(Object.entries(pages).map(([name, text]) => [`docs/reference/${name}`, text]));
}
