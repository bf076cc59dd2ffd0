// Events that count, complete so that they go out byte for byte, and are made and recognised without JSON.
const DIGITS = 10;
const BEFORE = '{"event_id":"evt_flood';
const CHUNK = "The quick brown fox jumps over the lazy dog and runs on. ";

/** The text of event `number` of a session, published by `agent`. Its time is now. */
export function numberedEvent(number: number, sessionId: string, agent: string, timestamp: string): string {
  const digits = String(number).padStart(DIGITS, "0");
  const position = number * CHUNK.length;
  return `${BEFORE}${digits}","@context":"https://aaep-protocol.org/context/v1","type":"aaep:agent.output.streaming","session_id":"${sessionId}","timestamp":"${timestamp}","producer":{"agent_id":"${agent}"},"urgency":"normal","chunk":"${CHUNK}","position":${position},"complete":false,"coalesce_hint":"sentence"}`;
}

export function isNumbered(bytes: Uint8Array): boolean {
  return bytes[17] === 0x66 && bytes[18] === 0x6c && bytes[19] === 0x6f && bytes[20] === 0x6f && bytes[21] === 0x64;
}

export function numberIn(bytes: Uint8Array): number {
  let number = 0;
  for (let at = BEFORE.length; at < BEFORE.length + DIGITS; at += 1) number = number * 10 + (bytes[at] ?? 0) - 0x30;
  return number;
}
