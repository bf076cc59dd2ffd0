// Branded ids: the compiler rejects the id of a subscription in the place of a session's.
declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

export type EventId = Branded<"EventId">;

/** Source of random ids (R24). Each call returns `bytes` × 2 lower-case hex digits. */
export interface IdSource {
  readonly hex: (bytes: number) => string;
}
