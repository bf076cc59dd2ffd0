import { code, heading, json, list, page, paragraph, sentence, table } from "./markdown.mjs";
import { memberTable } from "./members.mjs";
import { placeOf, ruleLinks } from "./rule-links.mjs";

const FILE = "messages.md";
const anchor = (name) => name.replaceAll(/[^a-z0-9_]/g, "");
const here = (name) => `[${name}](#${anchor(name)})`;

function sources(rule, tables) {
  const place = placeOf(rule);
  return `Rule: ${ruleLinks(rule, tables)}${place === undefined ? "" : `. Specification: ${place}`}`;
}

/** A call of the same name has the entry of the message, which then names its result. */
function overRpc(name, { rpc }, { METHOD_GUIDE }) {
  if (rpc === undefined) return "none";
  if (rpc !== name || METHOD_GUIDE[name] === undefined) return here(rpc);
  const codes = METHOD_GUIDE[name].codes.map((one) => `[${one}](errors.md#${one})`).join(", ");
  return `the call of the same name, with these members as params. Result: An empty object. Typical refusals: ${codes}`;
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
    list([`Effect: ${guide.effect}`, `Over JSON-RPC: ${overRpc(name, guide, tables)}`, sources(guide.rule, tables)]),
    memberTable(schema, FILE),
    ...reasons,
    "An example:",
    ...schema.examples.map(json),
  ];
}

/** The blocks that describe params or a result. */
function form(label, described, { flat, plain }) {
  if (typeof described === "string") {
    const name = plain.get(described);
    if (name !== undefined) return [paragraph(`${label}: the members of ${name}. ${"`type`"} may be missing.`)];
    if (described === "ProducerManifest") return [paragraph(`${label}: [the manifest](#the-manifest).`)];
    return [`${label}:`, memberTable(flat.get(described), FILE)];
  }
  if (typeof described.text === "string") return [paragraph(`${label}: ${described.text}`)];
  const rows = Object.entries(described).map(([name, { type, isRequired, meaning }]) => [
    code(name),
    type,
    isRequired ? "yes" : "no",
    meaning,
  ]);
  return [`${label}:`, table(["member", "type", "required", "meaning"], rows)];
}

function methodEntry(name, guide, context) {
  const codes = guide.codes.map((one) => `[${one}](errors.md#${one})`).join(", ");
  return [
    heading(3, name),
    paragraph(guide.meaning),
    list([
      `Caller: ${guide.caller}`,
      ...(codes === "" ? [] : [`Typical refusals: ${codes}`]),
      sources(guide.rule, context.tables),
    ]),
    ...form("Params", guide.params, context),
    ...form("Result", guide.result, context),
  ];
}

/** docs/reference/messages.md: an entry for each message, call and notification. */
export function messagesPage(tables, { flat }) {
  const { SUBSCRIBER_GUIDE, DAEMON_GUIDE, METHOD_GUIDE, NOTIFICATION_GUIDE } = tables;
  const guides = { ...DAEMON_GUIDE, ...SUBSCRIBER_GUIDE };
  const plain = new Map(Object.entries(guides).map(([name, { schema }]) => [schema, here(name)]));
  const context = { tables, flat, plain };
  const daemons = Object.entries(DAEMON_GUIDE).filter(([name]) => !(name in SUBSCRIBER_GUIDE));
  // A notification of the same name as a plain message or a method has the entry of that one.
  const isShared = (name) => name in DAEMON_GUIDE || name in METHOD_GUIDE;
  const notifications = Object.entries(NOTIFICATION_GUIDE).filter(([name]) => !isShared(name));
  const shared = Object.keys(NOTIFICATION_GUIDE).filter(isShared).map(here);
  const manifest = flat.get("ProducerManifest");
  return page([
    heading(1, "Messages"),
    paragraph(
      "A *message* is one JSON object between the daemon and a peer. [Events](events.md) are messages too, and have a page of their own. This page has an entry for each of the others.",
    ),
    list([
      "A **plain connection** carries the messages themselves. Its first message is [subscription.request](#subscriptionrequest).",
      "Over **JSON-RPC 2.0**, calls and notifications carry them. Agents publish over JSON-RPC.",
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
    heading(2, "Calls over JSON-RPC"),
    paragraph(
      "A call has an `id`, and its answer has a `result` or an [error](errors.md). A call without an `id` is a notification and has no answer. The daemon refuses such a call by [aaep.error](#aaeperror) if it is useless without its answer. `$/cancelRequest` with the `id` of a call takes `aaep.confirm` and `aaep.clarify` back.",
    ),
    json({ jsonrpc: "2.0", id: 1, method: "aaep.ping", params: {} }),
    ...Object.entries(METHOD_GUIDE)
      .filter(([name]) => !(name in SUBSCRIBER_GUIDE))
      .flatMap(([name, guide]) => methodEntry(name, guide, context)),
    heading(2, "Notifications over JSON-RPC"),
    paragraph(
      `The daemon sends these notifications, and also ${shared.slice(0, -1).join(", ")} and ${shared.at(-1)}, which have their entries above.`,
    ),
    ...notifications.flatMap(([name, guide]) => [
      heading(3, name),
      paragraph(guide.meaning),
      list([sources(guide.rule, tables)]),
      ...form("Params", guide.params, context),
    ]),
    heading(2, "The manifest"),
    paragraph(sentence(manifest.description)),
    list([sources("AAEP §5.10.1", tables)]),
    memberTable(manifest, FILE),
    "An example:",
    ...manifest.examples.map(json),
  ]);
}
