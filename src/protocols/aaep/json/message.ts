// A message of AAEP as a document; its members are known to those who read it.

/** Nothing is known of it but that it is an object. */
export type Message = Readonly<Record<string, unknown>>;
