// The size of text that fits into one event of 64 KiB beside its other fields (AAEP §3.7, R10).
import { encodedBytes } from "../../base/code-points.js";
import type { AgentEvent } from "../event/event.js";
import { withoutSummaries } from "../terms/readable-fields.js";

/** Bytes of text, as a JSON string, that fit beside fields of ordinary size. */
export const MAX_TEXT_BYTES = 60 * 1024;

const MAX_EVENT_BYTES = 64 * 1024;
/** Reserve for ids, position, hint and timestamp of a merged event, which may be longer than those of its first chunk. */
const RESERVE_BYTES = 512;
const LEAST_TEXT_BYTES = 1024;

/** Bytes for the text of an event with the fields of this chunk, as a JSON string. Costs an encoding, so ask for long texts only. */
export function roomForText(chunk: AgentEvent): number {
  const room = roomBeside({ ...withoutSummaries(chunk), chunk: "" });
  return Math.max(LEAST_TEXT_BYTES, Math.min(MAX_TEXT_BYTES, room));
}

/** Bytes that an event of 64 KiB has left beside these members. Costs an encoding. */
export function roomBeside(members: object): number {
  return MAX_EVENT_BYTES - RESERVE_BYTES - encodedBytes(JSON.stringify(members), false);
}
