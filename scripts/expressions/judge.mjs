// Decides whether a regular expression is linear in any input (R34). Uses only recheck's automata: their "safe" is reliable, and an expression gets
// the same answer on every machine.

// The other backends are a program for each platform and a Java archive.
process.env.RECHECK_BACKEND = "pure";
const { checkSync } = await import("recheck");

/**
 * Counted repetitions above this number are treated as unbounded: automata count by copies, and an expression that is linear without a bound is
 * linear with one.
 */
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

/** Returns a sentence about an expression that is not linear and has no proof; undefined if all is well. */
export function complaintOf({ pattern, flags, isBuilt, isProven }) {
  if (isBuilt) return "The expression is made of something that is not constant. Write it out, or go without one.";
  const { status, complexity, error } = judge(pattern, flags);
  if (status === "safe") return isProven ? "The expression is linear. Delete the proof beside it." : undefined;
  if (isProven) return undefined;
  const found = status === "vulnerable" ? complexity.summary : `not known (${error.message ?? error.kind})`;
  return `The time of /${pattern}/${flags} is ${found}. Rewrite it, or put its proof above it: "// Linear: …" (in a schema: "$comment").`;
}
