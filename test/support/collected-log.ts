import type { Log } from "../../src/contracts/log.js";

interface CollectedLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A log that keeps its lines. */
export interface CollectedLog extends Log {
  readonly lines: readonly CollectedLine[];
}

export function collectLog(): CollectedLog {
  const lines: CollectedLine[] = [];
  const at =
    (level: keyof Log) =>
    (fields: Readonly<Record<string, unknown>>, message: string): void =>
      void lines.push({ level, message, fields });
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
