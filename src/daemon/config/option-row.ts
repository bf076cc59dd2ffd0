// A row of the table of everything that can be set.
import type { ValueType } from "./config-values.js";

/** The headings of help and documentation, in their order. */
export const OPTION_GROUPS = [
  "Where it listens",
  "Agents",
  "Subscribers",
  "Questions",
  "What is kept",
  "Process",
] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

export interface OptionRow<Value> {
  readonly group: OptionGroup;
  readonly type: ValueType<Value>;
  /** "s", "ms", "bytes", "events", "events/s"; undefined where there is none. */
  readonly unit: string | undefined;
  readonly fallback: Value;
  /** Where `stdio` has a default of its own. */
  readonly stdioFallback?: Value;
  /** What it is, in one sentence. */
  readonly meaning: string;
  /** What happens at the limit, what 0 means, or what the choices are. */
  readonly atTheLimit: string;
  /** Whether SIGHUP applies a change to a daemon that runs, or the next start does (R8b). */
  readonly change: "at_once" | "next_start";
  /** What a change that applies at once is for, where it is not for everything there is: "new streams". */
  readonly changeIsFor?: string;
  /** What has to be on for it to mean anything. On the command line it is refused without; elsewhere it may stand for other starts. */
  readonly needs?: "http";
}
