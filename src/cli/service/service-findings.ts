// The files that make the daemon a service of this user: whether they start this program, and whether the manager listens for it.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, join, parse } from "node:path";
import { occupantOf } from "../../../transports/ipc/bind.js";
import { type IpcPlace, ipcPath, isPipeName } from "../../../transports/ipc/paths.js";
import { Fault } from "../../base/errors.js";
import type { Configuration } from "../../daemon/config/config.js";
import { advice, type Finding, fact, problem, shellWord } from "../../daemon/platform/finding.js";
import { askStatus } from "../status/ask-status.js";
import { span } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { planService, platformKind, runsSystemd, type ServicePrograms } from "./plan-service.js";
import { MADE_BY, type ServiceKind, SPEAK_NAME, serviceFiles, serviceName, unitDirectory } from "./service-files.js";
import { managerAnswers, startCommand, type UnitState, unitStates } from "./service-steps.js";

/** The daemon that the service is for, as its configuration has it. */
export interface Served {
  readonly io: Pick<CommandIo, "environment" | "clock">;
  readonly place: IpcPlace;
  readonly configuration: Configuration;
}

const NO_MANAGER = advice(
  "no_manager",
  "No service manager of this user runs here, so nothing starts the service.",
  "Log in as this user where it runs, or run: aaepd setup",
);

/** Of all services of this user. */
export async function serviceFindings(served: Served): Promise<readonly Finding[]> {
  const kind = platformKind();
  if (kind === undefined) return [];
  const { io } = served;
  try {
    const found = installedServices(io, kind);
    if (found.length > 0)
      return [...found.map(serviceFinding), ...(kind === "systemd" ? await managerFindings(found, served) : [])];
  } catch (caught) {
    // The area of the configuration reports it.
    if (caught instanceof Fault) return [];
    throw caught;
  }
  const hint = managerAnswers(kind, io)
    ? "To install one, run: aaepd service install"
    : "No service manager answers here. aaepd setup starts a daemon in the background.";
  return [fact("no_service", `No service is installed. ${hint}`)];
}

/** Of the service of one daemon: its files, what the manager says of them, and the daemon itself. */
export async function serviceStatus(kind: ServiceKind, served: Served): Promise<readonly Finding[]> {
  const { io, configuration } = served;
  const { producerId } = configuration;
  const name = serviceName(configuration);
  const found = installedServices(io, kind).filter((one) => parse(one.name).name === name);
  const options = producerId === "aaepd" ? "" : ` --producer-id ${shellWord(producerId)}`;
  if (found.length === 0)
    return [problem("no_service", `The service ${name} is not installed.`, `Run: aaepd service install${options}`)];
  const units = unitStates(kind, name, io);
  // A question to a socket at which the manager listens would start the daemon.
  const mayBeAsked = units.some(({ runs }) => runs);
  return [
    ...found.map(serviceFinding),
    ...(units.length === 0 ? [NO_MANAGER] : units.map((one) => unitFinding(one, kind, name))),
    ...(mayBeAsked ? [await daemonFinding(kind, served)] : []),
  ];
}

function unitFinding({ unit, state, isOn }: UnitState, kind: ServiceKind, name: string): Finding {
  if (isOn) return fact("unit", `${unit} is ${state}.`);
  if (state.startsWith("failed")) return problem("service_failed", `${unit} is ${state}.`, afterFailure(name));
  return problem("unit_off", `${unit} is ${state}, so nothing starts the daemon.`, `Run: ${startCommand(kind, name)}`);
}

function afterFailure(name: string): string {
  return `Read the reason by systemctl --user status ${name}.service and mend it. Then run: systemctl --user reset-failed ${name}.service; systemctl --user restart ${name}.socket`;
}

async function daemonFinding(kind: ServiceKind, { io, place, configuration }: Served): Promise<Finding> {
  const { socket, producerId } = configuration;
  const path = socket.kind === "path" ? socket.path : ipcPath(place, producerId);
  try {
    const { pid, uptime_seconds: seconds, version } = await askStatus(path, io);
    return fact("daemon", `The daemon answers at ${path}: process ${pid}, aaepd ${version}, up ${span(seconds)}.`);
  } catch {
    const remedy = kind === "systemd" ? afterFailure(serviceName(configuration)) : "Run: aaepd setup";
    return problem("no_answer", `No daemon answers at ${path}.`, remedy);
  }
}

function serviceFinding({ name, path, options, missing, outdated, listensElsewhere }: InstalledService): Finding {
  const again = `Run: ${["aaepd service install", ...options.map(shellWord)].join(" ")}`;
  if (missing.length > 0) {
    const message = `${path} names ${missing.join(" and ")}, which does not exist.`;
    return problem("service_program_missing", message, again);
  }
  const files = outdated.map((file) => file.path).join(" and ");
  if (listensElsewhere)
    return problem("service_socket_differs", `${files} names another socket than the configuration.`, again);
  if (outdated.length > 0) {
    const changes = outdated.map(({ path: file, change }) => `${change} in ${file}`).join(", and ");
    return advice("service_outdated", `This aaepd would write ${changes}.`, again);
  }
  return fact("service", `The service ${name} starts this aaepd.`);
}

/** Without a manager no service can have failed. A manager whose service has failed closes the socket, and leaves its file. */
async function managerFindings(
  found: readonly InstalledService[],
  { configuration, place, io }: Served,
): Promise<readonly Finding[]> {
  const { socket, producerId } = configuration;
  if (!runsSystemd(io.environment)) return [NO_MANAGER];
  const name = serviceName({ producerId });
  if (socket.kind === "off" || !found.some((one) => one.name === `${name}.service`)) return [];
  const path = socket.kind === "path" ? socket.path : ipcPath(place, producerId);
  if (isPipeName(path) || (await occupantOf(path, place.userId)).kind !== "dead") return [];
  return [
    problem(
      "service_failed",
      `Nobody listens at ${path}: the service ${name}.service has failed, or a daemon that was started by hand took its socket and was killed.`,
      afterFailure(name),
    ),
  ];
}

export interface InstalledService {
  /** The file with the command, as in "aaepd.service". */
  readonly name: string;
  readonly path: string;
  /** The arguments behind `aaepd service install` that wrote the file. */
  readonly options: readonly string[];
  /** Programs and files of the command that do not exist. */
  readonly missing: readonly string[];
  /** Files that `aaepd service install` would write in another way now. */
  readonly outdated: readonly OutdatedFile[];
  /** Whether one of them makes the manager listen at another address than the daemon. */
  readonly listensElsewhere: boolean;
}

interface OutdatedFile {
  readonly path: string;
  /** The first line that differs, as in `TimeoutStopSec=70 (now TimeoutStopSec=20)`. */
  readonly change: string;
}

/** The services of this user, made by this program. Throws a Fault if the configuration of one cannot be used. */
export function installedServices(
  io: Pick<CommandIo, "environment">,
  kind: ServiceKind,
  programs?: ServicePrograms,
): readonly InstalledService[] {
  const { HOME = homedir() } = io.environment;
  const [directory, ending] =
    kind === "systemd"
      ? [unitDirectory(io.environment), ".service"]
      : [join(HOME, "Library", "LaunchAgents"), ".plist"];
  const names = existsSync(directory) ? readdirSync(directory) : [];
  return names
    .filter((name) => name.startsWith("aaepd") && name.endsWith(ending) && name !== `${SPEAK_NAME}.service`)
    .flatMap((name) => {
      const path = join(directory, name);
      const text = readIfFile(path);
      return text.includes(MADE_BY) ? [examined(path, text, io, kind, programs)] : [];
    });
}

function examined(
  path: string,
  text: string,
  io: Pick<CommandIo, "environment">,
  kind: ServiceKind,
  programs: ServicePrograms | undefined,
): InstalledService {
  const [node = "", program = "", , ...options] = kind === "systemd" ? systemdWords(text) : plistWords(text);
  const config = argumentOf(options, "--config");
  const producerId = argumentOf(options, "--producer-id");
  const missing = [node, program, ...(config === undefined ? [] : [config])].filter((one) => !existsSync(one));
  const chosen = {
    kind,
    ...(config === undefined ? {} : { config }),
    ...(producerId === undefined ? {} : { producerId }),
  };
  const outdated =
    missing.length > 0
      ? []
      : serviceFiles(planService(chosen, io, programs)).filter((file) => readIfFile(file.path) !== file.text);
  const listensElsewhere = outdated.some((file) => listensAt(readIfFile(file.path)) !== listensAt(file.text));
  return {
    name: basename(path),
    path,
    options,
    missing,
    outdated: outdated.map(({ path: file, text: wanted }) => ({
      path: file,
      change: firstChange(readIfFile(file), wanted),
    })),
    listensElsewhere,
  };
}

function firstChange(present: string, wanted: string): string {
  const [now, next] = [present, wanted].map((text) => text.split("\n"));
  const gone = now?.find((line) => next?.includes(line) === false);
  const added = next?.find((line) => now?.includes(line) === false);
  if (present === "") return "the whole file";
  if (added === undefined) return gone === undefined ? "its lines in another order" : `no ${gone}`;
  return `${added} (now ${gone ?? "missing"})`;
}

function listensAt(text: string): string | undefined {
  return /^ListenStream=(.*)$/m.exec(text)?.[1];
}

function argumentOf(options: readonly string[], flag: string): string | undefined {
  const at = options.indexOf(flag);
  return at < 0 ? undefined : options[at + 1];
}

function readIfFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** The words of `ExecStart`, in the spelling of `systemdWord`. */
function systemdWords(text: string): readonly string[] {
  const line = /^ExecStart=:(.*)$/m.exec(text)?.[1] ?? "";
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|[^\s"]+/g)].map(([word, quoted]) =>
    (quoted === undefined ? word : quoted.replaceAll(/\\(.)/g, "$1")).replaceAll("%%", "%"),
  );
}

/** The texts in `ProgramArguments`, in the spelling of `xmlText`. */
function plistWords(text: string): readonly string[] {
  const array = text.slice(text.indexOf("<array>"), text.indexOf("</array>"));
  return [...array.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word = ""]) =>
    word.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"),
  );
}
