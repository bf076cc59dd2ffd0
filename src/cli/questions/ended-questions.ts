// Reports, in one line, questions that ended without being asked.

/** A question that has ended. */
export interface EndedQuestion {
  readonly number: number;
  /** The outcome, in a sentence. */
  readonly outcome: string;
  /** The outcome in the daemon's one word; undefined if the event had none. */
  readonly decision: string | undefined;
}

/** The daemon's words (`extensions.aaepd.decision`); other words are not repeated. */
const DECISIONS = ["accepted", "rejected", "answered", "unanswered", "cancelled"];

/** Returns undefined if no question has ended. */
export function endedInWords(ended: readonly EndedQuestion[]): string | undefined {
  const [first, second] = ended;
  if (first === undefined) return undefined;
  if (second === undefined) return `Question ${first.number} has ended: ${first.outcome}`;
  const counts = DECISIONS.flatMap((decision) => {
    const count = ended.filter((one) => one.decision === decision).length;
    return count === 0 ? [] : [`${count} ${decision}`];
  });
  const how = counts.length === 0 ? "" : `: ${counts.join(", ")}`;
  return `Questions ${numbersInWords(ended.map(({ number }) => number))} have ended${how}.`;
}

/** Formats numbers, as in "2, 4 and 7 to 11". */
export function numbersInWords(numbers: readonly number[]): string {
  const runs: { readonly from: number; to: number }[] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last?.to === number - 1) last.to = number;
    else runs.push({ from: number, to: number });
  }
  const parts = runs.flatMap(({ from, to }) => (to - from < 2 ? range(from, to) : [`${from} to ${to}`]));
  const last = parts.pop() ?? "";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

function range(from: number, to: number): readonly string[] {
  return from === to ? [String(from)] : [String(from), String(to)];
}
