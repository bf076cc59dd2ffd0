// The capabilities that are one word of a list, and the treatment of unknown words (AAEP §5.3, R26).

/** The `capabilities` object of a request, as received. */
export type Capabilities = Readonly<Record<string, unknown>>;

/** The words of `preferred_verbosity` and of `cognitive_load`. */
export const VERBOSITIES = ["terse", "normal", "detailed"] as const;
export const LOADS = ["low", "medium", "high"] as const;
/** Capabilities that are one word of a list. */
const WORDS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["preferred_verbosity", VERBOSITIES],
  ["cognitive_load", LOADS],
]);

/** Returns the same object if every word is known, else a copy without the unknown words. */
export function withoutUnknownWords(capabilities: Capabilities): Capabilities {
  const isUnknown = (name: string): boolean => {
    const word = capabilities[name];
    return typeof word === "string" && WORDS.get(name)?.includes(word) === false;
  };
  if (![...WORDS.keys()].some(isUnknown)) return capabilities;
  return Object.fromEntries(Object.entries(capabilities).filter(([name]) => !isUnknown(name)));
}
