import { closest } from "fastest-levenshtein";

/** "Did you mean …?" for a name that is not known, or nothing where none are known. */
export function didYouMean(name: string, known: readonly string[]): string {
  return known.length === 0 ? "" : `Did you mean ${closest(name, known)}?`;
}
