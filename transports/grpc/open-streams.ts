import { status } from "@grpc/grpc-js";
import type { AnyCall, Handler } from "./handlers.js";

/** Streams of the library's own services (health and reflection), which do not end by themselves. */
export interface OpenStreams {
  readonly tended: (handler: Handler) => Handler;
  readonly endAll: () => void;
}

/** Further members of a call that streams both ways. */
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

/** Reads no more from a client that asks but does not read. */
function heedDrain(call: Duplex): void {
  call.on("data", () => {
    if (!call.writableNeedDrain) return;
    call.pause();
    call.once("drain", () => call.resume());
  });
}
