// The capabilities of AAEP §5.3 and R26 as options of the command line.
import { type Command, Option } from "commander";
import type { Capabilities } from "#gen/aaep/types.js";
import { textOf } from "../../base/members.js";
import { counted } from "../terminal/amounts.js";
import { knownList, languageList, textList, wholeNumber } from "./option-values.js";

export interface CapabilityOptions {
  readonly rate?: number;
  readonly verbosity?: "terse" | "normal" | "detailed";
  readonly languages?: readonly string[];
  readonly boundaries?: readonly string[];
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly cognitiveLoad?: "low" | "medium" | "high";
  readonly wpm?: number;
  readonly maxChars?: number;
  readonly paused?: true;
  readonly confirmations?: true;
  readonly clarifications?: true;
  readonly levels?: readonly string[];
  readonly extensions?: readonly string[];
  readonly signedOnly?: true;
}

const GROUP = "Terms of the subscription:";
const BOUNDARIES = ["none", "word", "sentence", "paragraph", "completion"];
const LEVELS = ["1", "2", "3"];

/** The flags of capabilities that have another name there. */
export const CAPABILITY_FLAGS: Readonly<Record<string, string>> = {
  max_events_per_second: "--rate",
  preferred_verbosity: "--verbosity",
  coalesce_boundaries: "--boundaries",
  event_filters: "--include or --exclude",
  pace_wpm: "--wpm",
  supports_confirmation_reply: "--confirmations",
  supports_clarification_reply: "--clarifications",
  supported_conformance_levels: "--levels",
  supported_extensions: "--extensions",
  accept_signed_manifests_only: "--signed-only",
};

export function addCapabilityOptions(command: Command): void {
  const options = [
    new Option("-r, --rate <n>", "at most n events a second, not counting critical ones").argParser(
      wholeNumber(1, 100_000),
    ),
    new Option("--verbosity <level>", "how long summaries are").choices(["terse", "normal", "detailed"]),
    new Option("-l, --languages <tags>", "languages in order of preference: en,yo").argParser(languageList),
    new Option("-b, --boundaries <names>", "where streamed text may be cut; none: each piece as it comes")
      .choices(BOUNDARIES)
      .argParser(knownList(BOUNDARIES)),
    new Option("--include <types>", 'event types to receive, with * at the end for any: "aaep:agent.tool.*"').argParser(
      textList,
    ),
    new Option("--exclude <types>", "event types to leave out, except critical events").argParser(textList),
    new Option("--cognitive-load <level>", "low leaves background events out").choices(["low", "medium", "high"]),
    new Option(
      "--wpm <n>",
      "words a minute of a voice: text waits until the text before is spoken, and is cut after 20 seconds",
    ).argParser(wholeNumber(50, 1000)),
    new Option("--max-chars <n>", "longest text of one event (default: with --wpm 20 seconds of it)").argParser(
      wholeNumber(80, 16_384),
    ),
    new Option("--paused", "only critical events"),
    new Option("--confirmations", "receive confirmations (to answer them, see --interactive)"),
    new Option("--clarifications", "receive clarifications (to answer them, see --interactive)"),
    new Option("--levels <numbers>", "conformance levels of this subscriber, as in 1,2")
      .choices(LEVELS)
      .argParser(knownList(LEVELS)),
    new Option("--extensions <uris>", "extension vocabularies whose data to keep").argParser(textList),
    new Option("--signed-only", "accept only producers with a signed manifest"),
  ];
  for (const option of options) command.addOption(option.helpGroup(GROUP));
}

/** Characters that a voice of one word a minute speaks in 20 seconds. At a pace text is cut so, because what waits would be one long piece. */
const PIECE_CHARACTERS = 5 / 3;

/** Contains only the given options; the daemon's defaults apply to the rest. */
export function capabilitiesFromOptions(options: CapabilityOptions): Capabilities {
  const filters = { include: options.include, exclude: options.exclude };
  const { wpm, maxChars = wpm === undefined ? undefined : Math.round(wpm * PIECE_CHARACTERS) } = options;
  const pace = { paused: options.paused, max_chars: maxChars };
  return definedMembers({
    max_events_per_second: options.rate,
    preferred_verbosity: options.verbosity,
    languages: options.languages,
    supports_confirmation_reply: options.confirmations,
    supports_clarification_reply: options.clarifications,
    coalesce_boundaries: options.boundaries,
    event_filters: definedMembersOrNone(filters),
    supported_conformance_levels: options.levels?.map(Number),
    supported_extensions: options.extensions,
    cognitive_load: options.cognitiveLoad,
    pace_wpm: wpm,
    accept_signed_manifests_only: options.signedOnly,
    aaepd: definedMembersOrNone(pace),
  });
}

function definedMembers(members: Readonly<Record<string, unknown>>): Capabilities {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function definedMembersOrNone(members: Readonly<Record<string, unknown>>): Capabilities | undefined {
  return Object.values(members).every((value) => value === undefined) ? undefined : definedMembers(members);
}

/** The `max_chars` of a subscription that requests none (R26). */
const LONGEST_TEXT = 16_384;

/** The texts of a list; none of anything else that a producer sent. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

/** Describes the terms, as in "3 events a second, text by sentence and completion, terse, en". */
export function termsInWords(honored: Capabilities): string {
  const { max_events_per_second: rate, preferred_verbosity: verbosity, pace_wpm: pace } = honored;
  const boundaries = textsOf(honored.coalesce_boundaries);
  const maxChars = honored.aaepd?.max_chars;
  return [
    typeof rate === "number" ? `${counted(rate, "event")} a second` : "no rate limit",
    boundaries.length === 0
      ? []
      : boundaries.includes("none")
        ? "text as it comes"
        : `text by ${boundaries.join(" and ")}`,
    textOf(verbosity) || [],
    textsOf(honored.languages).join(", ") || [],
    honored.cognitive_load === "low" ? "low cognitive load" : [],
    typeof pace === "number" ? `${pace} words a minute` : [],
    typeof maxChars === "number" && maxChars < LONGEST_TEXT ? `texts up to ${maxChars} characters` : [],
    honored.aaepd?.paused === true ? "paused" : [],
  ]
    .flat()
    .join(", ");
}
