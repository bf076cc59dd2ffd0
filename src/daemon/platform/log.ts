// Log lines for people, on standard error. Lines are lost rather than waited for: whoever starts a daemon need not read its standard error (S10).
import { createRequire } from "node:module";
import type { Logger } from "pino";
import type { Log } from "../../contracts/log.js";

export type LogLevel = "debug" | "info" | "warn" | "error" | "off";

/** What a log needs of the stream it writes to. */
export interface LogStream {
  readonly writableLength: number;
  readonly write: (line: string) => boolean;
}

export interface LogOptions {
  /** Default the standard error of this process, where a pipe that is not read never blocks. */
  readonly stream?: LogStream;
  /** Most bytes that may wait for the reader. A line that comes on top is lost; warnings and errors have 16 times the room. Default 65,536. */
  readonly maxWaitingBytes?: number;
  /** Most lines within one second; further ones are lost, so that a flood of them costs nobody else. Default 1000. */
  readonly maxLinesPerSecond?: number;
  /** Milliseconds, monotonic. Default the platform's. */
  readonly now?: () => number;
}

export interface DaemonLog extends Log {
  /** From now on writes lines of this level and above. */
  readonly setLevel: (level: LogLevel) => void;
  /** Lines lost so far. The next line that can be written tells how many there were. */
  readonly droppedCount: () => number;
  /** Resolves when nothing waits any more, or after `withinMs`. Never rejects. */
  readonly flush: (withinMs: number) => Promise<void>;
}

/** JSON lines with level, time, pid and message. Never blocks and never throws, whatever it is given. */
export function createLog(firstLevel: LogLevel, options: LogOptions = {}): DaemonLog {
  const {
    stream = process.stderr,
    maxWaitingBytes = 65_536,
    maxLinesPerSecond = 1000,
    now = () => performance.now(),
  } = options;
  let dropped = 0;
  let droppedUntold = 0;
  let secondBegan = Number.NEGATIVE_INFINITY;
  let linesInSecond = 0;
  let roomBytes = maxWaitingBytes;

  function hasRoom(): boolean {
    const at = now();
    if (at - secondBegan >= 1000) {
      secondBegan = at;
      linesInSecond = 0;
    }
    return linesInSecond < maxLinesPerSecond && stream.writableLength < roomBytes;
  }

  function write(line: string): void {
    if (!hasRoom()) {
      dropped += 1;
      droppedUntold += 1;
      return;
    }
    linesInSecond += 1;
    const told = droppedUntold;
    // Before the write: telling is a line as well.
    droppedUntold = 0;
    if (told > 0) toLogger().warn({ dropped: told }, "log lines were lost");
    stream.write(line);
  }

  let level = firstLevel;
  let logger: Logger | undefined;
  /** The library is read with the first line: a daemon that has nothing to say starts without it. */
  const toLogger = (): Logger => {
    logger ??= createLogger(level, write);
    return logger;
  };

  const at = (method: Method): Log["info"] => {
    const rank = METHODS.indexOf(method);
    const isGrave = method === "warn" || method === "error";
    return (fields, message) => {
      if (rank < LEAST[level]) return;
      // Why a daemon ended must not be what is lost when something else floods standard error (S5).
      roomBytes = isGrave ? maxWaitingBytes * 16 : maxWaitingBytes;
      try {
        toLogger()[method](fields, message);
      } catch {
        dropped += 1;
      }
    };
  };

  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    setLevel: (next) => {
      level = next;
      if (logger !== undefined) logger.level = pinoLevel(next);
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

type Method = "debug" | "info" | "warn" | "error";

const METHODS: readonly Method[] = ["debug", "info", "warn", "error"];

/** The first of the methods whose lines are written. */
const LEAST: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3, off: 4 };

/** Whether lines that one level writes are missing from another. */
export function isLouder(level: LogLevel, than: LogLevel): boolean {
  return LEAST[level] < LEAST[than];
}

function pinoLevel(level: LogLevel): string {
  return level === "off" ? "silent" : level;
}

function createLogger(level: LogLevel, write: (line: string) => void): Logger {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino");
  return pino(
    {
      level: pinoLevel(level),
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write },
  );
}
