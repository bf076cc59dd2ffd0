// The standard error of a host, in the daemon's log.
import type { Readable } from "node:stream";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Log } from "../../contracts/log.js";

/** Most characters of a line that is logged. */
const LONGEST_LINE = 2000;
/** Most lines in a period. Further ones are counted (R34). */
const MOST_LINES = 100;
const PERIOD_MS: Millis = 1000;

/** Passes the lines of `source` on to the log, at most 100 a second. */
export function logErrorLines(
  source: Readable,
  name: string,
  { log, clock }: { readonly log: Pick<Log, "info" | "warn">; readonly clock: Pick<Clock, "now"> },
): void {
  let held = "";
  let periodEnd = Number.NEGATIVE_INFINITY;
  let left = 0;
  let omitted = 0;

  const tell = (line: string): void => {
    if (clock.now() >= periodEnd) {
      if (omitted > 0) log.warn({ provider: name, lines: omitted }, "an A2E provider wrote more lines than are logged");
      periodEnd = clock.now() + PERIOD_MS;
      left = MOST_LINES;
      omitted = 0;
    }
    if (left === 0) {
      omitted += 1;
      return;
    }
    left -= 1;
    log.info({ provider: name, line: line.slice(0, LONGEST_LINE) }, "an A2E provider writes");
  };

  source.setEncoding("utf8").on("data", (text: string) => {
    const lines = (held + text).split("\n");
    held = (lines.pop() ?? "").slice(0, LONGEST_LINE);
    for (const line of lines) if (line.trim() !== "") tell(line);
  });
}
