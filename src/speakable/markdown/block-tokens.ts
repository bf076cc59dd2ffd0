// Facts about tokens of blocks.
import type { Token } from "markdown-it";

/** Stands in a prefix for words that were said. */
export const SAID = "x0x";

export function lineOf(token: Token): number {
  return token.map?.[0] ?? 0;
}

export function endLineOf(token: Token): number {
  return token.map?.[1] ?? 0;
}

export function linesIn(content: string): number {
  return content === "" ? 0 : content.replace(/\n$/, "").split("\n").length;
}

export function between(cuts: readonly number[], from: number, to: number): readonly number[] {
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cuts[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while ((cuts[end] ?? Number.POSITIVE_INFINITY) <= to) end += 1;
  return cuts.slice(low, end);
}

/** How many items each list has, and how many rows each table. */
export function childCounts(tokens: readonly Token[]): ReadonlyMap<Token, number> {
  const counts = new Map<Token, number>();
  const open: Token[] = [];
  for (const token of tokens) {
    if (/^(?:bullet_list|ordered_list|table)_open$/.test(token.type)) open.push(token);
    else if (/^(?:bullet_list|ordered_list|table)_close$/.test(token.type)) open.pop();
    else if (token.type === "list_item_open" || token.type === "tr_open") {
      const parent = open.at(-1);
      if (parent !== undefined) counts.set(parent, (counts.get(parent) ?? 0) + 1);
    }
  }
  return counts;
}
