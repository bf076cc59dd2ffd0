// The probable meaning of a name that is not known.
import { closest, distance } from "fastest-levenshtein";

/** The longest name that is compared, in UTF-16 units. A longer one is no slip of the hand, and comparing takes its length squared (R34). */
const LONGEST_NAME = 256;

/** Returns "Did you mean …?" for an unknown name, or "" if no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? "" : `Did you mean ${nearest}?`;
}

/** Whether one name denies the other, such as "uninstall" and "install", or "--no-time" and "--time". */
function areOpposite(one: string, other: string): boolean {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  return ["no-", "no_", "un", "dis"].some((denial) => longer === shorter.replace(/^(--)?/, `$1${denial}`));
}

/** Returns the known name that an unknown one stands for, as far as can be told; undefined if none is near. Its opposite is none. */
export function nearestName(name: string, all: readonly string[]): string | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  const known = all.filter((one) => !areOpposite(name, one));
  if (known.length === 0) return undefined;
  // A name without its prefix, such as "publish".
  const nearest = known.find((one) => one.endsWith(`.${name}`)) ?? closest(name, known);
  const isNear =
    nearest.startsWith(name) ||
    nearest.endsWith(`.${name}`) ||
    distance(name, nearest) <= Math.max(2, Math.floor(nearest.length / 3));
  return isNear ? nearest : undefined;
}
