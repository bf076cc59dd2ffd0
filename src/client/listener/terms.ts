// The terms of a listener as types.
import type { AaepdCapability, Capabilities, EventFilters } from "#gen/aaep/types.js";
import type { KnownNames } from "../../base/known-names.js";

/** The members that a schema names, without any others: a misspelt one does not compile. */
type Closed<Members> = Pick<Members, KnownNames<Members> & keyof Members>;

/**
 * The capabilities of extensions by their prefixes (AAEP §5.3.2). Merge the own ones into it; `subscribe` takes them then:
 *
 * ```ts
 * declare module "@aaepd/client" {
 *   interface ExtensionTerms {
 *     medai?: { readonly wards: readonly string[] };
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: programs merge their extensions into it.
export interface ExtensionTerms {}

interface OwnTerms
  extends Omit<Closed<Capabilities>, "aaepd" | "coalesce_boundaries" | "event_filters">,
    ExtensionTerms {
  readonly aaepd?: Closed<AaepdCapability>;
  readonly coalesce_boundaries?: readonly ("none" | "word" | "sentence" | "paragraph" | "completion")[];
  readonly event_filters?: Closed<EventFilters>;
}

/** The wishes of a listener: the capabilities of AAEP §5.3, and those of aaepd. */
export type Terms = { [Name in keyof OwnTerms]: OwnTerms[Name] };
