// The machine: its clock, by which deadlines of questions outlive a restart, versions of Node, of this package and of running daemons, and whether
// the native parts load.
import { readFileSync, statSync } from "node:fs";
import { hasPackages, installCommand, PACKAGE_GROUPS } from "../../../transports/optional-packages.js";
import { isOpen, SERVICE_NAMES } from "../../../transports/ways.js";
import { advice, type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { sentenceFinding } from "../../daemon/platform/segmenter.js";
import { loadLmdb } from "../../storage/lmdb/environment.js";
import { hasNativeCode } from "../../storage/lmdb/native-code.js";
import { packagePath } from "../shell/program-paths.js";
import { isAtLeast } from "../shell/program-versions.js";
import { span } from "../terminal/amounts.js";
import type { Patient } from "./patient.js";

export async function versionFindings(patient: Patient): Promise<readonly Finding[]> {
  const { version, nodeVersion, daemons, configuration } = patient;
  const found: Finding[] = [];
  const least = leastNode();
  if (!isAtLeast(nodeVersion, least)) {
    const message = `This is Node ${nodeVersion}, and aaepd needs ${least} or newer.`;
    found.push(problem("node_old", message, `Install Node ${least} or newer.`));
  }
  for (const { status } of daemons) {
    if (status.version === version) continue;
    const message = `The daemon ${status.producer_id} is aaepd ${status.version}, and this command is ${version}.`;
    found.push(advice("daemon_differs", message, `Start the daemon again. To stop it, run: kill ${status.pid}`));
  }
  const lacking = SERVICE_NAMES.filter((name) => isOpen(name, configuration) && !hasPackages(name));
  if (lacking.length > 0) {
    const asked = lacking.map((group) => `--${group}`).join(" and ");
    const purposes = lacking.map((group) => PACKAGE_GROUPS[group].purpose).join(", ");
    const message = `The configuration asks for ${asked}, and packages of ${purposes} are missing.`;
    found.push(problem("packages_missing", message, `Run: ${installCommand(lacking)}`));
  }
  const { kind } = configuration.journal;
  if (kind === "auto" && !hasNativeCode()) {
    const message = "This package has no database, so that the journal is in memory and ends with the daemon.";
    found.push(advice("journal_in_memory", message, "To keep it on disk, run: npm install --global aaepd"));
  } else if (kind !== "memory" && !(await hasLmdb())) {
    const message = "The package lmdb, which the journal on disk needs, does not load here.";
    const remedy =
      "Install aaepd again on this machine (npm install), with optional packages, or use --journal memory.";
    found.push(problem("lmdb_missing", message, remedy));
  }
  found.push(sentenceFinding());
  return [...found, fact("versions", `This is aaepd ${version} on Node ${nodeVersion}.`)];
}

/** The lowest version in `engines` of package.json, as in "20.19". */
function leastNode(): string {
  const { engines } = JSON.parse(readFileSync(packagePath("package.json"), "utf8")) as { engines: { node: string } };
  return engines.node.replace(/^\D*/, "");
}

function hasLmdb(): Promise<boolean> {
  return loadLmdb().then(
    () => true,
    () => false,
  );
}

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
