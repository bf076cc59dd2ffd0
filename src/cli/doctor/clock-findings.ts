// The clock of the machine: events carry its time, and deadlines of questions outlive a restart by it.
import { statSync } from "node:fs";
import { advice, type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { packagePath } from "../shell/package-path.js";
import { span } from "../terminal/amounts.js";
import type { Patient } from "./patient.js";

/** Clocks of file servers and of the machine differ by less, s. */
const TOLERANCE_SECONDS = 60;

/** `newestAt`: the time of the newest journaled event, ms since 1970; minus infinity without one. */
export function clockFindings({ io, daemons, configuration }: Patient, newestAt: number): readonly Finding[] {
  const now = io.clock.wallTime();
  const shown = new Date(now).toISOString();
  const found: Finding[] = [];
  const set = "Set the clock, and let the system keep it. On Linux with systemd, run: timedatectl set-ntp true";
  const ahead = (at: number): number => Math.round((at - now) / 1000);
  const installed = ahead(statSync(packagePath("package.json"), { throwIfNoEntry: false })?.mtimeMs ?? now);
  if (installed > TOLERANCE_SECONDS) {
    const message = `The clock shows ${shown}, which is ${span(installed)} before this program was installed.`;
    found.push(problem("clock_behind", message, set));
  }
  if (ahead(newestAt) > TOLERANCE_SECONDS) {
    const message = `The newest event of the journal was received ${span(ahead(newestAt))} after the time of the clock, ${shown}.`;
    found.push(problem("clock_behind_journal", message, set));
  }
  for (const { status } of daemons) {
    const stepped = Math.abs(Math.round((now - Date.parse(status.started_at)) / 1000 - status.uptime_seconds));
    if (stepped <= configuration.clockSkewSeconds) continue;
    const message = `The clock was set by ${span(stepped)} since the daemon ${status.producer_id} started.`;
    found.push(advice("clock_stepped", message, "Start agents again that stamp their events by an earlier time."));
  }
  return found.length > 0 ? found : [fact("clock", `The clock shows ${shown}.`)];
}
