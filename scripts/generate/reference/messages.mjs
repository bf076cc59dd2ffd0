import { code, heading, json, link, list, page, paragraph, sentence, table } from "./markdown.mjs";
import { memberTable } from "./members.mjs";
import { placeOf, ruleLinks } from "./rule-links.mjs";

const FILE = "messages.md";

function sources(rule, tables) {
  const place = placeOf(rule);
  return `Rule: ${ruleLinks(rule, tables)}${place === undefined ? "" : `. Specification: ${place}`}`;
}

function call(name) {
  return name === undefined ? "none" : link(name, "calls.md");
}

function plainEntry(name, guide, { tables, flat }) {
  const schema = flat.get(guide.schema);
  const reasons =
    name === "subscription.close"
      ? [
          "The daemon gives one of these `reason_code`s:",
          table(
            ["reason_code", "meaning"],
            Object.entries(tables.CLOSE_REASON_GUIDE).map(([reason, meaning]) => [code(reason), meaning]),
          ),
        ]
      : [];
  return [
    heading(3, name),
    paragraph(sentence(schema.description)),
    list([`Effect: ${guide.effect}`, `Over JSON-RPC: ${call(guide.rpc)}`, sources(guide.rule, tables)]),
    memberTable(schema, FILE),
    ...reasons,
    "An example:",
    ...schema.examples.map(json),
  ];
}

/** docs/reference/messages.md: an entry for each message of a plain connection. */
export function messagesPage(tables, { flat }) {
  const { SUBSCRIBER_GUIDE, DAEMON_GUIDE } = tables;
  const context = { tables, flat };
  const daemons = Object.entries(DAEMON_GUIDE).filter(([name]) => !(name in SUBSCRIBER_GUIDE));
  const manifest = flat.get("ProducerManifest");
  return page([
    heading(1, "Messages"),
    paragraph(
      "A *message* is one JSON object between the daemon and a peer. [Events](events.md) are messages too, and have a page of their own. This page has an entry for each of the others.",
    ),
    list([
      "A **plain connection** carries the messages themselves. Its first message is [subscription.request](#subscriptionrequest).",
      "Over **JSON-RPC 2.0**, [calls and notifications](calls.md) carry them. Agents publish over JSON-RPC.",
      "**gRPC and Connect** have typed messages with the same members ([services](../services.md), [protobuf](../protobuf.md)).",
    ]),
    paragraph(
      "[The conversation](../subscribing.md#the-conversation) explains framings and order. `choices[].value` names the member `value` of each entry of `choices`. Members that a table lacks are ignored in messages of AAEP and refused in those of the daemon's own, whose names begin with `aaepd.`.",
    ),
    heading(2, "From a subscriber"),
    paragraph("A subscriber sends these messages on a plain connection."),
    ...Object.entries(SUBSCRIBER_GUIDE).flatMap(([name, guide]) => plainEntry(name, guide, context)),
    heading(2, "From the daemon"),
    paragraph(
      "The daemon sends these messages on a plain connection, and [subscription.close](#subscriptionclose), which has its entry above.",
    ),
    ...daemons.flatMap(([name, guide]) => plainEntry(name, guide, context)),
    heading(2, "The manifest"),
    paragraph(sentence(manifest.description)),
    list([sources("AAEP §5.10.1", tables)]),
    memberTable(manifest, FILE),
    "An example:",
    ...manifest.examples.map(json),
  ]);
}
