import type { Level } from "../../conformance/findings/finding.js";

/** The options that both roles have. */
export interface SuiteOptions {
  readonly endpoint: string;
  readonly level: Level;
  readonly extensions?: readonly string[];
  readonly case?: readonly string[];
  /** Seconds. */
  readonly patience: number;
  readonly name?: string;
  readonly report?: string;
  readonly failOnWarning?: true;
  readonly quiet?: true;
}
