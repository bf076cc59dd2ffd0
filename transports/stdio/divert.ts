import type { Writable } from "node:stream";

/**
 * Redirects everything written to `stream` to `instead`, through any of its methods, including the inner ones in which its prototype's `write` and
 * `uncork` end. Other code can no longer end the stream: a last chunk passed to `end` is redirected too, and the stream stays open. `destroy` is left
 * alone; Node forbids it for the process's own streams. The result ends the stream in its original way. Its other end learns of it, if the platform
 * can report it, at the latest when the process ends.
 */
export function divert(stream: Writable, instead: Writable): Writable["_final"] {
  const { end } = stream;
  const say = (chunk: unknown, encoding?: unknown): void => {
    if (typeof chunk === "string") instead.write(chunk, isEncoding(encoding) ? encoding : "utf8");
    else if (chunk instanceof Uint8Array) instead.write(chunk);
  };
  const ours: Partial<Writable> = {
    write: instead.write.bind(instead) as Writable["write"],
    end: ((...parts: readonly unknown[]) => {
      say(parts[0], parts[1]);
      const done = parts.find((part) => typeof part === "function");
      if (done !== undefined) queueMicrotask(done as () => void);
      return stream;
    }) as Writable["end"],
    _write: (chunk, encoding, done) => {
      say(chunk, encoding);
      done();
    },
    _writev: (chunks, done) => {
      for (const { chunk, encoding } of chunks) say(chunk, encoding);
      done();
    },
    _final: (done) => done(),
  };
  const final = Object.getOwnPropertyDescriptor(stream, "_final");
  Object.assign(stream, ours);
  return (done) => {
    Reflect.deleteProperty(stream, "_final");
    if (final !== undefined) Object.defineProperty(stream, "_final", final);
    Reflect.apply(end, stream, [() => done()]);
  };
}

function isEncoding(value: unknown): value is BufferEncoding {
  return typeof value === "string" && Buffer.isEncoding(value);
}
