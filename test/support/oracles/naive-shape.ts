// R14 and AAEP ch. 11 spelled out without regard to cost, to compare with.
import type { AgentEvent, Verbosity } from "../../../src/engine/event/event.js";

const CORE_TEXTS = ["summary_terse", "summary_normal", "summary_detailed", "action", "reason", "description"];
const SUMMARIES = CORE_TEXTS.slice(0, 3);
const REQUIRING = ["session.started", "tool.invoked"].map((kind) => `aaep:agent.${kind}`);

const part = (tag: string, index: number) =>
  new Intl.Locale(tag)[index === 0 ? "language" : index === 1 ? "script" : "region"];

/** The rules of matching, one after the other; each goes through all offered tags before the next is tried. */
const RULES: readonly ((wanted: string, offered: string) => boolean)[] = [
  (wanted, offered) => wanted === offered,
  (wanted, offered) =>
    part(wanted, 0) === part(offered, 0) &&
    part(wanted, 1) === part(offered, 1) &&
    (part(wanted, 2) === undefined || part(offered, 2) === undefined),
  (wanted, offered) => part(wanted, 0) === part(offered, 0) && part(wanted, 1) === part(offered, 1),
  (wanted, offered) =>
    part(wanted, 0) === part(offered, 0) && (part(wanted, 1) === undefined || part(offered, 1) === undefined),
];

function best(asked: readonly string[], there: readonly string[]): string | undefined {
  for (const wanted of asked) {
    for (const rule of RULES) {
      const match = there.find((offered) => rule(wanted, offered));
      if (match !== undefined) return match;
    }
  }
  return there[0];
}

/** Of a core event, or of one of an unknown type, of which only the summaries are anybody's business. */
export function naiveShape(
  event: AgentEvent,
  wish: Verbosity,
  wanted: readonly string[],
  defaultLanguage: string,
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...event };
  const texts = event.type.startsWith("aaep:") ? CORE_TEXTS : SUMMARIES;
  const hints = event.localization_hints;
  const primary = hints?.primary_language ?? defaultLanguage;
  const asked = [...wanted, ...(hints?.fallback_chain ?? [])];
  // field → language → text; the plain field first, so that it wins over a variant that repeats its language.
  const there = new Map<string, Map<string, unknown>>();
  let isFolded = false;
  for (const field of texts) {
    const byLanguage = new Map<string, unknown>();
    if (event[field] !== undefined) byLanguage.set(primary, event[field]);
    for (const key of Object.keys(event)) {
      const language = key.startsWith(`${field}_`) ? key.slice(field.length + 1) : undefined;
      if (language === undefined) continue;
      if (!byLanguage.has(language)) byLanguage.set(language, event[key]);
      delete result[key];
      isFolded = true;
    }
    there.set(field, byLanguage);
    delete result[field];
  }
  const languages = (field: string) => [...(there.get(field)?.keys() ?? [])];

  let sent: string | undefined;
  const folded: string[] = [];
  for (const field of texts.slice(3)) {
    const language = best(asked, languages(field));
    if (language !== undefined) result[field] = there.get(field)?.get(language);
  }
  // Between languages that nobody asked for, the event's own order decides.
  for (const key of Object.keys(event)) {
    const field = texts.slice(3).find((name) => key.startsWith(`${name}_`));
    const language = field === undefined ? undefined : best(asked, languages(field));
    if (language !== undefined) folded.push(language);
  }
  const nearest = {
    terse: ["terse", "normal", "detailed"],
    normal: ["normal", "terse", "detailed"],
    detailed: ["detailed", "normal", "terse"],
  }[wish].map((level) => `summary_${level}`);
  const all = nearest.flatMap(languages);
  const language = best(asked, all.includes(primary) ? [primary, ...all] : all);
  const chosen = nearest.find((field) => language !== undefined && languages(field).includes(language));
  if (language !== undefined && chosen !== undefined) {
    sent = language;
    result[chosen] = there.get(chosen)?.get(language);
    const level = chosen.slice("summary_".length);
    if (level !== (event.verbosity ?? "normal")) result.verbosity = level;
    const required = languages("summary_normal");
    if ((REQUIRING.includes(event.type) || !event.type.startsWith("aaep:")) && required.length > 0) {
      const own = required.includes(language) ? language : best(asked, required);
      result.summary_normal = there.get("summary_normal")?.get(own ?? "");
    }
  }
  sent ??= folded.length === 0 ? primary : best(asked, folded);
  if (sent !== undefined && (sent !== primary || (isFolded && hints === undefined))) {
    const { text_direction: _direction, script: _script, ...others } = hints ?? { primary_language: sent };
    result.localization_hints = {
      ...others,
      primary_language: sent,
      ...(sent === "ar" ? { text_direction: "rtl" } : {}),
    };
  }
  return result;
}
