// The prefixes of a subscription's extensions, and conflicts between them (AAEP ch. 7).
import { isObject } from "../../../engine/event/own-members.js";
import { isReservedPrefix, KNOWN_VOCABULARIES } from "../validation/event-rules.js";
import type { Capabilities } from "../validation/validate-messages.js";
import { quoted } from "./notes.js";

/** `…/<prefix>/context/<version>` is the usual form of published vocabularies; other URIs show no prefix. */
const PUBLISHED = /^[a-z][a-z0-9+.-]*:\/\/[^/]+\/(?:[^/]+\/)*([^/]+)\/context(?:\/[^/]+)?$/i;

/** Removes the final slashes and number signs, which do not distinguish vocabularies. */
function sameVocabulary(uri: string): string {
  let end = uri.length;
  while (end > 0 && (uri[end - 1] === "#" || uri[end - 1] === "/")) end -= 1;
  return uri.slice(0, end);
}

/**
 * Returns a sentence about a reserved prefix, or one that two vocabularies claim. Undefined if every extension has a prefix of its own. `extensions`
 * is the member of that name of a request.
 */
export function prefixConflict(
  capabilities: Capabilities,
  vocabularies: readonly string[],
  extensions: unknown,
): string | undefined {
  const owned = vocabularies.map(sameVocabulary).map((uri) => [PUBLISHED.exec(uri)?.[1], uri] as const);
  const prefixes = [
    ...Object.keys(capabilities),
    ...Object.keys(isObject(extensions) ? extensions : {}),
    ...owned.flatMap(([prefix]) => prefix ?? []),
  ];
  const reserved = prefixes.find(isReservedPrefix);
  if (reserved !== undefined)
    return `The extension prefix ${quoted(reserved)} is reserved; give the extension another one.`;
  const owners = new Map(KNOWN_VOCABULARIES);
  for (const [prefix, uri] of owned) {
    if (prefix === undefined) continue;
    if ((owners.get(prefix) ?? uri) !== uri)
      return `Two extensions have the prefix ${quoted(prefix)}; name only one of their vocabularies in supported_extensions.`;
    owners.set(prefix, uri);
  }
  return undefined;
}
