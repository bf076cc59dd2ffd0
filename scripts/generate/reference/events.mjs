import { code, heading, json, link, list, page, paragraph, sentence, table } from "./markdown.mjs";
import { membersOf, memberTable, variantsOf } from "./members.mjs";
import { placeOf, ruleLinks } from "./rule-links.mjs";

const FILE = "events.md";
const FILLERS = { either: "agent, else daemon", both: "agent and daemon" };
const URGENCIES = {
  critical: "always `critical`",
  uncritical: "`background` or `normal`",
  free: "any",
};

/** The local name in the usual spelling of a core type, as in "agent.state.changed"; undefined for other schemas. */
function localName({ properties }) {
  return properties?.type?.enum?.find((name) => name.startsWith("aaep:agent."))?.slice("aaep:".length);
}

function eventTable(schema, filledIn, left = () => true) {
  const rows = membersOf(schema, FILE)
    .filter(({ name }) => left(name))
    .map(({ path, name, type, required, meaning }) => [
      code(path),
      type,
      required,
      FILLERS[filledIn[name]] ?? "agent",
      meaning,
    ]);
  return table(["member", "type", "required", "filled in by", "meaning"], rows);
}

function entry(name, schema, { tables, own }) {
  const { coreTypeOf, FILLED_IN, stateImpliedBy, defaultUrgency, topicKind, rulesIn, ruleAnchor } = tables;
  const { rule, urgency } = coreTypeOf(`aaep:${name}`);
  const kind = topicKind(`aaep:${name}`);
  const implied = stateImpliedBy(kind);
  return [
    heading(2, name),
    paragraph(sentence(schema.description)),
    list([
      `Type: \`aaep:${name}\`, or \`https://aaep-protocol.org/types/${name}\``,
      `Urgency: ${URGENCIES[urgency]}. Default: \`${defaultUrgency(kind)}\``,
      ...(implied === undefined ? [] : [`State: implies [${implied}](states.md#${implied})`]),
      `Rule: ${ruleLinks(rule, { rulesIn, ruleAnchor })}. Specification: ${placeOf(rule)}`,
    ]),
    paragraph(`The event has these members, beside those of ${link("The envelope")}:`),
    eventTable(own, FILLED_IN),
    variantsOf(own),
    "An example, as a subscriber gets it:",
    ...schema.examples.map(json),
  ];
}

/** docs/reference/events.md: the envelope, and an entry for each core type in the order of the specification. */
export function eventsPage(tables, schemas) {
  const { flat } = schemas;
  const named = [...flat].flatMap(([title, schema]) => {
    const name = localName(schema);
    return name === undefined ? [] : [{ name, schema, own: ownOf(flat, schema), title }];
  });
  const paragraphOf = ({ name }) => tables.coreTypeOf(`aaep:${name}`).rule;
  const types = named.sort((one, other) => (paragraphOf(one) < paragraphOf(other) ? -1 : 1));
  const envelope = flat.get("Envelope");
  const { FILLED_IN, AGENT_MARKS, DAEMON_MARKS } = tables;
  const marks = (guide) =>
    table(
      ["member", "meaning"],
      Object.entries(guide).map(([name, text]) => [code(name), text]),
    );
  return page([
    heading(1, "Events"),
    paragraph(
      "An *event* is a JSON object that tells one fact about an agent's session. Every event has the members of the envelope and those of its type. This page has an entry for each of the twelve core types of AAEP. [Publishing](../publishing.md) and [subscribing](../subscribing.md) are the guides to them.",
    ),
    table(
      ["type", "meaning"],
      types.map(({ name, schema }) => [link(name), sentence(schema.description.replace(/ \(§[\d.]+\)/, ""))]),
    ),
    paragraph("The column *filled in by* says who sets a member:"),
    list([
      "**agent**: the agent alone. If the member is required, the agent must set it.",
      "**agent, else daemon**: the agent may leave the member out. The daemon fills it in before it delivers the event (R2).",
      "**agent and daemon**: the agent may set the member. The daemon may add to it, or replace it for a subscription.",
    ]),
    paragraph(
      "The column *required* is about the event as it is delivered. An agent may leave out a required member that the daemon fills in. The shortest event that an agent can publish is therefore:",
    ),
    json({ type: "aaep:agent.session.started", session_id: "sess_1", summary_normal: "Counts the books." }),
    paragraph(
      "`choices[].value` names the member `value` of each entry of `choices`. The schemas are the files below `schemas/aaep` of the package.",
    ),
    heading(2, "The envelope"),
    paragraph(sentence(envelope.description)),
    list([
      `Rules: ${ruleLinks("AAEP §3.2.1, AAEP §3.2.2, AAEP §3.2.3, AAEP §3.2.4, AAEP §3.2.5, AAEP §3.2.6, AAEP §3.5, AAEP §3.7", tables)}. Specification: [AAEP](https://aaep-protocol.org/), chapter 3`,
    ]),
    eventTable(envelope, FILLED_IN),
    heading(2, "The producer"),
    paragraph(sentence(envelope.properties.producer.description)),
    list([`Rule: ${ruleLinks("AAEP §3.2.6, R2", tables)}. Specification: ${placeOf("AAEP §3.2.6")}`]),
    memberTable(envelope.properties.producer, FILE),
    heading(2, "Localization hints"),
    paragraph(
      "The language, direction and script of an event's texts. If an event has text for people and no `localization_hints`, the daemon adds `primary_language` ([languages](../publishing.md#languages)).",
    ),
    list([`Rule: ${ruleLinks("AAEP §11", tables)}. Specification: ${placeOf("AAEP §11")}`]),
    memberTable(envelope.properties.localization_hints, FILE),
    heading(2, "Members of extensions.aaepd"),
    paragraph(
      `The daemon's own extension has the vocabulary ${code("https://aaepd.dev/context/v1")}. An agent may set these members, and no others (${ruleLinks("R31", tables)}):`,
    ),
    marks(AGENT_MARKS),
    "The daemon sets these members:",
    marks(DAEMON_MARKS),
    heading(2, "Events of extensions"),
    paragraph(
      "An event of another type belongs to an extension. Its type has the prefix of a vocabulary that `@context` names. It has the members of the envelope, may have these summaries, and may have any other members:",
    ),
    eventTable(flat.get("ExtensionEvent"), FILLED_IN, (name) => !(name in envelope.properties)),
    ...types.flatMap(({ name, schema, own }) => entry(name, schema, { tables, own })),
  ]);
}

/** The members of a type beside those of the envelope. A member of the envelope that the type restricts is in the entry's list. */
function ownOf(flat, schema) {
  const envelope = flat.get("Envelope").properties;
  const properties = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => !(name in envelope)));
  return { ...schema, properties };
}
