// Only the protocol may write to standard output (S1). What any other code prints, with console or process.stdout, goes to standard error.
import { Console } from "node:console";
import { type Readable, Writable } from "node:stream";

/** The two ends of the process's own stdio, once nothing else can reach them. */
export interface Stdio {
  readonly readable: Readable;
  readonly writable: Writable;
  /** Gives console and process.stdout back. For tests. */
  readonly restore: () => void;
}

/** What of a process is taken. A parameter, so that tests can take another's. */
export interface StdioOwner {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/**
 * Takes standard input and output for the protocol. To be called before anything else can print: the first import of a program that speaks over
 * stdio. From then on `console.*`, `process.stdout.write` and `end` reach standard error. A broken pipe on either is an error of the returned streams
 * only, never an uncaught one (S7).
 */
export function takeStdio(owner: StdioOwner = process): Stdio {
  const { stdin, stdout, stderr } = owner;
  const { write, end } = stdout;
  const writable = forwardTo(write.bind(stdout), end.bind(stdout));
  // A standard error that is gone must not end the process (S10).
  stderr.on("error", ignore);
  stdout.on("error", ignore);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  // Whoever ends standard output ends the protocol's: their last words go the way of the others, and the stream stays.
  stdout.end = ((...parts: readonly unknown[]) => {
    const [chunk, encoding] = parts;
    if (typeof chunk === "string") stderr.write(chunk, typeof encoding === "string" ? (encoding as "utf8") : "utf8");
    else if (chunk instanceof Uint8Array) stderr.write(chunk);
    const done = parts.find((part) => typeof part === "function");
    if (done !== undefined) queueMicrotask(done as () => void);
    return stdout;
  }) as typeof stdout.end;
  const giveConsoleBack = owner === process ? rebindConsole(stderr) : ignore;
  return {
    readable: stdin,
    writable,
    restore: () => {
      stdout.write = write;
      stdout.end = end;
      stdout.off("error", ignore);
      stderr.off("error", ignore);
      giveConsoleBack();
    },
  };
}

function ignore(): void {}

/** A stream of its own in front of the real one: it counts what waits and ends without closing what is not ours. */
function forwardTo(write: Writable["write"], end: Writable["end"]): Writable {
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      write(chunk, (error) => done(error ?? null));
    },
    writev: (chunks, done) => {
      write(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), (error) => done(error ?? null));
    },
    final: (done) => {
      // Its other end learns of it, where the platform can tell it: at the latest when the process ends.
      end(() => done());
    },
  });
}

/** Also reaches code that keeps the methods of console in variables of its own from here on. */
function rebindConsole(stderr: Writable): () => void {
  const toStandardError = new Console(stderr, stderr);
  const original = { ...globalThis.console };
  Object.assign(globalThis.console, toStandardError);
  return () => {
    Object.assign(globalThis.console, original);
  };
}
