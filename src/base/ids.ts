// Branded ids. A subscription's id cannot be passed where a session's is wanted.
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type EventId = Branded<"EventId">;
export type SessionId = Branded<"SessionId">;
export type SubscriptionId = Branded<"SubscriptionId">;

/** Where random ids come from (R24). Each call answers `bytes` × 2 lower-case hex digits. */
export interface IdSource {
  readonly hex: (bytes: number) => string;
}
