// The codes with which a WebSocket ends (RFC 6455 §7.4, AAEP app. B.2.6).
import type { Fault } from "../../src/base/errors.js";

/** A message that was not text. */
export const REFUSED_BINARY = 1003;

export function closeCodeOf(fault: Fault | undefined): number {
  switch (fault?.code) {
    case undefined:
      return 4000;
    case "shutting_down":
      return 1001;
    case "internal":
      return 1011;
    case "handshake_required":
    case "timed_out":
      return 4001;
    case "unauthenticated":
      return 4002;
    case "permission_denied":
      return 4003;
    default:
      return 4004;
  }
}
