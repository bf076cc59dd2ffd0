import { heading, list, page, paragraph, table } from "./markdown.mjs";
import { placeOf, SPECIFICATION } from "./rule-links.mjs";

/** docs/reference/rules.md: an entry for each rule that an error may name. */
export function rulesPage({ RULE_GUIDE, FAULT_CODES, ruleOf }) {
  const entries = Object.entries(RULE_GUIDE).flatMap(([rule, requirement]) => {
    const place = placeOf(rule);
    const codes = FAULT_CODES.filter((name) => ruleOf({ code: name }) === rule);
    return [
      heading(2, rule),
      paragraph(requirement),
      list([
        `Source: ${place ?? "a rule of this daemon, which this page defines"}.`,
        ...(codes.length === 0 ? [] : [`Codes: ${codes.map((name) => `[${name}](errors.md#${name})`).join(", ")}.`]),
      ]),
    ];
  });
  return page([
    heading(1, "Rules"),
    paragraph(
      "A *rule* is a condition that a message, an event or an option must meet. Every refusal names the broken rule. `aaepd validate`, `publish` and `tail` print it in brackets. An [error](errors.md) has it as `rule`, and may name two of them, separated by a comma.",
    ),
    table(
      ["prefix", "source"],
      [
        ["`AAEP §`", `a paragraph of the Agent Accessibility Event Protocol ([specification](${SPECIFICATION}))`],
        ["`AAEP app.`", "an appendix of the same"],
        ["`R`", "a rule of this daemon for a case that the protocol leaves open"],
        ["`P`", "a rule of this program"],
      ],
    ),
    paragraph(`The codes of an entry are those that name the rule unless their error names a more exact one.`),
    ...entries,
  ]);
}
