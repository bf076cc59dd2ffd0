import { Fault } from "../../src/base/errors.js";
import { FrameQueue } from "../framing/frame-queue.js";
import { faultOfInput } from "./faults.js";

/** One read of 64 KiB can bring 13,000 messages: handled in one turn, they would delay all other peers. */
const MOST_MESSAGES_A_TURN = 64;

/**
 * The read side of a stream. A message is read only when the reader takes it. `takesOne`: the client may send only one message. `onEnd` is called
 * once when the client has ended its side, with a fault if that was out of order.
 */
export function createInbox(
  messages: AsyncIterator<Uint8Array>,
  takesOne: boolean,
  onEnd: (fault: Fault | undefined) => void,
): FrameQueue<Uint8Array> {
  let isReading = false;
  let count = 0;

  function end(fault: Fault | undefined): void {
    if (!queue.isOpen()) return;
    queue.end(fault);
    onEnd(fault);
  }

  function take(result: IteratorResult<Uint8Array>): void {
    isReading = false;
    if (result.done === true) end(undefined);
    else if (takesOne && count === 1) {
      end(new Fault("invalid_message", "This method takes one message. Send one, and end your side of the call."));
    } else {
      count += 1;
      if (queue.push(result.value)) wanted();
    }
  }

  function read(): void {
    if (!queue.isOpen()) return;
    messages.next().then(take, (caught) => end(faultOfInput(caught)));
  }

  function wanted(): void {
    if (isReading) return;
    isReading = true;
    if (count % MOST_MESSAGES_A_TURN === MOST_MESSAGES_A_TURN - 1) setImmediate(read);
    else read();
  }

  const queue = new FrameQueue<Uint8Array>(wanted);
  return queue;
}
