// `aaepd setup --undo`: removes what setup has made, and nothing else.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { isProcess } from "../../../transports/ipc/claim.js";
import { HOOK_HOST_IDS } from "../../adapters/hooks/hook-host.js";
import { Fault } from "../../base/errors.js";
import { currentPrograms, SHIM_MARK, shimPath } from "../hooks/hook-files.js";
import { planUninstall, settingsOf, writePlan } from "../hooks/hook-plan.js";
import { entriesIn } from "../hooks/settings-edit.js";
import { MADE_BY, type ServiceKind, SPEAK_NAME, servicePaths } from "../service/service-files.js";
import { reloadUnits, stopService } from "../service/service-steps.js";
import { EXIT, type ExitCode } from "../shell/run-command.js";
import { statusAt } from "../status/ask-status.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";
import { awaited } from "./daemon-plan.js";
import { type Made, setupRecord } from "./setup-record.js";
import { createTold } from "./told.js";

/** Longer than a daemon takes to stop, ms. */
const STOP_MS = 30_000;

export async function undo(io: CommandIo): Promise<ExitCode> {
  const { say, attempt, exitCode } = createTold(io);
  const record = setupRecord(io);
  const made = record.read();
  if (made === undefined) {
    say("There is nothing to undo: setup has made nothing here, or it was undone before.");
    say("Hooks and services that you installed yourself stay: aaepd hook uninstall, aaepd service uninstall.");
    return EXIT.ok;
  }
  for (const id of made.hooks) {
    await attempt(() => {
      const plan = planUninstall(id, io);
      writePlan(plan, currentPrograms());
      if (plan.changes.length > 0) say(`Took the hooks of ${plan.host.name} out of ${shownText(plan.path)}.`);
    });
  }
  const { service, daemon, speaks } = made;
  const stop = async (kind: ServiceKind, name: string, done: string): Promise<void> => {
    const paths = servicePaths(kind, name, io.environment);
    // A service that was removed by hand has nothing to stop.
    if (paths.some(existsSync)) await attempt(() => say(stopService(kind, paths, io) ?? done));
  };
  if (speaks === true) await stop("systemd", SPEAK_NAME, "aaepd speaks no more.");
  if (service !== undefined)
    await stop(service.kind, service.name, `The service ${service.name} has stopped, and does not start again.`);
  if (daemon !== undefined) await attempt(async () => say(await stopDaemon(daemon, io)));
  if (exitCode() !== EXIT.ok) {
    say("The rest stays. Mend this, and run aaepd setup --undo again.");
    return exitCode();
  }
  for (const path of made.paths.toReversed()) await attempt(() => removeOwn(path, io, say));
  if (service?.kind === "systemd" || speaks === true) reloadUnits(io);
  record.remove();
  if (made.hooks.length > 0) say("An agent that runs now may say that its hooks are gone, until you start it again.");
  say("The journal and the audit log stay.");
  return exitCode();
}

/** Ends the daemon that setup started, and no other. */
async function stopDaemon({ pid, socketPath }: NonNullable<Made["daemon"]>, io: CommandIo): Promise<string> {
  if ((await statusAt(socketPath, io))?.pid !== pid)
    return `The daemon that setup started, process ${pid}, has ended before.`;
  process.kill(pid, "SIGTERM");
  const hasStopped = await awaited(async () => (isProcess(pid) ? undefined : true), STOP_MS, io);
  if (hasStopped) return `The daemon, process ${pid}, has stopped.`;
  throw new Fault("timed_out", `The daemon, process ${pid}, was told to stop, and still runs.`, { origin: "local" });
}

/** Removes a file of ours; settings only if nothing is left in them. Folders go with the record. */
function removeOwn(path: string, { environment }: CommandIo, say: (line: string) => void): void {
  const text = textOf(path);
  if (text === undefined) return;
  const isUsed = path === shimPath(environment) && HOOK_HOST_IDS.some((id) => hasHooks(id, environment));
  if (isUsed || !(text.trim() === "{}" || text.includes(SHIM_MARK) || text.includes(MADE_BY))) return;
  rmSync(path);
  say(`Removed ${shownText(path)}`);
}

function hasHooks(id: (typeof HOOK_HOST_IDS)[number], environment: CommandIo["environment"]): boolean {
  try {
    return entriesIn(settingsOf(id, environment)).size > 0;
  } catch {
    // Settings that cannot be read may have some.
    return true;
  }
}

/** Undefined for what is no file, or is gone. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
