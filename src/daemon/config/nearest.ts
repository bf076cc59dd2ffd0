import { closest, distance } from "fastest-levenshtein";

/** Returns "Did you mean …?" for an unknown name, or "" if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const nearest = closest(name, known);
  const isNear = nearest.startsWith(name) || distance(name, nearest) <= Math.max(2, Math.floor(nearest.length / 3));
  return isNear ? `Did you mean ${nearest}?` : "";
}
