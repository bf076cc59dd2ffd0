const HEAD_BYTES = 5;

/** Receives a body as its messages. */
export interface MessageParts {
  /** A message begins, whose head has these flags. Its bytes follow. */
  readonly begin: (flags: number, byteCount: number) => void;
  /** Takes the bytes from `from` to before `to`: of one message, or a part of it. */
  readonly take: (bytes: Uint8Array, from: number, to: number) => void;
}

/** Finds where messages begin and end in a body of gRPC, or of a stream of Connect: a head of 5 bytes before each message has its length. */
export class MessageBounds {
  /** Bytes of the head of the next message so far. */
  private head: number[] = [];
  /** Bytes of the message that have not come. */
  private left = 0;
  private readonly parts: MessageParts;

  constructor(parts: MessageParts) {
    this.parts = parts;
  }

  take(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; ) {
      if (this.left === 0) {
        this.beginWith(bytes[from] ?? 0);
        from += 1;
      } else {
        const to = Math.min(bytes.length, from + this.left);
        this.left -= to - from;
        this.parts.take(bytes, from, to);
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
    this.parts.begin(flags, this.left);
  }
}
