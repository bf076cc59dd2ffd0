// Ids that a client chooses itself, so that what it sends can be sent again (R3) and taken back: each has 128 random bits.

export function newEventId(): string {
  return `evt_${randomHex()}`;
}

export function newReplyToken(): string {
  return `rpl_${randomHex()}`;
}

/** For `extensions.aaepd.resume_token` (R8). */
export function newResumeToken(): string {
  return randomHex();
}

function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
