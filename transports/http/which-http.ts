// Serves HTTP/1.1 and HTTP/2 on one port. A client that knows that the server speaks HTTP/2 begins with the text of its preface.
import type { Socket } from "node:net";
import type { After } from "../framing/options.js";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/**
 * Recognises the version by the first bytes, which stay to be read. A connection that has not shown it within `silentMs` is closed. `tell` is called
 * at most once, in the turn in which the bytes arrived.
 */
export function whichHttp(
  socket: Socket,
  timing: { readonly silentMs: number; readonly after: After },
  tell: (version: 1 | 2) => void,
): void {
  let head: Buffer = Buffer.alloc(0);
  const cancel = timing.after(timing.silentMs, () => socket.destroy());
  const onError = (): void => {};
  const stop = (): void => {
    cancel();
    socket.off("readable", onReadable);
    socket.off("error", onError);
    socket.off("close", stop);
  };
  const onReadable = (): void => {
    for (let chunk: Buffer | null = socket.read(); chunk !== null; chunk = socket.read())
      head = Buffer.concat([head, chunk]);
    const version = versionOf(head);
    if (version === undefined) return;
    stop();
    socket.unshift(head);
    tell(version);
  };
  socket.on("readable", onReadable);
  socket.on("error", onError);
  socket.on("close", stop);
}

/** Undefined while both versions are possible. */
export function versionOf(head: Uint8Array): 1 | 2 | undefined {
  const length = Math.min(head.length, PREFACE.length);
  if (PREFACE.compare(head, 0, length, 0, length) !== 0) return 1;
  return length === PREFACE.length ? 2 : undefined;
}
