// Judges whether a regular expression takes time in proportion to its input, whatever that is (R34). By recheck's automata alone: what they call
// safe is safe, and the same expression gets the same answer on every machine.

// Its other backends are a program for each platform and a Java archive.
process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

/** More repetitions than this are taken for any number: automata count by copies, and what is linear without a bound is so within one. */
const MOST_COUNTED = 3;
const COUNTED = /(\\(?:u\{\w*\}|.)|\[(?:\\.|[^\]\\])*\])|\{(\d+),(\d+)\}/gs;

function withoutBounds(pattern) {
  return pattern.replace(COUNTED, (whole, other, least, most) =>
    other !== undefined || Number(most) <= MOST_COUNTED ? whole : least === "0" ? "*" : "+",
  );
}

const judged = new Map();

function judge(pattern, flags) {
  const key = `${flags}/${pattern}`;
  const known = judged.get(key) ?? checkSync(withoutBounds(pattern), flags, { checker: "automaton", timeout: null });
  judged.set(key, known);
  return known;
}

/** What is wrong with an expression, as a sentence; undefined where it is linear, or its proof stands beside it. */
export function complaintOf({ pattern, flags, isBuilt, isProven }) {
  if (isBuilt) return "The expression is made of something that is not constant. Write it out, or go without one.";
  const { status, complexity, error } = judge(pattern, flags);
  if (status === "safe") return isProven ? "The expression is linear. Delete the proof beside it." : undefined;
  if (isProven) return undefined;
  const found = status === "vulnerable" ? complexity.summary : `not known (${error.message ?? error.kind})`;
  return `The time of /${pattern}/${flags} is ${found}. Rewrite it, or put its proof above it: "// Linear: …" (in a schema: "$comment").`;
}
