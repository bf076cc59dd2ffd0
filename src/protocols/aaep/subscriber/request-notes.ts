// Notes about members of a request that are not known: each is ignored (AAEP §12.6), and may be misspelt (R20).
import type { SubscriptionRequest } from "#gen/aaep/types.js";
import type { KnownNames } from "../../../base/known-names.js";
import { didYouMean } from "../../../base/nearest.js";
import { isObject, unknownNote } from "./capabilities.js";

const MEMBERS: Readonly<Record<KnownNames<SubscriptionRequest>, true>> = {
  type: true,
  aaep_version: true,
  subscriber_id: true,
  capabilities: true,
  subscriber_name: true,
  subscriber_version: true,
  subscriber_manifest_uri: true,
  correlation_id: true,
  extensions: true,
};
const OWN_MEMBERS = ["resume_after"] as const;

/** Most unknown names of one object that are compared (R34). */
const MOST_COMPARED = 8;

/**
 * Returns sentences about members that a request or its `extensions.aaepd` does not have: of the request those that resemble a known one, because a
 * later version may have more of them; of the daemon's own extension all.
 */
export function notesOfRequest(request: Readonly<Record<string, unknown>>): readonly string[] {
  const { extensions } = request;
  const { aaepd } = isObject(extensions) ? extensions : {};
  return [
    ...unknownOf(request, Object.keys(MEMBERS)).flatMap((name) => {
      const near = didYouMean(name, Object.keys(MEMBERS));
      return near === "" ? [] : [unknownNote(name, near)];
    }),
    ...unknownOf(isObject(aaepd) ? aaepd : {}, OWN_MEMBERS).map((name) =>
      unknownNote(`extensions.aaepd.${name}`, didYouMean(name, OWN_MEMBERS)),
    ),
  ];
}

function unknownOf(members: Readonly<Record<string, unknown>>, known: readonly string[]): readonly string[] {
  return Object.keys(members)
    .filter((name) => !known.includes(name))
    .slice(0, MOST_COMPARED);
}
