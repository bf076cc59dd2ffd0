// Only the protocol may write to standard output. Other output by console or process.stdout goes to standard error. Output that bypasses both,
// as fs.writeSync(1) or a child that inherits the descriptor, cannot be redirected: Node can neither point descriptor 1 elsewhere nor duplicate it.
import { Console } from "node:console";
import { type Readable, Writable } from "node:stream";
import { divert } from "./divert.js";

/** The two ends of the process's own stdio, out of reach of all other code. */
export interface Stdio {
  readonly readable: Readable;
  readonly writable: Writable;
  /** The process that started this one. Default: not known (R5d). */
  readonly parentId?: number;
  /** Whether a terminal shows what is written to `writable`. */
  readonly isTerminal: boolean;
}

/** The streams that are taken. A parameter, so that tests can take those of another owner. */
export interface StdioOwner {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/**
 * Takes standard input and output for the protocol. Call it before anything else can print: in the first import of a program that speaks over stdio.
 * Afterwards `process.stdout` is a stand-in in front of standard error, and so is `console`. The original stream, which other code may hold, is
 * diverted to standard error in each of its methods, the underscored ones too. A broken pipe on either is an error of the returned streams only,
 * never an uncaught one.
 */
export function takeStdio(owner: StdioOwner = process): Stdio {
  const { stdin, stdout, stderr } = owner;
  // A closed standard error must not end the process.
  stderr.on("error", ignore);
  stdout.on("error", ignore);
  const write = stdout._write.bind(stdout);
  const isTerminal = isTty(stdout);
  const finish = divert(stdout, stderr);
  const writable = protocolStream(write, finish);
  if (owner === process) replaceInProcess(stderr);
  return {
    readable: stdin,
    writable,
    ...(owner === process ? { parentId: process.ppid } : {}),
    isTerminal,
  };
}

function ignore(): void {}

/** Whether the stream is a terminal's. */
export function isTty(stream: Writable): boolean {
  return "isTTY" in stream && stream.isTTY === true;
}

/** Creates a stream of its own at the descriptor of the real one. It counts its own waiting bytes, and no other code can reach it. */
function protocolStream(write: Writable["_write"], finish: Writable["_final"]): Writable {
  const put = (bytes: Buffer, done: (error?: Error | null) => void): void => {
    try {
      write(bytes, "buffer" as BufferEncoding, done);
    } catch (caught) {
      // A file is written at once, and throws.
      done(caught instanceof Error ? caught : new Error(String(caught)));
    }
  };
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => put(chunk, done),
    writev: (chunks, done) => put(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)), done),
    final: finish,
  });
}

/** From here on, readers of `process.stdout` get a stream unrelated to descriptor 1. */
function replaceInProcess(stderr: Writable): void {
  const standIn = new Writable();
  divert(standIn, stderr);
  standIn.on("error", ignore);
  // Some loggers write to the descriptor that the stream names. As with Node's own stream, `destroy` does nothing.
  Object.assign(standIn, { fd: 2, destroy: () => standIn, destroySoon: () => standIn });
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => standIn });
  // Also affects code that copies the methods of console from here on.
  Object.assign(globalThis.console, new Console(stderr, stderr));
}
