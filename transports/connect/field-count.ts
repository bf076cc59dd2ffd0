// Counts the fields of each binary message of a body while its bytes come in. The library makes an object of every field that it does not know before
// anything here sees the message, and serves no other peer meanwhile (R34).
import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { MAX_MESSAGE_VALUES } from "../../src/base/json-document.js";

const HEAD_BYTES = 5;

type State = "tag" | "value" | "length";

/**
 * The same bytes. Ends with an error "resource_exhausted" where a message has more than 32,768 fields, without those within them. `isEnveloped`: each
 * message has a head in front.
 */
export async function* countedFields(
  body: AsyncIterable<Uint8Array>,
  isEnveloped: boolean,
): AsyncGenerator<Uint8Array> {
  const counter = new FieldCounter(isEnveloped);
  for await (const bytes of body) {
    counter.take(bytes);
    yield bytes;
  }
}

/** The same compression, whose decompressed messages are counted in the same way. */
export function countedBehind(compression: Compression): Compression {
  return {
    ...compression,
    decompress: async (bytes, mostBytes) => {
      const message = await compression.decompress(bytes, mostBytes);
      new FieldCounter(false).take(message);
      return message;
    },
  };
}

/** A class, because its state goes from one piece of a body to the next. */
class FieldCounter {
  private state: State = "tag";
  private isWithinTag = false;
  private wireType = 0;
  private size = 0;
  private factor = 1;
  private fieldCount = 0;
  /** Bytes of a value, or of a compressed message, that are passed over. */
  private passing = 0;
  /** Bytes of the head of the next message so far; complete in a message. */
  private head: number[] = [];
  /** Bytes of the message that have not come. */
  private left: number;

  constructor(isEnveloped: boolean) {
    this.left = isEnveloped ? 0 : Number.POSITIVE_INFINITY;
  }

  take(bytes: Uint8Array): void {
    for (let index = 0; index < bytes.length; ) {
      if (this.left === 0) {
        this.beginWith(bytes[index] ?? 0);
        index += 1;
        continue;
      }
      const passed = Math.min(this.passing, this.left, bytes.length - index);
      if (passed === 0) this.step(bytes[index] ?? 0);
      else this.passing -= passed;
      const taken = Math.max(1, passed);
      index += taken;
      this.left -= taken;
    }
  }

  private beginWith(byte: number): void {
    this.head.push(byte);
    if (this.head.length < HEAD_BYTES) return;
    const [flags = 0, ...length] = this.head;
    this.head = [];
    this.left = length.reduce((sum, one) => sum * 256 + one, 0);
    this.state = "tag";
    this.isWithinTag = false;
    this.fieldCount = 0;
    this.passing = (flags & 1) === 0 ? 0 : this.left;
  }

  private step(byte: number): void {
    const isLast = byte < 0x80;
    switch (this.state) {
      case "tag":
        if (!this.isWithinTag) this.wireType = byte & 7;
        this.isWithinTag = !isLast;
        if (isLast) this.begin();
        break;
      case "value":
        if (isLast) this.state = "tag";
        break;
      case "length":
        this.size += (byte & 0x7f) * this.factor;
        this.factor *= 128;
        if (!isLast) break;
        this.passing = this.size;
        this.state = "tag";
    }
  }

  private begin(): void {
    this.fieldCount += 1;
    if (this.fieldCount > MAX_MESSAGE_VALUES)
      throw new ConnectError(`a message may have at most ${MAX_MESSAGE_VALUES} fields`, Code.ResourceExhausted);
    if (this.wireType === 0) this.state = "value";
    else if (this.wireType === 1) this.passing = 8;
    else if (this.wireType === 5) this.passing = 4;
    else if (this.wireType === 2) {
      this.state = "length";
      this.size = 0;
      this.factor = 1;
    }
  }
}
