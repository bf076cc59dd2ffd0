// A message of AAEP as a document. Its readers know its members.

/** An object with unknown members. */
export type Message = Readonly<Record<string, unknown>>;
