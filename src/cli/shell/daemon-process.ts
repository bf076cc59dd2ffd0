// The process of a daemon alone: its memory, its compiler, its console and the form of its log.
import { setFlagsFromString } from "node:v8";
import type { Configuration } from "../../daemon/config/config.js";
import type { LogOptions } from "../../daemon/platform/log.js";
import type { Output } from "../terminal/command-io.js";
import type { CommandContext } from "./context.js";

/**
 * Lets the heap grow to twice the live memory at the last full garbage collection, not to four times: entries of a journal live long and then wait
 * for that collection (R18). Only for commands whose process belongs to the daemon alone.
 */
export function keepHeapClose(): void {
  setFlagsFromString("--heap-growing-percent=100");
}

/** V8 12 has a compiler between the baseline and the last one, which functions reach soon. */
const FIRST_WITH_MID_TIER = 12;

/**
 * Makes V8 compile frequent code for speed after a tenth of its usual amount of work: an agent sends a few hundred events in a session, which would
 * otherwise be interpreted. Called once the daemon listens, because code that only the start runs is not worth compiling.
 */
export function compileEarly(): void {
  if (Number.parseInt(process.versions.v8, 10) >= FIRST_WITH_MID_TIER) return;
  setFlagsFromString("--interrupt-budget=10000");
}

/**
 * Drops what `lmdb` prints of a failed batch, with its stack, before it rejects with the same error: among the lines of the log it would be no line
 * of it. Only for commands whose process belongs to aaepd alone, because it changes `console.error` for good. Call it once.
 */
export function dropLibraryEchoes(): void {
  const { error } = console;
  console.error = (...parts: readonly unknown[]): void => {
    const [first] = parts;
    const isEcho = first instanceof Error && /[\\/](?:node_modules|dist)[\\/]lmdb[\\/]/.test(first.stack ?? "");
    if (!isEcho) error.apply(console, [...parts]);
  };
}

/** Whether `format` means sentences on a stream. */
function isForPeople(format: Configuration["logFormat"], { isTTY }: { readonly isTTY?: boolean }): boolean {
  return format === "text" || (format === "auto" && isTTY === true);
}

/** Options of the log on standard error. Loads the sentences only if somebody reads them. */
export async function logOptions(
  format: Configuration["logFormat"],
  stderr: Output,
): Promise<Pick<LogOptions, "render" | "stream">> {
  if (!isForPeople(format, stderr)) return { stream: stderr };
  const { logSentence } = await import("../terminal/log-sentences.js");
  return { stream: stderr, render: logSentence };
}

/** Loads all that runs a daemon, at once. */
export async function daemonParts({ loadDaemon }: CommandContext) {
  const [log, clock, ids, version, lifecycle, startDaemon] = await Promise.all([
    import("../../daemon/platform/log.js"),
    import("../../daemon/platform/clock.js"),
    import("../../daemon/platform/ids.js"),
    import("../../daemon/platform/version.js"),
    import("../../daemon/lifecycle.js"),
    loadDaemon(),
  ]);
  return { ...log, ...clock, ...ids, ...version, ...lifecycle, startDaemon };
}
