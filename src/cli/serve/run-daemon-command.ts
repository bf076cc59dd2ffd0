// The common part of serve and stdio: configuration, log, start, and the life of the process.
import { currentPlace } from "../../../transports/ipc/paths.js";
import { faultFrom } from "../../base/errors.js";
import type { Configuration, DaemonCommand, ResolvedConfiguration } from "../../daemon/config/config.js";
import { type ConfigurationSources, configFilePath, resolveConfiguration } from "../../daemon/config/config-sources.js";
import { configurationFindings } from "../../daemon/config/configuration-findings.js";
import type { DaemonOptions } from "../../daemon/config/daemon-options.js";
import { variableOf } from "../../daemon/config/option-names.js";
import type { Daemon } from "../../daemon/daemon.js";
import { stopTimes } from "../../daemon/orderly-stop.js";
import { startExitCode } from "../../daemon/platform/exit-codes.js";
import { logComplaints } from "../../daemon/platform/finding.js";
import { takeServiceVariables } from "../../daemon/service-manager/service-variables.js";
import { configurationFlags } from "../shell/configuration-options.js";
import type { CommandContext } from "../shell/context.js";
import { compileEarly, daemonParts, dropLibraryEchoes, keepHeapClose, logOptions } from "../shell/daemon-process.js";

/** Time for the lines of a daemon that could not start, ms. */
const FLUSH_MS = 100;
/** On Windows the signal means that the console was closed; the system then ends the process within a few seconds. */
const CAN_HANG_UP = process.platform !== "win32";

/**
 * Runs a daemon until it ends, and then ends the process. `own`: values of the command itself, which count before those of the configuration.
 * Rejects with a Fault if the daemon cannot start.
 */
export async function runDaemonCommand(
  command: DaemonCommand,
  parsed: Readonly<Record<string, unknown>>,
  context: CommandContext,
  ready: (running: Daemon, options: DaemonOptions) => void,
  own: Partial<Configuration> & Pick<DaemonOptions, "stdioSpeaks"> = {},
): Promise<void> {
  const { io } = context;
  const from: ConfigurationSources = { command, ...configurationFlags(parsed), environment: io.environment };
  let format: unknown = from.flags.logFormat ?? io.environment[variableOf("logFormat")];
  try {
    const resolved = resolveConfiguration(from);
    format = resolved.configuration.logFormat;
    await runConfigured(from, resolved, context, ready, own);
  } catch (caught) {
    // A program that reads the log is told in its form.
    if (format !== "json") throw caught;
    const fault = faultFrom(caught);
    const exitCode = startExitCode(fault);
    const { createLog } = await import("../../daemon/platform/log.js");
    const log = createLog("error", { stream: io.stderr });
    for (const reason of fault.sentence.split("\n"))
      log.error({ code: fault.code, reason, exitCode }, "the daemon could not start");
    await log.flush(FLUSH_MS);
    io.host.exit(exitCode);
  }
}

async function runConfigured(
  from: ConfigurationSources,
  { configuration, sources }: ResolvedConfiguration,
  context: CommandContext,
  ready: (running: Daemon, options: DaemonOptions) => void,
  own: Partial<Configuration> & Pick<DaemonOptions, "stdioSpeaks">,
): Promise<void> {
  const { io } = context;
  const { command } = from;
  let latest = configuration;
  const service = command === "serve" ? takeServiceVariables(io.environment, process.pid) : undefined;
  if (io.ownsProcess) {
    keepHeapClose();
    dropLibraryEchoes();
  }
  // Only after the options were checked, so that a mistyped option is reported early.
  const { createLog, createClock, createIdSource, sha256Hex, readVersion, runDaemon, startDaemon } =
    await daemonParts(context);
  const log = createLog(configuration.logLevel, await logOptions(configuration.logFormat, io.stderr));
  if (command === "serve") logComplaints(configurationFindings(configuration, configFilePath(from)), log);
  // Loaded only where a service manager listens.
  const manager =
    service?.notifySocket === undefined
      ? undefined
      : (await import("../../daemon/service-manager/notify.js")).createServiceManager(service, log);
  const options: DaemonOptions = {
    ...configuration,
    ...own,
    declaredProducerId: sources.producerId.kind === "default" ? undefined : configuration.producerId,
    log,
    clock: createClock(),
    ids: createIdSource(),
    sha256Hex,
    version: readVersion(),
    place: currentPlace(io.environment),
    inheritedSocket: service?.descriptor,
    // Agents may start any number of their own daemons. A second daemon of the user is a mistake that nobody would notice.
    ...(command === "stdio" ? { stdio: context.stdio } : { mostInstances: 1 }),
  };
  await runDaemon<Daemon>({
    host: io.host,
    log,
    manager,
    start: () => startDaemon(options),
    ready: (running) => {
      ready(running, options);
      if (io.ownsProcess) compileEarly();
    },
    stdin: command === "stdio" ? context.stdio.readable : undefined,
    watchParent: configuration.watchParent,
    stopWithinMs: () => stopTimes(latest, command === "stdio").totalMs,
    ...(command === "serve" && CAN_HANG_UP
      ? {
          reload: (running) => {
            latest = resolveConfiguration(from).configuration;
            running.reconfigure(latest);
          },
        }
      : {}),
  });
}
