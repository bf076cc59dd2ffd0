// Prints the files of the service, writes them and says what comes next, or removes them. `install` starts nothing, so that a person sees each change
// of what runs at login. `uninstall` also stops the service, because a daemon whose unit is gone is hard to stop.
import { existsSync } from "node:fs";
import { occupantOf } from "../../../transports/ipc/bind.js";
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { tellFindings } from "../shell/finding-lines.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import {
  configurationOf,
  kindOf,
  nameOf,
  planService,
  projectNote,
  type ServiceOptions,
  type ServicePrograms,
  unseenVariables,
} from "./plan-service.js";
import { type ServiceFile, type ServicePlan, SPEAK_NAME, serviceFiles, servicePaths } from "./service-files.js";
import { serviceStatus } from "./service-findings.js";
import { assertOwn, reloadUnits, removeFile, stopService, writeServiceFile } from "./service-steps.js";

export interface ServiceStatusOptions extends ServiceOptions {
  readonly json?: true;
}

/** systemd makes this folder when it starts. */
const SYSTEMD_RUNS = "/run/systemd/system";

export function runServicePrint(options: ServiceOptions, io: CommandIo, programs?: ServicePrograms): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const plan = planService(options, io, programs);
    const files = serviceFiles(plan);
    // A comment in front of XML would spoil it.
    const texts = files.map(({ path, text }) => (plan.kind === "launchd" ? text : `# ${shownText(path)}\n${text}`));
    await writeLines(io.stdout, texts.join("\n").trimEnd().split("\n"));
    tellNotes(plan, io);
    return EXIT.ok;
  });
}

export function runServiceInstall(options: ServiceOptions, io: CommandIo, programs?: ServicePrograms): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const plan = planService(options, io, programs);
    const files = serviceFiles(plan);
    for (const { path } of files) assertOwn(path);
    for (const file of files) writeServiceFile(file);
    const wrote = files.map(({ path }) => `Wrote ${shownText(path)}`);
    await writeLines(io.stdout, [...wrote, ...(await runningLines(plan)), ...nextLines(plan, files)]);
    tellNotes(plan, io);
    return EXIT.ok;
  });
}

/** Reports the files of the service, its manager and its daemon. Changes nothing. */
export function runServiceStatus(options: ServiceStatusOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async () => {
    const { configuration } = configurationOf(options, io.environment);
    const place = currentPlace(io.environment);
    const findings = await serviceStatus(kindOf(undefined), { io, place, configuration });
    return tellFindings(
      findings.map((one) => ({ ...one, area: "service" })),
      options.json === true,
      io,
    );
  });
}

/** Stops the service, and removes the files that `install` has written. */
export function runServiceUninstall(options: ServiceOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const kind = kindOf(options.kind);
    const name = nameOf(options, io);
    const paths = servicePaths(kind, name, io.environment);
    const present = paths.filter((path) => existsSync(path));
    if (present.length === 0) {
      await writeLines(io.stdout, [
        `There is no service ${name} to remove: ${shownText(paths.at(-1) ?? "")} does not exist.`,
      ]);
      return EXIT.ok;
    }
    for (const path of present) assertOwn(path);
    const doubt = stopService(kind, paths, io);
    for (const path of present) removeFile(path);
    if (kind === "systemd" && doubt === undefined) reloadUnits(io);
    const removed = present.map((path) => `Removed ${shownText(path)}`);
    await writeLines(io.stdout, [
      ...removed,
      doubt ?? `The service ${name} has stopped.`,
      ...(options.part === "speak" ? [] : ["The journal and the audit log stay."]),
    ]);
    return EXIT.ok;
  });
}

/** A daemon that was started by hand would lose its socket to the service. */
async function runningLines({
  configuration: { socket, producerId },
  environment,
  kind,
  name,
}: ServicePlan): Promise<readonly string[]> {
  if (name === SPEAK_NAME || socket.kind === "off") return [];
  const place = currentPlace(environment);
  const path = socket.kind === "path" ? socket.path : ipcPath(place, producerId);
  const occupant = await occupantOf(path, place.userId);
  if (occupant.kind !== "alive" || occupant.pid === undefined) return [];
  return [
    `Process ${occupant.pid} listens at ${shownText(path)} now. If it is a daemon that you started by hand, stop it first: kill ${occupant.pid}`,
    ...(kind === "systemd"
      ? [`If it is this service, the new files count after: systemctl --user restart ${name}.service`]
      : []),
  ];
}

function nextLines({ kind, name }: ServicePlan, files: readonly ServiceFile[]): readonly string[] {
  if (kind === "launchd")
    return [
      "The next command starts the daemon, now and at each login:",
      `  launchctl bootstrap gui/$(id -u) '${files[0]?.path}'`,
    ];
  const [reload, enable] = ["  systemctl --user daemon-reload", "  systemctl --user enable --now"];
  if (name === SPEAK_NAME)
    return ["The next commands start it, now and at each login:", reload, `${enable} ${name}.service`];
  return [
    ...(existsSync(SYSTEMD_RUNS) ? [] : ["Note: systemd does not run here, so nothing reads these files yet."]),
    "From the next commands on, the first agent or listener that connects starts the daemon:",
    reload,
    `${enable} ${name}.socket`,
    "To start the daemon at each login as well, for --http and --grpc:",
    `${enable} ${name}.service`,
  ];
}

function tellNotes(plan: ServicePlan, { environment, stderr }: CommandIo): void {
  const names = unseenVariables(environment);
  const unseen =
    names.length === 0
      ? undefined
      : `The service does not see ${names.join(", ")} of this shell. Write such options into the configuration file.`;
  const again = plan.name === SPEAK_NAME ? "aaepd service install speak" : undefined;
  for (const note of [unseen, projectNote(plan, undefined, again)])
    if (note !== undefined) stderr.write(`Note: ${shownText(note)}\n`);
}
