// Shapes the daemon's own texts (R14, R31). Their fields have known names, so no key is split: thousands of them are made at once where agents vanish
// (R34). The result equals that of `shapeVariants`.
import { setMember } from "../../base/members.js";
import type { AgentEvent, Verbosity } from "../event/event.js";
import { AAEPD, BY_DAEMON } from "../event/vocabulary.js";
import { CATALOGUE_LANGUAGES, hintsIn, matchLanguage } from "./language.js";
import { requiresNormalSummary } from "./readable-fields.js";

interface DaemonTextKeys {
  readonly terse: string;
  readonly normal: string;
}

const KEYS: ReadonlyMap<string, DaemonTextKeys> = new Map(
  CATALOGUE_LANGUAGES.map((language) => [
    language,
    { terse: `summary_terse_${language}`, normal: `summary_normal_${language}` },
  ]),
);
const PLAIN: DaemonTextKeys = { terse: "summary_terse", normal: "summary_normal" };

const REPLACED: ReadonlySet<string> = new Set(
  [PLAIN, ...KEYS.values()].flatMap(({ terse, normal }) => [terse, normal]),
);

/** Whether the daemon made the event with texts in every language of the catalogues. */
export function hasDaemonMessages(event: AgentEvent): boolean {
  if (event.extensions?.[AAEPD]?.by !== BY_DAEMON) return false;
  return event.summary_normal_ja !== undefined || event.summary_normal_en !== undefined;
}

/** The language that serves best: that of the plain texts, or one of the variants. */
function languageFor(event: AgentEvent, wanted: readonly string[], primary: string): string {
  const there = [primary];
  for (const [language, { normal }] of KEYS) if (event[normal] !== undefined) there.push(language);
  return matchLanguage(wanted, there) ?? primary;
}

/** The language of the plain texts. Events from before the daemon named it lack the variant of just that language. */
function primaryOf(event: AgentEvent): string {
  if (event.localization_hints !== undefined) return event.localization_hints.primary_language;
  for (const [language, { normal }] of KEYS) if (event[normal] === undefined) return language;
  return "en";
}

/** Shapes an event of the daemon's that has texts in every language. */
export function shapeDaemonMessages(
  event: AgentEvent,
  shape: { readonly verbosity: Verbosity; readonly languages: readonly string[] },
): AgentEvent {
  const hints = event.localization_hints;
  const primary = primaryOf(event);
  const wanted = languageFor(event, shape.languages, primary);
  const keys = wanted === primary ? PLAIN : (KEYS.get(wanted) ?? PLAIN);
  const isTerse = shape.verbosity === "terse";
  const shaped: Record<string, unknown> = {};
  for (const key of Object.keys(event)) if (!REPLACED.has(key)) setMember(shaped, key, event[key]);
  if (isTerse) shaped.summary_terse = event[keys.terse];
  if (!isTerse || requiresNormalSummary(event.type)) shaped.summary_normal = event[keys.normal];
  const level = isTerse ? "terse" : "normal";
  if (level !== (event.verbosity ?? "normal")) shaped.verbosity = level;
  if (hints === undefined || wanted !== primary) shaped.localization_hints = hintsIn(wanted, hints);
  return shaped as AgentEvent;
}
