// The read side of a call: the client's messages, read only while the reader takes them.
import { FrameQueue } from "../framing/frame-queue.js";

/** The part of a call that is read from. */
export interface ReadableCall {
  readonly read: () => unknown;
  /** Whether the call is over: then the frames are ended by the connection. */
  readonly cancelled: boolean;
  readonly on: (event: "readable" | "end", listener: () => void) => unknown;
}

/** `onEnd` is called once when the client has sent all its messages. */
export function createCallInbox(call: ReadableCall, onEnd: () => void): FrameQueue<Uint8Array> {
  let isListening = false;
  let isWanted = false;
  const pull = (): void => {
    while (isWanted) {
      const frame = call.read();
      if (frame === null) return;
      isWanted = false;
      isWanted = queue.push(frame as Uint8Array);
    }
  };
  const listen = (): void => {
    isListening = true;
    call.on("readable", pull);
    call.on("end", () => {
      // If a call breaks, the library ends its messages as if the client had ended them, and reports the break afterwards.
      setImmediate(() => {
        if (call.cancelled || !queue.isOpen()) return;
        onEnd();
        queue.end();
      });
    });
  };
  const queue = new FrameQueue<Uint8Array>(() => {
    isWanted = true;
    if (!isListening) listen();
    pull();
  });
  return queue;
}

/** The frames of a call that has only one message. */
export function createSingleFrameInbox(frame: Uint8Array, onEnd: () => void): FrameQueue<Uint8Array> {
  const queue = new FrameQueue<Uint8Array>(() => {
    if (!queue.isOpen()) return;
    queue.push(frame);
    onEnd();
    queue.end();
  });
  return queue;
}
