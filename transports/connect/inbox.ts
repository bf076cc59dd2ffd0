import { Fault } from "../../src/base/errors.js";
import { faultOfInput } from "./faults.js";

/** The read side of a stream. A message is read only when the consumer asks for it. */
export interface Inbox {
  readonly frames: AsyncIterable<readonly Uint8Array[]>;
  /** Ends the iteration without an error. */
  readonly stop: () => void;
  /** Ends the iteration with `fault`. */
  readonly fail: (fault: Fault) => void;
}

type Batch = readonly Uint8Array[];
type Ending =
  | { readonly kind: "open" }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly fault: Fault };

/** One read of 64 KiB can bring 13,000 messages: handled in one turn, they would delay all other peers. */
const MOST_MESSAGES_A_TURN = 64;

/**
 * `takesOne`: the client may send only one message. `onEnd` is called once when the client has ended its side, with a fault if that was out of order.
 */
export function createInbox(
  messages: AsyncIterator<Uint8Array>,
  takesOne: boolean,
  onEnd: (fault: Fault | undefined) => void,
): Inbox {
  let ending: Ending = { kind: "open" };
  let asked:
    | { readonly resolve: (result: IteratorResult<Batch>) => void; readonly reject: (fault: Fault) => void }
    | undefined;
  let isReading = false;
  let count = 0;

  function take(result: IteratorResult<Uint8Array>): void {
    isReading = false;
    if (ending.kind !== "open") return;
    if (result.done === true) {
      end({ kind: "done" });
      onEnd(undefined);
    } else if (takesOne && count === 1) {
      fail(new Fault("invalid_message", "This method takes one message. Send one, and end your side of the call."));
    } else {
      count += 1;
      const answered = asked;
      asked = undefined;
      answered?.resolve({ done: false, value: [result.value] });
    }
  }

  function fail(fault: Fault): void {
    isReading = false;
    if (ending.kind !== "open") return;
    end({ kind: "failed", fault });
    onEnd(fault);
  }

  function end(how: Ending): void {
    ending = how;
    answer();
  }

  /** Settles the waiting consumer after the end. */
  function answer(): void {
    if (asked === undefined || ending.kind === "open") return;
    const { resolve, reject } = asked;
    asked = undefined;
    if (ending.kind === "failed") {
      const { fault } = ending;
      ending = { kind: "done" };
      reject(fault);
    } else {
      resolve({ done: true, value: undefined });
    }
  }

  function read(): void {
    if (isReading || ending.kind !== "open") return;
    isReading = true;
    messages.next().then(take, (caught) => fail(faultOfInput(caught)));
  }

  const iterator: AsyncIterator<Batch> = {
    next: () =>
      new Promise((resolve, reject) => {
        asked = { resolve, reject };
        answer();
        if (count % MOST_MESSAGES_A_TURN === MOST_MESSAGES_A_TURN - 1) setImmediate(read);
        else read();
      }),
    return: () => Promise.resolve({ done: true, value: undefined }),
  };

  return {
    frames: { [Symbol.asyncIterator]: () => iterator },
    stop: () => end({ kind: "done" }),
    fail: (fault) => {
      if (ending.kind === "open") end({ kind: "failed", fault });
    },
  };
}
