// The form of the daemon's log: sentences where a person reads it, JSON where a program does.
import type { Configuration } from "../../daemon/config/config.js";
import type { LogOptions } from "../../daemon/platform/log.js";
import type { Output } from "../terminal/command-io.js";

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
