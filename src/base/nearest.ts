import { closest, distance } from "fastest-levenshtein";

/** The longest name that is compared, in UTF-16 units. A longer one is no slip of the hand, and comparing takes its length squared (R34). */
const LONGEST_NAME = 256;

/** Returns "Did you mean …?" for an unknown name, or "" if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0 || name.length > LONGEST_NAME) return "";
  // A name without its prefix, such as "publish".
  const nearest = known.find((one) => one.endsWith(`.${name}`)) ?? closest(name, known);
  const isNear =
    nearest.startsWith(name) ||
    nearest.endsWith(`.${name}`) ||
    distance(name, nearest) <= Math.max(2, Math.floor(nearest.length / 3));
  return isNear ? `Did you mean ${nearest}?` : "";
}
