import { faultFromNodeError, nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import type { Output } from "./command-io.js";

export interface LineWriter {
  /** Writes one line. Answers a promise where the reader is slow; it resolves when it takes more, or has gone. */
  readonly write: (line: string) => Promise<void> | undefined;
  /** Resolves when nobody reads any more (S7): the end of `aaepd tail | head`, and no fault. Rejects where writing fails otherwise. */
  readonly gone: Promise<void>;
  readonly hasGone: () => boolean;
  /**
   * Resolves when what was written has left, or nobody reads. Rejects with a Fault "storage_unavailable" where it could not be written, as on a full
   * disk: whoever writes a file that way must not take it for whole.
   */
  readonly flush: () => Promise<void>;
}

export function createLineWriter(output: Output): LineWriter {
  let isGone = false;
  let failure: Fault | undefined;
  let draining: Promise<void> | undefined;
  let tellGone: () => void = () => {};
  let tellFailed: (error: Error) => void = () => {};
  const gone = new Promise<void>((resolve, reject) => {
    tellGone = resolve;
    tellFailed = reject;
  });
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
      const done = () => {
        draining = undefined;
        output.off("drain", done);
        output.off("close", done);
        output.off("error", done);
        resolve();
      };
      output.on("drain", done);
      output.on("close", done);
      output.on("error", done);
    });
    return draining;
  }

  return {
    write: (line) => (isGone || output.write(`${line}\n`) ? undefined : drained()),
    gone,
    hasGone: () => isGone,
    flush: async () => {
      if (!isGone && output.writableLength > 0) await new Promise<void>((resolve) => output.write("", () => resolve()));
      // A stream tells what went wrong after it has called back.
      await new Promise(setImmediate);
      if (failure !== undefined) throw failure;
    },
  };
}
