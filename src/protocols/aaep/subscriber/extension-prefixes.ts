// The prefixes of a subscription's extensions, and conflicts between them (AAEP ch. 7).
import { AAEPD_VOCABULARY } from "../../../engine/event/vocabulary.js";
import { isReservedPrefix } from "../validation/event-rules.js";
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

function prefixOf(vocabulary: string): string | undefined {
  return PUBLISHED.exec(vocabulary)?.[1];
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
  const named = [
    ...Object.keys(capabilities),
    ...(typeof extensions === "object" && extensions !== null ? Object.keys(extensions) : []),
  ];
  const owners = new Map([["aaepd", AAEPD_VOCABULARY]]);
  const reserved = (prefix: string) =>
    `The extension prefix ${quoted(prefix)} is reserved; give the extension another one.`;
  for (const prefix of named) {
    if (isReservedPrefix(prefix)) return reserved(prefix);
  }
  for (const uri of vocabularies) {
    const vocabulary = sameVocabulary(uri);
    const prefix = prefixOf(vocabulary);
    if (prefix === undefined) continue;
    if (isReservedPrefix(prefix)) return reserved(prefix);
    const owner = owners.get(prefix);
    if (owner !== undefined && owner !== vocabulary) {
      return `Two extensions have the prefix ${quoted(prefix)}; name only one of their vocabularies in supported_extensions.`;
    }
    owners.set(prefix, vocabulary);
  }
  return undefined;
}
