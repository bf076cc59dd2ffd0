import type { Level } from "../../conformance/findings/finding.js";
import type { SocketFraming } from "../../conformance/wire/socket-links.js";

/** The options that both roles have. */
export interface SuiteOptions {
  readonly endpoint: string;
  readonly level: Level;
  readonly framing?: SocketFraming;
  readonly extensions?: readonly string[];
  readonly case?: readonly string[];
  /** Seconds. */
  readonly patience: number;
  readonly name?: string;
  readonly report?: string;
  readonly failOnWarning?: true;
  readonly quiet?: true;
}
