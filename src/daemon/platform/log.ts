// Log lines for people, on standard error. The log drops lines rather than wait: the starter of a daemon need not read its standard error.

import serializers from "pino-std-serializers";
import { configure } from "safe-stable-stringify";
import { shownJson } from "../../base/json-line.js";
import type { Log } from "../../contracts/log.js";

export type LogLevel = (typeof LEVELS)[number];

/** The part of a stream that the log needs. */
interface LogStream {
  readonly writableLength: number;
  readonly write: (line: string) => boolean;
}

export interface LogOptions {
  /** Default: the standard error of this process. An unread pipe there never blocks. */
  readonly stream?: LogStream;
  /** Most bytes that may wait for the reader. A line beyond that is lost; warnings and errors have 16 times the room. Default 65,536. */
  readonly maxWaitingBytes?: number;
  /** Most lines within one second; further lines are lost, so that a flood costs no other peer time. Errors have twice the room. Default 1000. */
  readonly maxLinesPerSecond?: number;
  /** Milliseconds, monotonic. Default: the platform's. */
  readonly now?: () => number;
  /** Makes the text that is written of a line of JSON; both end with their line feed. Default: the line of JSON. */
  readonly render?: (line: string) => string;
}

export interface DaemonLog extends Log {
  /** Sets the lowest level that is written from now on. */
  readonly setLevel: (level: LogLevel) => void;
  /** Number of lines lost so far. The next line that can be written is preceded by the number of lost lines. */
  readonly droppedCount: () => number;
  /** Resolves when nothing waits any more, or after `withinMs`. Never rejects. */
  readonly flush: (withinMs: number) => Promise<void>;
}

/** Writes lines with level, time, pid and message, as JSON or as `render` makes them. Never blocks and never throws, whatever the arguments. */
export function createLog(firstLevel: LogLevel, options: LogOptions = {}): DaemonLog {
  const {
    stream = process.stderr,
    maxWaitingBytes = 65_536,
    maxLinesPerSecond = 1000,
    now = () => performance.now(),
    render = (line) => line,
  } = options;
  let level = firstLevel;
  let dropped = 0;
  let droppedUntold = 0;
  let secondBegan = Number.NEGATIVE_INFINITY;
  let linesInSecond = 0;

  function hasRoom(method: Method): boolean {
    const time = now();
    if (time - secondBegan >= 1000) {
      secondBegan = time;
      linesInSecond = 0;
    }
    // Warnings and errors keep room when something else floods standard error: the reason why a daemon ended must not be lost.
    const isGrave = method === "warn" || method === "error";
    // Peers cause warnings, as of events against advice. However many those are, they keep out no error of the daemon's own.
    const mostLines = method === "error" ? maxLinesPerSecond * 2 : maxLinesPerSecond;
    return linesInSecond < mostLines && stream.writableLength < maxWaitingBytes * (isGrave ? 16 : 1);
  }

  function write(method: Method, line: string): void {
    if (!hasRoom(method)) {
      dropped += 1;
      droppedUntold += 1;
      return;
    }
    linesInSecond += 1;
    const told = droppedUntold;
    // Reset before the write, because the report of lost lines is a line as well.
    droppedUntold = 0;
    if (told > 0 && isWritten("warn", level)) write(method, lineOf("warn", { dropped: told }, "log lines were lost"));
    // Lines that the stream keeps are counted by `hasRoom`.
    stream.write(render(line));
  }

  const at =
    (method: Method): Log["info"] =>
    (fields, message) => {
      if (!isWritten(method, level)) return;
      try {
        write(method, lineOf(method, fields, message));
      } catch {
        dropped += 1;
      }
    };

  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    setLevel: (next) => {
      level = next;
    },
    droppedCount: () => dropped,
    flush: async (withinMs) => {
      const giveUpAt = performance.now() + withinMs;
      while (stream.writableLength > 0 && performance.now() < giveUpAt) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
  };
}

/** From the most lines to the fewest. */
const LEVELS = ["debug", "info", "warn", "error", "off"] as const;
type Method = Exclude<LogLevel, "off">;

function isWritten(method: Method, level: LogLevel): boolean {
  return LEVELS.indexOf(method) >= LEVELS.indexOf(level);
}

/** Whether `level` writes lines that `than` does not. */
export function isLouder(level: LogLevel, than: LogLevel): boolean {
  return LEVELS.indexOf(level) < LEVELS.indexOf(than);
}

/** Depth and breadth to which a field is written. Peers decide the size of some fields. */
const stringify = configure({ deterministic: false, maximumDepth: 5, maximumBreadth: 100 });

/** The line of a message, in the form of pino. Throws what a field's own code throws. */
function lineOf(level: Method, fields: Readonly<Record<string, unknown>>, msg: string): string {
  const { err } = fields;
  const error = err instanceof Error ? { err: serializers.err(err) } : {};
  const line = { level, time: new Date().toISOString(), pid: process.pid, ...fields, ...error, msg };
  return `${shownJson(stringify(line) ?? "")}\n`;
}
