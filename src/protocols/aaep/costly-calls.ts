// What of a peer's calls may cost so much that others come first: its next message is then taken in a later turn of the event loop (G2, R28).
// Up to 256 messages of one read would otherwise hold up everybody by the sum of them.

/**
 * In JSON-RPC, by method: calls whose cost grows with what is open or journaled. Under `aaep.subscribe` and `aaep.renegotiate` the open questions are
 * shaped anew, and `aaep.list_pending` writes all of them; skipping looks through what is held; a repeat searches the journal; a session that is resumed
 * is summed up.
 */
export function isCostlyMethod(method: string): boolean {
  return COSTLY_METHODS.has(method);
}

/** Without an envelope, by type: the same. */
export function isCostlyType(type: string | undefined): boolean {
  return type !== undefined && COSTLY_TYPES.has(type);
}

const COSTLY_METHODS: ReadonlySet<string> = new Set([
  "aaep.subscribe",
  "aaep.renegotiate",
  "aaep.list_pending",
  "aaep.skip",
  "aaepd.skip",
  "aaep.repeat",
  "aaep.resume_session",
]);

const COSTLY_TYPES: ReadonlySet<string> = new Set([
  "subscription.request",
  "subscription.renegotiate",
  "aaepd.list_pending",
  "aaepd.skip",
  "aaepd.repeat",
]);
