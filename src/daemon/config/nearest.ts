import { closest, distance } from "fastest-levenshtein";

/** "Did you mean …?" for a name that is not known, or nothing where none is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const nearest = closest(name, known);
  const isNear = nearest.startsWith(name) || distance(name, nearest) <= Math.max(2, Math.floor(nearest.length / 3));
  return isNear ? `Did you mean ${nearest}?` : "";
}
