// The steps that concern the files of a service and its manager, a step a function.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, parse } from "node:path";
import { nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault, usage } from "../../base/errors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { runsSystemd } from "./plan-service.js";
import { MADE_BY, type ServiceFile, type ServiceKind } from "./service-files.js";

/** Longest wait for the manager: longer than a daemon takes to stop. */
const MANAGER_MS = 90_000;

type Surroundings = Pick<CommandIo, "environment">;

/** Whether the manager of this user takes commands. */
export function managerAnswers(kind: ServiceKind, io: Surroundings): boolean {
  if (kind === "launchd") return manage(["launchctl", "print", launchDomain()], io) === undefined;
  return runsSystemd(io.environment) && manage(["systemctl", "--user", "show", "--property=Version"], io) === undefined;
}

/** Lets the manager start the service of these files now and at each login. Returns why it refused. */
export function startService(kind: ServiceKind, paths: readonly string[], io: Surroundings): string | undefined {
  if (kind === "launchd") return manage(["launchctl", "bootstrap", launchDomain(), paths[0] ?? ""], io);
  const units = paths.map((path) => basename(path));
  return reloadUnits(io) ?? manage(["systemctl", "--user", "enable", "--now", ...units], io);
}

/** Has systemd read the units again. */
export function reloadUnits(io: Surroundings): string | undefined {
  return manage(["systemctl", "--user", "daemon-reload"], io);
}

/** The command that lets the manager start the daemon. */
export function startCommand(kind: ServiceKind, name: string): string {
  if (kind === "systemd") return `systemctl --user enable --now ${name}.socket`;
  return `launchctl bootstrap ${launchDomain()} ~/Library/LaunchAgents/${name}.plist`;
}

export interface UnitState {
  readonly unit: string;
  /** As in "active (listening), enabled". */
  readonly state: string;
  /** Whether it does what it is for. A service waits for the first connection of its socket. */
  readonly isOn: boolean;
  /** Whether a daemon runs. */
  readonly runs: boolean;
}

/** The units as their manager has them. Empty where no manager answers. */
export function unitStates(kind: ServiceKind, name: string, io: Surroundings): readonly UnitState[] {
  if (!managerAnswers(kind, io)) return [];
  if (kind === "launchd") {
    const told = run(["launchctl", "print", `${launchDomain()}/${name}`], io);
    const state = valueIn(told.stdout, "state = ") ?? "not loaded";
    return [{ unit: name, state, isOn: told.status === 0, runs: state === "running" }];
  }
  const properties = "--property=ActiveState,SubState,UnitFileState";
  return ["socket", "service"].map((ending) => {
    const unit = `${name}.${ending}`;
    const { stdout } = run(["systemctl", "--user", "show", properties, unit], io);
    const [active = "unknown", sub = "", file = ""] = ["ActiveState=", "SubState=", "UnitFileState="].map((property) =>
      valueIn(stdout, property),
    );
    const isOn = ending === "socket" ? active === "active" : active !== "failed";
    const state = `${active} (${sub})${file === "" ? "" : `, ${file}`}`;
    return { unit, state, isOn, runs: ending === "service" && active === "active" };
  });
}

/** The rest of the first line with this beginning. */
function valueIn(text: string, beginning: string): string | undefined {
  const line = text.split("\n").find((one) => one.trimStart().startsWith(beginning));
  return line?.trimStart().slice(beginning.length);
}

/** Returns why the service of these files may still run. Throws a Fault if systemd refuses: a daemon without its unit is hard to stop. */
export function stopService(kind: ServiceKind, paths: readonly string[], io: Surroundings): string | undefined {
  const { name } = parse(paths[0] ?? "");
  if (kind === "launchd") {
    const refused = manage(["launchctl", "bootout", `${launchDomain()}/${name}`], io);
    return refused && `launchd has stopped nothing: ${refused}`;
  }
  if (!runsSystemd(io.environment)) return "No systemd of this user runs here, so nothing was stopped.";
  const units = paths.map((path) => basename(path));
  const refused = manage(["systemctl", "--user", "disable", "--now", ...units], io);
  if (refused === undefined) return undefined;
  const sentence = `systemd has not stopped the service ${name}, and its files stay: ${refused} Run the command where this user is logged in.`;
  throw new Fault("unsupported", sentence, { origin: "local" });
}

/** Runs a command of the service manager. Returns why it failed. */
function manage(command: readonly string[], io: Surroundings): string | undefined {
  const { status, stderr, error } = run(command, io);
  if (status === 0) return undefined;
  const said = error?.message ?? (stderr.trim() || `${command[0]} ended with ${status}`);
  return said.replace(/\.?$/, ".");
}

function run([program = "", ...options]: readonly string[], { environment }: Surroundings) {
  return spawnSync(program, options, { env: environment, encoding: "utf8", timeout: MANAGER_MS });
}

/** Throws a Fault "usage" if somebody else has written the file. */
export function assertOwn(path: string): void {
  if (!existsSync(path) || readFileSync(path, "utf8").includes(MADE_BY)) return;
  throw usage(`${path} was written by somebody else, and stays as it is. Move it away, and run the command again.`);
}

/** Throws a Fault if it cannot be written. */
export function writeServiceFile({ path, text }: ServiceFile): void {
  changing(path, "written", () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  });
}

/** Throws a Fault if it cannot be removed. */
export function removeFile(path: string): void {
  changing(path, "removed", () => rmSync(path));
}

function changing(path: string, how: string, change: () => void): void {
  try {
    change();
  } catch (caught) {
    const sentence = `${path} cannot be ${how} (${nodeErrorCode(caught)}). Make its folder one that you may write to.`;
    throw new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
  }
}

function launchDomain(): string {
  return `gui/${process.getuid?.() ?? ""}`;
}
