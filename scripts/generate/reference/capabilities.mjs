import { code, heading, json, link, list, page, paragraph, sentence, table } from "./markdown.mjs";
import { membersOf } from "./members.mjs";
import { placeOf, ruleLinks } from "./rule-links.mjs";
import { defaultOf, words } from "./values.mjs";

const FILE = "capabilities.md";

/** The default in the schema, or the meaning of a missing member. */
function presetOf(member, { missing }) {
  const preset = defaultOf(member);
  if (preset !== undefined) return [`Default: ${preset}`];
  return missing === undefined ? [] : [`Missing: ${missing}`];
}

function entry({ title, member, guide, rule, tables, level }) {
  const nested = membersOf(member, FILE);
  return [
    heading(level, title),
    paragraph(sentence(member.description)),
    list([
      `Type: ${words(member)}`,
      ...presetOf(member, guide),
      `Granted: ${guide.granted}`,
      `Rule: ${ruleLinks(rule, tables)}.${placeOf(rule) === undefined ? "" : ` Specification: ${placeOf(rule)}`}`,
    ]),
    nested.length === 0
      ? undefined
      : table(
          ["member", "type", "meaning"],
          nested.map(({ path, type, meaning }) => [code(path), type, meaning]),
        ),
  ];
}

/** docs/reference/capabilities.md: an entry for each capability. */
export function capabilitiesPage(tables, { flat }) {
  const { CAPABILITY_GUIDE, OWN_CAPABILITY_GUIDE, CAPABILITY_RULES } = tables;
  const core = flat.get("Capabilities");
  const own = flat.get("AaepdCapability");
  const coreNames = Object.keys(core.properties).filter((name) => name !== "aaepd");
  const ownNames = Object.keys(own.properties);
  return page([
    heading(1, "Capabilities"),
    paragraph(
      `A *capability* is one term of a subscription. A subscriber asks for capabilities in [subscription.request](messages.md#subscriptionrequest) and [subscription.renegotiate](messages.md#subscriptionrenegotiate). The daemon answers with the granted ones in ${code("honored_capabilities")}. A grant never exceeds the request ([AAEP §5.4.4](rules.md#aaep-544)). [What you can ask for](../subscribing.md#what-you-can-ask-for) has good choices.`,
    ),
    list([
      "A member that is missing has its default. In a renegotiation it keeps its value.",
      "A value of the wrong form or out of range is refused: the request is rejected, and in a renegotiation the old terms stay.",
      "An unknown capability has no effect. `negotiation_notes` names it, because it may be misspelt.",
      "`event_filters` and `aaepd` are merged member by member in a renegotiation. Lists are replaced whole.",
    ]),
    "An example of a `capabilities` object:",
    ...core.examples.map(json),
    table(
      ["capability", "type", "default"],
      [
        ...coreNames.map((name) => [
          link(name),
          words(core.properties[name]),
          defaultOf(core.properties[name]) ?? CAPABILITY_GUIDE[name].missing ?? "see its members",
        ]),
        ...ownNames.map((name) => [
          link(`aaepd.${name}`),
          words(own.properties[name]),
          defaultOf(own.properties[name]) ?? "given by the daemon",
        ]),
      ],
    ),
    ...coreNames.flatMap((name) =>
      entry({
        title: name,
        member: core.properties[name],
        guide: CAPABILITY_GUIDE[name],
        rule: CAPABILITY_RULES[name],
        tables,
        level: 2,
      }),
    ),
    heading(2, "The capability aaepd"),
    paragraph(sentence(own.description)),
    list([
      `Granted: ${CAPABILITY_GUIDE.aaepd.granted}`,
      `Missing: ${CAPABILITY_GUIDE.aaepd.missing}`,
      `Rule: ${ruleLinks(CAPABILITY_RULES.aaepd, tables)}`,
    ]),
    ...ownNames.flatMap((name) =>
      entry({
        title: `aaepd.${name}`,
        member: own.properties[name],
        guide: OWN_CAPABILITY_GUIDE[name],
        rule: CAPABILITY_RULES.aaepd,
        tables,
        level: 3,
      }),
    ),
  ]);
}
