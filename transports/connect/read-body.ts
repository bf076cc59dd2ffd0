// Reads the bodies of requests, and counts the fields of each binary message while its bytes come in. The library makes an object of every field that
// it does not know before anything here sees the message, and serves no other peer meanwhile (R34).
import { Code, ConnectError } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { compressionGzip } from "@connectrpc/connect-node";
import { MAX_MESSAGE_VALUES } from "../../src/base/json-document.js";
import type { Exchange } from "../http/exchange.js";

/** The body, for the library. Ends with an error "resource_exhausted" where a message has too many fields. */
export async function* readBody({
  request,
  contentType,
}: Pick<Exchange, "request" | "contentType">): AsyncGenerator<Uint8Array> {
  const isEnveloped = contentType.startsWith("application/grpc") || contentType.startsWith("application/connect+");
  // A text is counted when it is parsed, and a compressed message behind its decompression. In envelopes each message says itself whether it is one.
  const isCompressed = !isEnveloped && request.headers["content-encoding"] === compressionGzip.name;
  const fields = new FieldCounter();
  const counter = isEnveloped ? new MessageBounds(fields) : fields;
  const isCounted = !contentType.includes("json") && !isCompressed;
  // The response continues after the request is no longer read.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    if (isCounted) counter.take(piece);
    yield piece;
  }
}

/** The same compression, whose decompressed messages are counted in the same way. */
export function countedBehind(compression: Compression): Compression {
  return {
    ...compression,
    decompress: async (bytes, mostBytes) => {
      const message = await compression.decompress(bytes, mostBytes);
      new FieldCounter().take(message);
      return message;
    },
  };
}

const HEAD_BYTES = 5;

/** Finds where messages begin and end in a body of gRPC, or of a stream of Connect: a head of 5 bytes before each message has its length. */
class MessageBounds {
  /** Bytes of the head of the next message so far. */
  private head: number[] = [];
  /** Bytes of the message that have not come. */
  private left = 0;
  private readonly fields: FieldCounter;

  constructor(fields: FieldCounter) {
    this.fields = fields;
  }

  take(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      if (this.left === 0) {
        this.beginWith(bytes[from] ?? 0);
        from += 1;
      } else {
        const to = Math.min(bytes.length, from + this.left);
        this.left -= to - from;
        this.fields.take(bytes, from, to);
        from = to;
      }
    }
  }

  private beginWith(byte: number): void {
    this.head.push(byte);
    if (this.head.length < HEAD_BYTES) return;
    const [flags = 0, ...length] = this.head;
    this.head = [];
    this.left = length.reduce((sum, one) => sum * 256 + one, 0);
    this.fields.begin(flags, this.left);
  }
}

type State = "tag" | "value" | "length";

/**
 * Takes the messages of a body with heads, or the bytes of one message. Throws an error "resource_exhausted" where a message has more than 32,768
 * fields, without those within them. A class, because its state goes from one piece of a body to the next.
 */
class FieldCounter {
  private state: State = "tag";
  private isWithinTag = false;
  private wireType = 0;
  private size = 0;
  private factor = 1;
  private fieldCount = 0;
  /** Bytes of a value, or of a compressed message, that are passed over. */
  private passing = 0;

  /** A message begins, whose head has these flags. Its bytes follow. */
  begin(flags: number, byteCount: number): void {
    this.state = "tag";
    this.isWithinTag = false;
    this.fieldCount = 0;
    this.passing = (flags & 1) === 0 ? 0 : byteCount;
  }

  take(bytes: Uint8Array, from = 0, to = bytes.length): void {
    for (let index = from; index < to; ) {
      const passed = Math.min(this.passing, to - index);
      if (passed === 0) this.step(bytes[index] ?? 0);
      else this.passing -= passed;
      index += Math.max(1, passed);
    }
  }

  private step(byte: number): void {
    const isLast = byte < 0x80;
    switch (this.state) {
      case "tag":
        if (!this.isWithinTag) this.wireType = byte & 7;
        this.isWithinTag = !isLast;
        if (isLast) this.beginField();
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

  private beginField(): void {
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
