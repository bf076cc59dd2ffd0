// Ids of hosts, as they are kept and handed to a daemon.
import { createHash } from "node:crypto";

/** UTF-16 units of a host's id (R5c). */
const LONGEST_ID = 256;

/** The host's id of a call, a conversation or an agent. A digest stands for an id that is too long. */
export function foreignId(id: string): string {
  const isTaken = id.length > 0 && id.length <= LONGEST_ID;
  return isTaken ? id : createHash("sha256").update(id).digest("hex");
}
