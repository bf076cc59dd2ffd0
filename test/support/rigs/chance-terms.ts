// Terms and texts by chance, for properties of random lives.
import type { Terms } from "../../../src/engine/terms/terms.js";
import { defaultTerms } from "../../../src/protocols/aaep/subscriber/negotiate.js";
import type { Chance } from "../chance.js";

export const TEXTS = [
  "One. ",
  "Two is",
  " said. Three",
  " and more words ",
  "x",
  "",
  "A paragraph.\n\nNext",
  " 日本語。はい",
  "long ".repeat(60),
  "```\ncode\n",
  "```\n",
  "- item\n",
];

const BOUNDARIES = [
  ["none"],
  ["word"],
  ["sentence"],
  ["paragraph"],
  ["completion"],
  ["sentence", "completion"],
] as const;

/** Terms that differ in where text is cut, how much of it, and how fast it may come. */
export function chanceTerms(chance: Chance): Terms {
  return {
    ...defaultTerms(),
    coalesceBoundaries: [...chance.pick(BOUNDARIES)],
    maxEventsPerSecond: chance.pick([undefined, undefined, 1, 5]),
    maxChars: chance.pick([16_384, 80, 100]),
  };
}
