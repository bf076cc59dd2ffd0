// Ids chosen by the client, so that its events can be sent again (R3) and its questions cancelled. Each id has 128 random bits.

export function newSessionId(): string {
  return `sess_${randomHex()}`;
}

export function newEventId(): string {
  return `evt_${randomHex()}`;
}

export function newReplyToken(): string {
  return `rpl_${randomHex()}`;
}

export function newSubscriberId(): string {
  return `listener-${randomHex()}`;
}

/** For `extensions.aaepd.resume_token` (R8). */
export function newResumeToken(): string {
  return randomHex();
}

function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
