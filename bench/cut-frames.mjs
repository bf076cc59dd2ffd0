// A receiver that does its own framing, as cheaply as a receiver can: messages with a 4-byte length in front.

/** Calls `handle` with the bytes and the extent of each message. */
export function cutFrames(source, handle) {
  let rest = Buffer.alloc(0);
  source.on("data", (chunk) => {
    const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (at + 4 <= data.length) {
      const end = at + 4 + data.readUInt32BE(at);
      if (end > data.length) break;
      handle(data, at + 4, end);
      at = end;
    }
    rest = at === data.length ? Buffer.alloc(0) : data.subarray(at);
  });
}
