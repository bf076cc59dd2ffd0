import { heading, page, paragraph, sentence } from "./markdown.mjs";
import { memberTable } from "./members.mjs";

/** The sections of a page: one for each schema, under the name of its message. */
function sections(flat, file, nameOf) {
  return [...flat].flatMap(([title, schema]) => [
    heading(2, nameOf(title, schema)),
    paragraph(sentence(schema.description)),
    memberTable(schema, file) ?? "The message has no members.",
  ]);
}

/** docs/reference/a2e.md: the messages of A2E, by their `type`. */
export function a2ePage({ flat }) {
  return page([
    heading(1, "Messages of A2E"),
    paragraph(
      "This page has an entry for each message between A2E agents, the daemon and its providers. [A2E agents](../a2e.md) is the guide to them. Their schemas are in `schemas/a2e` of the package.",
    ),
    ...sections(flat, "a2e.md", (_title, { properties }) => properties.type.const),
  ]);
}

/** "AkashikRecordRequest" as "RECORD request"; the envelope of all requests is "Every request". */
function akashikName(title) {
  const [, operation, side] = /^Akashik(\w*?)(Request|Answer)?$/.exec(title);
  if (side === undefined) return operation.toLowerCase();
  if (operation === "") return side === "Request" ? "Every request" : "Every message from the Field";
  return `${operation === "List" || operation === "Unsubscribe" ? `SUBSCRIBE ${operation.toLowerCase()}` : operation.toUpperCase()} ${side.toLowerCase()}`;
}

/** docs/reference/akashik.md: the messages of Akashik. */
export function akashikPage({ flat }) {
  return page([
    heading(1, "Messages of Akashik"),
    paragraph(
      "This page has an entry for each message between an agent and the Akashik Field: the envelopes of all messages, and the payloads of each operation. [Akashik](../akashik.md) is the guide to them. Their schemas are in `schemas/akashik` of the package.",
    ),
    ...sections(flat, "akashik.md", akashikName),
  ]);
}
