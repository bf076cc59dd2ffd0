// The form in which subscriptions of one shape get an event: one summary, one language, and the fields that name both (R14). The words beside its
// texts come later (views/shape-words.ts).

import { isObject, type Members, setMember } from "../../base/members.js";
import { type AgentEvent, topicKind, type Verbosity } from "../event/event.js";
import { hintsIn, matchLanguage } from "./language.js";
import {
  hasVariants,
  NEAREST_SUMMARIES,
  type NestedTexts,
  nestedTexts,
  readableFields,
  requiresNormalSummary,
  SUMMARY_FIELDS,
  type Variant,
  variantsIn,
} from "./readable-fields.js";
import { hasDaemonMessages, shapeDaemonMessages } from "./shape-daemon-messages.js";
import type { SpeakableChoices, Terms } from "./terms.js";

interface Languages {
  readonly wanted: readonly string[];
  readonly fallback: readonly string[];
  /** The language of the fields without suffix. */
  readonly primary: string;
}

/** The texts of one object, by field and language. */
interface Texts {
  readonly fields: ReadonlySet<string>;
  /** The languages of a field, the primary one first. */
  readonly languagesOf: (field: string) => readonly string[];
  readonly text: (field: string, language: string) => unknown;
}

function textsOf(object: Members, variants: readonly Variant[], primary: string): Texts {
  const named = new Set(variants.map((variant) => variant.field));
  return {
    fields: named,
    languagesOf: (field) => [
      ...(object[field] === undefined ? [] : [primary]),
      ...variants.filter((variant) => variant.field === field).map((variant) => variant.language),
    ],
    text: (field, language) => {
      if (language === primary && object[field] !== undefined) return object[field];
      const variant = variants.find((candidate) => candidate.field === field && candidate.language === language);
      return variant === undefined ? undefined : object[variant.key];
    },
  };
}

/** The language that serves best among those that are there. If none serves, the first one: no event is left out for its language. */
function bestLanguage(there: readonly string[], languages: Languages): string {
  const { wanted, fallback, primary } = languages;
  return matchLanguage(wanted, there) ?? matchLanguage(fallback, there) ?? there[0] ?? primary;
}

interface Selected {
  readonly texts: ReadonlyMap<string, unknown>;
  /** Languages of the selected texts. */
  readonly spoken: readonly string[];
}

/** Selects each field in its own best language. */
function selectFields(fields: Iterable<string>, texts: Texts, languages: Languages): Selected {
  const selected = new Map<string, unknown>();
  const spoken: string[] = [];
  for (const field of fields) {
    const language = bestLanguage(texts.languagesOf(field), languages);
    selected.set(field, texts.text(field, language));
    spoken.push(language);
  }
  return { texts: selected, spoken };
}

function foldNested(
  nested: NestedTexts,
  languages: Languages,
): { readonly value: unknown; readonly spoken: readonly string[] } {
  const spoken: string[] = [];
  const objects = nested.objects.map((object) => {
    if (!isObject(object)) return object;
    const variants = variantsIn(object, nested.readable);
    if (variants.length === 0) return object;
    const texts = textsOf(object, variants, languages.primary);
    const selected = selectFields(texts.fields, texts, languages);
    spoken.push(...selected.spoken);
    const dropped = new Set(variants.map((variant) => variant.key));
    const kept = Object.entries(object).filter(([key]) => !dropped.has(key));
    return { ...Object.fromEntries(kept), ...Object.fromEntries(selected.texts) };
  });
  return { value: nested.key === "progress" ? objects[0] : objects, spoken };
}

interface SelectedSummary extends Selected {
  readonly language: string;
  readonly level: Verbosity;
}

/** Selects a summary: language goes before length, because a listener needs an understandable summary first. */
function selectSummaries(
  event: AgentEvent,
  verbosity: Verbosity,
  texts: Texts,
  languages: Languages,
): SelectedSummary | undefined {
  const nearest = NEAREST_SUMMARIES[verbosity];
  const there = nearest.flatMap(({ field }) => texts.languagesOf(field));
  if (there.length === 0) return undefined;
  // Among equally good languages, the primary one goes first.
  const ordered = there.includes(languages.primary) ? [languages.primary, ...there] : there;
  const language = bestLanguage(ordered, languages);
  const chosen = nearest.find(({ field }) => texts.languagesOf(field).includes(language));
  if (chosen === undefined) return undefined;
  const selected = new Map([[chosen.field, texts.text(chosen.field, language)]]);
  const required = texts.languagesOf("summary_normal");
  if (chosen.level !== "normal" && required.length > 0 && requiresNormalSummary(event.type)) {
    const best = required.includes(language) ? language : bestLanguage(required, languages);
    selected.set("summary_normal", texts.text("summary_normal", best));
  }
  return { texts: selected, spoken: [language], language, level: chosen.level };
}

/**
 * Shapes an event with variants for the wanted languages and verbosity. If its texts end up in different languages, `primary_language` names that of
 * the summary, because the summary is announced.
 */
function shapeVariants(
  event: AgentEvent,
  shape: { readonly verbosity: Verbosity; readonly languages: readonly string[] },
  defaultLanguage: string,
): AgentEvent {
  const hints = event.localization_hints;
  const primary = hints?.primary_language ?? defaultLanguage;
  const languages: Languages = { wanted: shape.languages, fallback: hints?.fallback_chain ?? [], primary };
  const variants = variantsIn(event, readableFields(event));
  const texts = textsOf(event, variants, primary);

  const others = [...texts.fields].filter((field) => !SUMMARY_FIELDS.has(field));
  const selected = selectFields(others, texts, languages);
  const summary = selectSummaries(event, shape.verbosity, texts, languages);
  const nested = nestedTexts(event);
  const folded = nested === undefined ? undefined : foldNested(nested, languages);

  const replaced = new Set<string>([...SUMMARY_FIELDS, ...others, ...variants.map((variant) => variant.key)]);
  const shaped: Record<string, unknown> = {};
  for (const key of Object.keys(event)) {
    if (!replaced.has(key)) setMember(shaped, key, key === nested?.key ? folded?.value : event[key]);
  }
  for (const [field, text] of [...(summary?.texts ?? []), ...selected.texts]) shaped[field] = text;
  if (summary !== undefined && summary.level !== (event.verbosity ?? "normal")) shaped.verbosity = summary.level;
  const spoken = [...selected.spoken, ...(folded?.spoken ?? [])];
  const language = summary?.language ?? bestLanguage(spoken, languages);
  if (hints === undefined || language !== primary) shaped.localization_hints = hintsIn(language, hints);
  // A chunk has no variants, so its text stays in its language, whatever the language of its summary (AAEP §11.5.3).
  if (language !== primary && topicKind(event.type) === "output.streaming") shaped.language ??= primary;
  return shaped as AgentEvent;
}

/** The terms that decide the form of an event. */
export interface Shape {
  readonly verbosity: Verbosity;
  /** RFC 5646 tags in order of preference. */
  readonly languages: readonly string[];
  readonly speakable?: SpeakableChoices | undefined;
}

export function shapeOf({ preferredVerbosity, languages, speakable }: Terms): Shape {
  return { verbosity: preferredVerbosity, languages, speakable };
}

/** The key of a shape: equal for terms of equal shape, so that an event is shaped and encoded once for all of them. */
export function shapeKey(terms: Terms): string {
  const { preferredVerbosity, languages, speakable } = terms;
  const words = speakable === undefined ? "" : `|${speakable.code},${speakable.links},${speakable.emoji}`;
  return `${preferredVerbosity}|${languages.join(",").toLowerCase()}${words}`;
}

/** Whether `key` is a summary that the chosen one replaces. */
function isSuperfluous(key: string, chosen: string, normalStays: boolean): boolean {
  return SUMMARY_FIELDS.has(key) && key !== chosen && !(normalStays && key === "summary_normal");
}

function hasSummary({ summary_terse: terse, summary_normal: normal, summary_detailed: detailed }: AgentEvent): boolean {
  return terse !== undefined || normal !== undefined || detailed !== undefined;
}

function shapeSummaries(event: AgentEvent, verbosity: Verbosity): AgentEvent {
  if (!hasSummary(event)) return event;
  const chosen = NEAREST_SUMMARIES[verbosity].find(({ field }) => event[field] !== undefined);
  if (chosen === undefined) return event;
  const normalStays = requiresNormalSummary(event.type);
  const saysLevel = chosen.level === (event.verbosity ?? "normal");
  if (saysLevel) {
    const superfluous = NEAREST_SUMMARIES[verbosity].some(
      ({ field }) => event[field] !== undefined && isSuperfluous(field, chosen.field, normalStays),
    );
    if (!superfluous) return event;
  }
  const shaped: Record<string, unknown> = {};
  for (const key of Object.keys(event)) {
    if (!isSuperfluous(key, chosen.field, normalStays)) setMember(shaped, key, event[key]);
  }
  if (!saysLevel) shaped.verbosity = chosen.level;
  return shaped as AgentEvent;
}

/**
 * Shapes an event (R14). Returns the same object if nothing has to change, so that the agent's text can be sent byte-identical (R2). An event without
 * verbosity is "normal". An event that names no language was journaled before language hints were filled in (R2), and is in `defaultLanguage`.
 */
export function applyShape(event: AgentEvent, shape: Shape, defaultLanguage: string): AgentEvent {
  if (hasDaemonMessages(event)) return shapeDaemonMessages(event, shape);
  return hasVariants(event) ? shapeVariants(event, shape, defaultLanguage) : shapeSummaries(event, shape.verbosity);
}
