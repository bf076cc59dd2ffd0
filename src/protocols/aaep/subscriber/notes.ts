// Notes for people about what a request names and nobody here knows: it is ignored (AAEP §12.6), and may be misspelt (R20).
import { SubscriptionRequest } from "#gen/aaep/schemas.js";
import { isObject } from "../../../base/members.js";
import { didYouMean } from "../../../base/nearest.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";
import type { Message } from "../json/message.js";
import { coreTypeOf, isInCoreNamespace, nearestCoreType } from "../validation/core-types.js";

const QUOTED_LENGTH = 64;

/** Most names of one object that are compared, or listed one by one (R34). */
const MOST_NAMES = 8;

/** Quotes a peer's word in a sentence of ours, cut so that no note grows with it. */
export function quoted(value: unknown): string {
  return shortenedText(JSON.stringify(value) ?? String(value), QUOTED_LENGTH);
}

/** Says that a name is not known. `advice`: a further sentence, or "". */
function unknownNote(name: string, advice: string): string {
  return `${quoted(name)} is not known here and has no effect. ${advice}`.trim();
}

/** Says that a value of a list of words is not known. */
export function unknownValue(path: string, value: unknown, known: readonly unknown[]): string {
  return `${path}: ${quoted(value)} is not known here and was left out. Known are ${known.join(", ")}.`;
}

/** Notes unknown capabilities, and counts those behind the eighth. The capability of an unknown extension has no effect (§5.3.2). */
export function notesOfUnknown(unknown: readonly string[], known: readonly string[]): readonly string[] {
  const told = unknown.slice(0, MOST_NAMES).map((name) => unknownNote(name, didYouMean(name, known)));
  const leftCount = unknown.length - told.length;
  if (leftCount === 0) return told;
  return [...told, `${leftCount} more ${leftCount === 1 ? "capability is" : "capabilities are"} not known here.`];
}

/** Notes what only a type of AAEP could be and none is (AAEP §3.9), such as a misspelt one: a filter with that name passes nothing. */
export function notesOfTypes(names: readonly string[]): readonly string[] {
  return names
    .filter((name) => isInCoreNamespace(name) && !name.includes("*") && coreTypeOf(name) === undefined)
    .slice(0, MOST_NAMES)
    .map((name) =>
      `event_filters: ${quoted(name)} is none of the twelve types of AAEP. ${nearestCoreType(name)}`.trimEnd(),
    );
}

const MEMBERS = Object.keys(SubscriptionRequest.properties ?? {});
const OWN_MEMBERS = ["resume_after"] as const;

/**
 * Notes members that a request or its `extensions.aaepd` does not have: of the request those that resemble a known one, because a later version may
 * have more of them; of the daemon's own extension all.
 */
export function notesOfRequest(request: Message): readonly string[] {
  const { aaepd } = isObject(request.extensions) ? request.extensions : {};
  const unknownOf = (members: Message, known: readonly string[]) =>
    Object.keys(members)
      .filter((name) => !known.includes(name))
      .slice(0, MOST_NAMES)
      .map((name) => [name, didYouMean(name, known)] as const);
  return [
    ...unknownOf(request, MEMBERS).flatMap(([name, near]) => (near === "" ? [] : [unknownNote(name, near)])),
    ...unknownOf(isObject(aaepd) ? aaepd : {}, OWN_MEMBERS).map(([name, near]) =>
      unknownNote(`extensions.aaepd.${name}`, near),
    ),
  ];
}
