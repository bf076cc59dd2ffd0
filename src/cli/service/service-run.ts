// Prints the files of the service, writes them and says what comes next, or removes them.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { occupantOf } from "../../../transports/ipc/bind.js";
import { ipcPath } from "../../../transports/ipc/paths.js";
import { nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { createLineWriter } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import {
  kindOf,
  planService,
  producerIdOf,
  projectNote,
  runsSystemd,
  type ServiceOptions,
  type ServicePrograms,
  unseenVariables,
} from "./plan-service.js";
import {
  MADE_BY,
  type ServiceFile,
  type ServiceKind,
  type ServicePlan,
  serviceFiles,
  serviceName,
  servicePaths,
} from "./service-files.js";

/** systemd makes this folder when it starts. */
const SYSTEMD_RUNS = "/run/systemd/system";

export function runServicePrint(options: ServiceOptions, io: CommandIo, programs?: ServicePrograms): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const plan = planService(options, io, programs);
    const files = serviceFiles(plan);
    // A comment in front of XML would spoil it.
    const texts = files.map(({ path, text }) => (plan.kind === "launchd" ? text : `# ${shownText(path)}\n${text}`));
    await write(io, texts.join("\n").trimEnd().split("\n"));
    tellNotes(plan, io);
    return EXIT.ok;
  });
}

export function runServiceInstall(options: ServiceOptions, io: CommandIo, programs?: ServicePrograms): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const plan = planService(options, io, programs);
    const files = serviceFiles(plan);
    for (const { path } of files) assertOwn(path);
    for (const file of files) writeFile(file);
    const wrote = files.map(({ path }) => `Wrote ${shownText(path)}`);
    await write(io, [...wrote, ...(await runningLines(plan)), ...nextLines(plan, files)]);
    tellNotes(plan, io);
    return EXIT.ok;
  });
}

/** Stops the service, and removes the files that `install` has written. */
export function runServiceUninstall(options: ServiceOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const kind = kindOf(options.kind);
    const name = serviceName({ producerId: producerIdOf(options, io) });
    const paths = servicePaths(kind, name, io.environment);
    const present = paths.filter((path) => existsSync(path));
    if (present.length === 0) {
      await write(io, [`There is no service ${name} to remove: ${shownText(paths.at(-1) ?? "")} does not exist.`]);
      return EXIT.ok;
    }
    for (const path of present) assertOwn(path);
    const doubt = stop(kind, name, io);
    for (const path of present) remove(path);
    if (kind === "systemd" && doubt === undefined) manage(["systemctl", "--user", "daemon-reload"], io);
    const removed = present.map((path) => `Removed ${shownText(path)}`);
    await write(io, [...removed, doubt ?? `The service ${name} has stopped.`, "The journal and the audit log stay."]);
    return EXIT.ok;
  });
}

/** Returns why the service may still run. Throws a Fault if systemd refuses: a daemon without its unit is hard to stop. */
function stop(kind: ServiceKind, name: string, io: CommandIo): string | undefined {
  if (kind === "launchd") {
    const refused = manage(["launchctl", "bootout", `gui/${process.getuid?.() ?? ""}/${name}`], io);
    return refused && `launchd has stopped nothing: ${refused}`;
  }
  if (!runsSystemd(io.environment)) return "No systemd of this user runs here, so nothing was stopped.";
  const refused = manage(["systemctl", "--user", "disable", "--now", `${name}.socket`, `${name}.service`], io);
  if (refused === undefined) return undefined;
  const sentence = `systemd has not stopped the service ${name}, and its files stay: ${refused} Run the command where this user is logged in.`;
  throw new Fault("unsupported", sentence, { origin: "local" });
}

/** Runs a command of the service manager. Returns why it failed. */
function manage([program = "", ...options]: readonly string[], { environment }: CommandIo): string | undefined {
  const { status, stderr, error } = spawnSync(program, options, { env: environment, encoding: "utf8" });
  if (status === 0) return undefined;
  const said = error?.message ?? (stderr.trim() || `${program} ended with ${status}`);
  return said.replace(/\.?$/, ".");
}

function remove(path: string): void {
  try {
    rmSync(path);
  } catch (caught) {
    const sentence = `${path} cannot be removed (${nodeErrorCode(caught)}). Make its folder one that you may write to.`;
    throw new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
  }
}

async function write({ stdout }: CommandIo, lines: readonly string[]): Promise<void> {
  const output = createLineWriter(stdout);
  for (const line of lines) await output.write(line);
  await output.flush();
}

/** Throws a Fault "usage" if somebody else has written the file. */
function assertOwn(path: string): void {
  if (!existsSync(path) || readFileSync(path, "utf8").includes(MADE_BY)) return;
  const sentence = `${path} was written by somebody else, and stays as it is. Move it away, and run the command again.`;
  throw new Fault("usage", sentence, { origin: "local" });
}

function writeFile({ path, text }: ServiceFile): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (caught) {
    const sentence = `${path} cannot be written (${nodeErrorCode(caught)}). Make its folder one that you may write to.`;
    throw new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
  }
}

/** A daemon that was started by hand would lose its socket to the service. */
async function runningLines({
  configuration: { socket, producerId },
  environment,
  ...plan
}: ServicePlan): Promise<readonly string[]> {
  if (socket.kind === "off") return [];
  const place = { platform: process.platform, environment, userId: process.getuid?.() };
  const path = socket.kind === "path" ? socket.path : ipcPath(place, producerId);
  const occupant = await occupantOf(path, place.userId);
  if (occupant.kind !== "alive" || occupant.pid === undefined) return [];
  return [
    `Process ${occupant.pid} listens at ${shownText(path)} now. If it is a daemon that you started by hand, stop it first: kill ${occupant.pid}`,
    ...(plan.kind === "systemd"
      ? [
          `If it is this service, the new files count after: systemctl --user restart ${serviceName({ producerId })}.service`,
        ]
      : []),
  ];
}

function nextLines({ kind, configuration }: ServicePlan, files: readonly ServiceFile[]): readonly string[] {
  const name = serviceName(configuration);
  switch (kind) {
    case "systemd":
      return [
        ...(existsSync(SYSTEMD_RUNS) ? [] : ["Note: systemd does not run here, so nothing reads these files yet."]),
        "From the next commands on, the first agent or listener that connects starts the daemon:",
        "  systemctl --user daemon-reload",
        `  systemctl --user enable --now ${name}.socket`,
        "To start the daemon at each login as well, for --http and --grpc:",
        `  systemctl --user enable --now ${name}.service`,
      ];
    case "launchd":
      return [
        "The next command starts the daemon, now and at each login:",
        `  launchctl bootstrap gui/$(id -u) '${files[0]?.path}'`,
      ];
  }
}

function tellNotes(plan: ServicePlan, { environment, stderr }: CommandIo): void {
  const names = unseenVariables(environment);
  const unseen =
    names.length === 0
      ? undefined
      : `The service does not see ${names.join(", ")} of this shell. Write such options into the configuration file.`;
  for (const note of [unseen, projectNote(plan)]) if (note !== undefined) stderr.write(`Note: ${shownText(note)}\n`);
}
