// Where the reference explains an error: pages and anchors below docs/reference.
import type { Fault } from "./errors.js";
import { ruleOf } from "./fault-rules.js";

const RULE = /^(AAEP (§\d+(\.\d+)*|app\. [A-Z](\.\d+)?|ch\. \d+)|[PR]\d+[a-z]?)$/;

/** The anchor of a rule's heading, as GitHub and other readers of Markdown make it: "AAEP §4.5.4" is "aaep-454". */
export function ruleAnchor(rule: string): string {
  return rule
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, "")
    .replaceAll(" ", "-");
}

/** The single rules in the text that an error names, as in "AAEP §3.2.5, R3b". */
export function rulesIn(text: string): readonly string[] {
  return text.split(", ");
}

/**
 * The entries about a fault, as paths below docs/reference: that of its code, then those of its rules. A rule of a later version leads to the
 * page, which has no heading for it.
 */
export function referenceLinks(fault: Pick<Fault, "code" | "rule">): readonly string[] {
  const rules = rulesIn(ruleOf(fault)).filter((rule) => RULE.test(rule));
  return [`errors.md#${fault.code}`, ...rules.map((rule) => `rules.md#${ruleAnchor(rule)}`)];
}
