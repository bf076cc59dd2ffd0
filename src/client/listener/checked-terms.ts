// Terms of a listener, checked where they are given: a daemon ignores a misspelt one with a note, and the listener gets other terms than it
// meant. For Node alone, so that browsers need not load it.
import type { Capabilities } from "#gen/aaep/types.js";
import { Fault } from "../../base/errors.js";
import { pointerStep } from "../../base/json-pointer.js";
import type { KnownNames } from "../../base/known-names.js";
import { isObject } from "../../base/members.js";

const TERMS: Readonly<Record<KnownNames<Capabilities>, true>> = {
  max_events_per_second: true,
  preferred_verbosity: true,
  languages: true,
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  coalesce_boundaries: true,
  event_filters: true,
  supported_conformance_levels: true,
  supported_extensions: true,
  cognitive_load: true,
  pace_wpm: true,
  accept_signed_manifests_only: true,
  aaepd: true,
};

/**
 * Throws a Fault "usage" for terms that are no object, and for a name that is none of AAEP §5.3. An object may stand under any name: it may be the
 * capability of an extension, which stands under the extension's prefix (AAEP §5.3.2).
 */
export function assertTerms(terms: unknown): void {
  if (!isObject(terms)) throw misused('Terms are an object, such as { preferred_verbosity: "terse" }.', "");
  for (const [name, value] of Object.entries(terms)) {
    if (Object.hasOwn(TERMS, name) || isObject(value) || value === undefined) continue;
    const sentence = `There is no term ${JSON.stringify(name)}. The terms are ${Object.keys(TERMS).join(", ")}.`;
    throw misused(sentence, `/${pointerStep(name)}`);
  }
}

function misused(sentence: string, pointer: string): Fault {
  return new Fault("usage", sentence, { pointer, rule: "AAEP §5.3", origin: "local" });
}
