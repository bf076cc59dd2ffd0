import { faultFromNodeError, nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { Output } from "./command-io.js";

export type LineWriter = ReturnType<typeof createLineWriter>;

/** Writes all lines of a command that has no more to say. Rejects as `flush` does. */
export async function writeLines(output: Output, lines: readonly string[]): Promise<void> {
  const writer = createLineWriter(output);
  for (const line of lines) await writer.write(line);
  await writer.flush();
}

export function createLineWriter(output: Output) {
  let isGone = false;
  let failure: Fault | undefined;
  let draining: Promise<void> | undefined;
  const { promise: gone, resolve: tellGone, reject: tellFailed } = withResolvers();
  gone.catch(() => {});
  output.on("error", (error: Error) => {
    isGone = true;
    if (faultFromNodeError(error, "standard output").code === "peer_gone") tellGone();
    else {
      failure ??= new Fault(
        "storage_unavailable",
        `Standard output cannot be written (${nodeErrorCode(error)}). Make room where it goes, and begin again.`,
        { origin: "local", cause: error },
      );
      tellFailed(failure);
    }
  });
  output.on("close", () => {
    isGone = true;
    tellGone();
  });

  function drained(): Promise<void> {
    draining ??= new Promise((resolve) => {
      const events = ["drain", "close", "error"];
      const done = () => {
        draining = undefined;
        for (const event of events) output.off(event, done);
        resolve();
      };
      for (const event of events) output.on(event, done);
    });
    return draining;
  }

  return {
    /** Writes one line. If the reader is slow, returns a promise that resolves when the reader takes more, or has gone. */
    write: (line: string): Promise<void> | undefined => (isGone || output.write(`${line}\n`) ? undefined : drained()),
    /** Resolves when nobody reads any more, the normal end of `aaepd tail | head`. Rejects if writing fails otherwise. */
    gone,
    hasGone: () => isGone,
    /**
     * Resolves when all lines have left, or nobody reads. Rejects with a Fault "storage_unavailable" if they could not be written, as on a full disk,
     * so that an incomplete file is not mistaken for a whole one.
     */
    flush: async (): Promise<void> => {
      if (!isGone && output.writableLength > 0) await new Promise<void>((resolve) => output.write("", () => resolve()));
      // A stream reports its error after it has called back.
      await new Promise(setImmediate);
      if (failure !== undefined) throw failure;
    },
  };
}
