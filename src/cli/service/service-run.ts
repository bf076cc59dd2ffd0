// Prints the files of the service, or writes them and says what comes next.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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
import { planService, type ServiceOptions, type ServicePrograms, unseenVariables } from "./plan-service.js";
import { MADE_BY, type ServiceFile, type ServicePlan, serviceFiles, serviceName } from "./service-files.js";

/** systemd makes this folder when it starts. */
const SYSTEMD_RUNS = "/run/systemd/system";

export function runServicePrint(options: ServiceOptions, io: CommandIo, programs?: ServicePrograms): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const plan = planService(options, io, programs);
    const files = serviceFiles(plan);
    // A comment in front of XML would spoil it.
    const texts = files.map(({ path, text }) => (plan.kind === "launchd" ? text : `# ${shownText(path)}\n${text}`));
    await write(io, texts.join("\n").trimEnd().split("\n"));
    tellUnseen(io);
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
    tellUnseen(io);
    return EXIT.ok;
  });
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

function tellUnseen({ environment, stderr }: CommandIo): void {
  const names = unseenVariables(environment);
  if (names.length === 0) return;
  const text = `The service does not see ${names.join(", ")} of this shell. Write such options into the configuration file.`;
  stderr.write(`Note: ${shownText(text)}\n`);
}
