import { status } from "@grpc/grpc-js";
import type { AnyCall, Handler } from "./handlers.js";

/** Streams of the services that libraries bring, which know nothing of an end. */
export interface OpenStreams {
  readonly tended: (handler: Handler) => Handler;
  readonly endAll: () => void;
}

/** What a call that streams both ways has beside that. */
interface Duplex {
  readonly writableNeedDrain: boolean;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly on: (event: "data", listener: () => void) => unknown;
  readonly once: (event: "drain", listener: () => void) => unknown;
}

export function createOpenStreams(): OpenStreams {
  const open = new Set<AnyCall>();
  return {
    tended: (handler) => (call, respond) => {
      if (respond === undefined) {
        open.add(call);
        call.on("cancelled", () => open.delete(call));
        if ("resume" in call) heedDrain(call as AnyCall & Duplex);
      }
      handler(call, respond);
    },
    endAll: () => {
      for (const call of open) call.emit("error", { code: status.UNAVAILABLE, details: "The daemon shuts down." });
    },
  };
}

/** Who asks and does not read is not read from either (G1). */
function heedDrain(call: Duplex): void {
  call.on("data", () => {
    if (!call.writableNeedDrain) return;
    call.pause();
    call.once("drain", () => call.resume());
  });
}
