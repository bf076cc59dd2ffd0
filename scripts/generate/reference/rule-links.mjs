// References to rules and to the specification.
export const SPECIFICATION = "https://aaep-protocol.org/";

/** Links to the entries of the rules that a text names, as in "AAEP §3.2.5, R3b". */
export function ruleLinks(text, { rulesIn, ruleAnchor }, file = "rules.md") {
  return rulesIn(text)
    .map((rule) => `[${rule}](${file}#${ruleAnchor(rule)})`)
    .join(", ");
}

/** The place of a paragraph in the specification; undefined for a rule that is not AAEP's. */
export function placeOf(rule) {
  const paragraph = /^AAEP §((\d+)[\d.]*)$/.exec(rule);
  if (paragraph !== null) return `[AAEP](${SPECIFICATION}), chapter ${paragraph[2]}, §${paragraph[1]}`;
  const appendix = /^AAEP app\. ([A-Z])(?:\.(\d+))?$/.exec(rule);
  if (appendix === null) return undefined;
  const [, letter, section] = appendix;
  return `[AAEP](${SPECIFICATION}), appendix ${letter}${section === undefined ? "" : `, ${letter}.${section}`}`;
}
