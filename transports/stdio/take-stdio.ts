// Only the protocol may write to standard output (S1). What any other code prints, with console or process.stdout, goes to standard error. What goes
// around them, as fs.writeSync(1) or a child that inherits the descriptor, cannot be kept away: Node can neither point descriptor 1 elsewhere nor
// duplicate it.
import { Console } from "node:console";
import { type Readable, Writable } from "node:stream";
import { type Diverted, divert } from "./divert.js";

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
 * stdio. From then on `process.stdout` is a stand-in in front of standard error, and so is `console`; the stream that stood there, which some code
 * may have kept, is diverted to standard error in each of its methods, the underscored ones too. A broken pipe on either is an error of the
 * returned streams only, never an uncaught one (S7).
 */
export function takeStdio(owner: StdioOwner = process): Stdio {
  const { stdin, stdout, stderr } = owner;
  // A standard error that is gone must not end the process (S10).
  stderr.on("error", ignore);
  stdout.on("error", ignore);
  const write = stdout._write.bind(stdout);
  const { giveBack, finish } = divert(stdout, stderr);
  const writable = protocolStream(write, finish);
  const giveProcessBack = owner === process ? replaceInProcess(stderr) : ignore;
  return {
    readable: stdin,
    writable,
    restore: () => {
      giveBack();
      stdout.off("error", ignore);
      stderr.off("error", ignore);
      giveProcessBack();
    },
  };
}

function ignore(): void {}

/** A stream of its own at the real one's descriptor, past what others write to and see of that: it counts what waits, and nobody else knows it. */
function protocolStream(write: Writable["_write"], finish: Diverted["finish"]): Writable {
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

/** Whoever reads `process.stdout` from here on gets a stream that has nothing to do with descriptor 1. */
function replaceInProcess(stderr: Writable): () => void {
  const standIn = new Writable();
  divert(standIn, stderr);
  standIn.on("error", ignore);
  // Some loggers write to the descriptor that the stream names. As with Node's own, there is nothing to destroy.
  Object.assign(standIn, { fd: 2, destroy: () => standIn, destroySoon: () => standIn });
  const property = Object.getOwnPropertyDescriptor(process, "stdout");
  Object.defineProperty(process, "stdout", { configurable: true, enumerable: true, get: () => standIn });
  const giveConsoleBack = rebindConsole(stderr);
  return () => {
    giveConsoleBack();
    if (property !== undefined) Object.defineProperty(process, "stdout", property);
  };
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
