// Where a closing mark stands next in a running text. However often a rule asks, the text is searched once.
import type { StateInline } from "markdown-it";

/** The latest search for a mark: from where, and the place that it found. */
type Search = { readonly from: number; readonly found: number };
const searchesOf = new WeakMap<StateInline, Map<string, Search>>();

/** The place of the first `mark` at or behind a place; -1 if it is not within what is read. */
export function nextPlace(state: StateInline, mark: string, from: number): number {
  const searches = searchesOf.get(state) ?? new Map<string, Search>();
  searchesOf.set(state, searches);
  const known = searches.get(mark);
  const isKnown = known !== undefined && known.from <= from && (known.found < 0 || from <= known.found);
  const found = isKnown ? known.found : state.src.indexOf(mark, from);
  if (!isKnown) searches.set(mark, { from, found });
  return found + mark.length > state.posMax ? -1 : found;
}
