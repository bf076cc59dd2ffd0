import { type ServerDuplexStream, status, type UntypedServiceImplementation } from "@grpc/grpc-js";

/** A call of those services with a stream in either direction, or in both. */
type Streaming = ServerDuplexStream<unknown, unknown>;

/** Keeps the open streams of the library's own services (health and reflection), which do not end by themselves. */
export function createOpenStreams() {
  const open = new Set<Streaming>();
  return {
    /** The same handlers, of which those that stream are tended. */
    tended: (implementation: UntypedServiceImplementation): UntypedServiceImplementation =>
      Object.fromEntries(
        Object.entries(implementation).map(([name, handler]) => [
          name,
          (call: Streaming, respond?: unknown) => {
            if (respond === undefined) {
              open.add(call);
              call.on("cancelled", () => open.delete(call));
              if ("resume" in call) heedDrain(call);
            }
            (handler as (...given: readonly unknown[]) => void)(call, respond);
          },
        ]),
      ),
    endAll: () => {
      for (const call of open) call.emit("error", { code: status.UNAVAILABLE, details: "The daemon shuts down." });
    },
  };
}

/** Reads no more from a client that asks but does not read. */
function heedDrain(call: Streaming): void {
  call.on("data", () => {
    if (!call.writableNeedDrain) return;
    call.pause();
    call.once("drain", () => call.resume());
  });
}
