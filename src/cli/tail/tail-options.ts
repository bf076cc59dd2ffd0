// The options of `aaepd tail`, and which of them do not go together.
import type { Envelope } from "#gen/aaep/types.js";
import type { Framing } from "../../../transports/framing/framings.js";
import { usage } from "../../base/errors.js";
import type { SpeakableOptions } from "../../speakable/index.js";
import { type CapabilityOptions, capabilitiesFromOptions } from "../shell/capability-options.js";

export interface TailOptions extends CapabilityOptions, Omit<SpeakableOptions, "language"> {
  readonly socket?: string;
  readonly from?: readonly string[];
  readonly local?: true;
  readonly framing?: Framing;
  readonly json?: true;
  readonly label?: true;
  readonly time: boolean;
  readonly agent: boolean;
  readonly only?: readonly string[];
  readonly quiet?: true;
  readonly verbose?: true;
  readonly count?: number;
  readonly interactive?: true;
  readonly resumeAfter?: string;
  readonly cursorFile?: string;
  readonly reconnect: boolean;
  readonly subscriberId?: string;
  readonly subscriberName: string;
  readonly akashik?: true;
  readonly interests?: readonly string[];
  readonly minRelevance?: number;
  readonly debounce?: number;
  /** Which events are shown and asked. Only callers of the function have it. Default: all. */
  readonly concerns?: (event: Envelope) => boolean;
}

/** Options of one way to follow mean nothing in the other. */
export function refuseMixture(options: TailOptions): void {
  const { json, label, interactive, resumeAfter, cursorFile, only, akashik, interests, minRelevance, debounce } =
    options;
  const ofField = { "--interests": interests, "--min-relevance": minRelevance, "--debounce": debounce };
  const ofEvents = {
    "--label": label,
    "--interactive": interactive,
    "--resume-after": resumeAfter,
    "--cursor-file": cursorFile,
    "--only": only,
  };
  const [name] = Object.entries(akashik === true ? ofEvents : ofField).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) {
    throw usage(akashik === true ? `${name} does not go with --akashik.` : `${name} goes with --akashik.`);
  }
  if (label === true && json !== true) throw usage("--label goes with --json. Give both, or neither.");
  if (akashik !== true || Object.keys(capabilitiesFromOptions(options)).length === 0) return;
  throw usage("--akashik has no terms of a subscription. Give --interests, --min-relevance or --debounce.");
}

/** Every core type has a colon. A pattern without one is not refused, because types may be added, but it is probably a mistake. */
export function patternsOfNothing({ include = [], exclude = [] }: TailOptions): readonly string[] {
  return [...include, ...exclude].filter(
    (pattern) => !pattern.includes(":") && !(pattern.endsWith("*") && "aaep:".startsWith(pattern.slice(0, -1))),
  );
}
