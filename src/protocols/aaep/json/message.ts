// A message of AAEP as a document; its members are known to those who read it.

export type Message = Readonly<Record<string, unknown>>;
