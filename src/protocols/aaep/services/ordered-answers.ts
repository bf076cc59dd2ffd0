// The answers of a stream, one for each request and in the order of the requests, although some are known later than others. Notices keep the place
// at which they were made. Frames that the peer does not take wait here, and the peer is not read from meanwhile.
import type { Connection } from "../../../contracts/transport.js";

/** Most requests without an answer, or with an answer that waits for the peer, before reading pauses. */
const MAX_WAITING = 1024;
/** Most bytes of these requests or answers. Where nothing waits, the next request is read in any case. */
const MOST_BYTES = 1024 * 1024;

interface Place<Frame> {
  readonly key: string | undefined;
  /** Undefined until the answer is known. */
  frame: Frame | undefined;
  /** Size of the answer; until the answer is known, size of the request. */
  bytes: number;
}

export class OrderedAnswers<Frame extends { readonly length: number }> {
  private readonly connection: Pick<Connection<Frame>, "send" | "writable">;
  private places: Place<Frame>[] = [];
  private bytes = 0;
  private isBlocked = false;
  private isOver = false;
  private changed = (): void => {};

  constructor(connection: Pick<Connection<Frame>, "send" | "writable">) {
    this.connection = connection;
  }

  /** Reserves the next place for the answer to a request of so many bytes. Call the result once, with the answer. */
  reserve(bytes: number): (frame: Frame) => void {
    const place = this.add(undefined, bytes);
    return (frame) => this.fill(place, frame);
  }

  /** Adds a notice. If an earlier notice with the same key has not left, replaces it. */
  tell(frame: Frame, key?: string): void {
    const earlier = key === undefined ? undefined : this.places.find((place) => place.key === key);
    this.fill(earlier ?? this.add(key, 0), frame);
  }

  /** Undefined if requests may be handled now; else resolves when they may be. */
  room(): Promise<void> | undefined {
    const { length } = this.places;
    const isLittle = length === 0 || (length < MAX_WAITING && this.bytes < MOST_BYTES);
    if (this.isOver || (!this.isBlocked && isLittle)) return undefined;
    return this.nextChange().then(() => this.room());
  }

  /** Resolves when everything has been handed to the connection, or after `handOver`. */
  async empty(): Promise<void> {
    while (this.places.length > 0) await this.nextChange();
  }

  /** Hands over the known frames, whether the peer takes them or not, and drops the rest. Nothing more goes out. */
  handOver(): void {
    this.isOver = true;
    for (const { frame } of this.places) if (frame !== undefined) this.connection.send(frame);
    this.places = [];
    this.changed();
  }

  private add(key: string | undefined, bytes: number): Place<Frame> {
    const place: Place<Frame> = { key, frame: undefined, bytes };
    this.places.push(place);
    this.bytes += bytes;
    return place;
  }

  private fill(place: Place<Frame>, frame: Frame): void {
    if (this.isOver) return;
    place.frame = frame;
    this.bytes += frame.length - place.bytes;
    place.bytes = frame.length;
    this.advance();
  }

  private advance(): void {
    let sent = 0;
    for (; !this.isBlocked && sent < this.places.length; sent += 1) {
      const place = this.places[sent];
      if (place?.frame === undefined) break;
      this.bytes -= place.bytes;
      if (!this.connection.send(place.frame)) this.waitForPeer();
    }
    if (sent === 0) return;
    this.places = this.places.slice(sent);
    this.changed();
  }

  private waitForPeer(): void {
    this.isBlocked = true;
    void this.connection.writable().then(() => {
      this.isBlocked = false;
      this.advance();
      this.changed();
    });
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.changed = resolve;
    });
  }
}
