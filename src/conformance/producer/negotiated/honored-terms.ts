// Whether honored terms are no more permissive than requested ones (AAEP §5.4.4).
import type { Message } from "../../wire/conversation.js";
import { wordsOf } from "../../wire/message-text.js";
import { CORE_KINDS } from "../schema-faults.js";

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Members of which the honored values are among the requested ones, and how two values are compared. */
const SUBSETS: Readonly<Record<string, (value: unknown) => unknown>> = {
  languages: canonical,
  coalesce_boundaries: (value) => value,
  supported_conformance_levels: (value) => value,
  supported_extensions: (value) => value,
};

/** A sentence about the first honored term that is wider than requested; undefined: none is. A term that nobody requested has no bound. */
export function widerTerm(asked: Message, honored: Message): string | undefined {
  const { max_events_per_second: askedRate } = asked;
  const { max_events_per_second: rate } = honored;
  if (typeof askedRate === "number" && !(typeof rate === "number" && rate <= askedRate))
    return `The honored rate is ${wordsOf(rate)}, and ${askedRate} was requested.`;
  for (const [name, read] of Object.entries(SUBSETS)) {
    if (!Array.isArray(asked[name])) continue;
    const wanted = new Set(listOf(asked[name]).map(read));
    const beyond = listOf(honored[name]).find((one) => !wanted.has(read(one)));
    if (beyond !== undefined) return `${name} has ${JSON.stringify(beyond)}, which was not requested.`;
  }
  for (const name of ["supports_confirmation_reply", "supports_clarification_reply"])
    if (honored[name] === true && asked[name] !== true) return `${name} is honored, and was not offered.`;
  // The chapter's own example leaves the filters out of the answer.
  if (asked.event_filters === undefined || honored.event_filters === undefined) return undefined;
  const wider = [...CORE_KINDS].find(
    (kind) => passes(kind, honored.event_filters) && !passes(kind, asked.event_filters),
  );
  return wider === undefined ? undefined : `The honored filters let ${wider} pass, and the requested ones do not.`;
}

/** Whether filters let a core type pass (AAEP §5.3.1.7). */
export function passes(kind: string, filters: unknown): boolean {
  const { include = ["aaep:agent.*"], exclude } = (filters ?? {}) as Message;
  const type = `aaep:agent.${kind}`;
  const isAmong = (patterns: unknown): boolean =>
    listOf(patterns)
      .map(wordsOf)
      .some((pattern) => (pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern));
  return isAmong(include) && !isAmong(exclude);
}

/** A language tag as RFC 5646 writes it: its case does not matter, and some have been replaced. */
function canonical(tag: unknown): unknown {
  try {
    return typeof tag === "string" ? Intl.getCanonicalLocales(tag)[0] : tag;
  } catch {
    return tag;
  }
}
