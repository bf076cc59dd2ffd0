// The files that make the daemon a service of this user: whether they start this program, and whether the manager listens for it.
import { occupantOf } from "../../../transports/ipc/bind.js";
import { ipcPath, isPipeName } from "../../../transports/ipc/paths.js";
import { Fault } from "../../base/errors.js";
import { type InstalledService, installedServices } from "../service/installed-services.js";
import { platformKind, runsSystemd } from "../service/plan-service.js";
import { serviceName } from "../service/service-files.js";
import { managerAnswers } from "../service/service-steps.js";
import { advice, type Finding, fact, problem, shellWord } from "./finding.js";
import type { Patient } from "./patient.js";

export async function serviceFindings(patient: Patient): Promise<readonly Finding[]> {
  const kind = platformKind();
  if (kind === undefined) return [];
  try {
    const found = installedServices(patient.io, kind);
    if (found.length === 0)
      return [
        fact(
          "service",
          "no_service",
          managerAnswers(kind, patient.io)
            ? "No service is installed. To install one, run: aaepd service install"
            : "No service is installed, and no service manager answers here. aaepd setup starts a daemon in the background.",
        ),
      ];
    return [...found.map(serviceFinding), ...(kind === "systemd" ? await managerFindings(found, patient) : [])];
  } catch (caught) {
    // The area of the configuration reports it.
    if (caught instanceof Fault) return [];
    throw caught;
  }
}

function serviceFinding({ name, path, options, missing, outdated, listensElsewhere }: InstalledService): Finding {
  const again = `Run: ${["aaepd service install", ...options.map(shellWord)].join(" ")}`;
  if (missing.length > 0) {
    const message = `${path} names ${missing.join(" and ")}, which does not exist.`;
    return problem("service", "service_program_missing", message, again);
  }
  const files = outdated.map((file) => file.path).join(" and ");
  if (listensElsewhere)
    return problem("service", "service_socket_differs", `${files} names another socket than the configuration.`, again);
  if (outdated.length > 0) {
    const changes = outdated.map(({ path: file, change }) => `${change} in ${file}`).join(", and ");
    return advice("service", "service_outdated", `This aaepd would write ${changes}.`, again);
  }
  return fact("service", "service", `The service ${name} starts this aaepd.`);
}

/** Without a manager no service can have failed. A manager whose service has failed closes the socket, and leaves its file. */
async function managerFindings(
  found: readonly InstalledService[],
  { configuration, place, io }: Patient,
): Promise<readonly Finding[]> {
  const { socket, producerId } = configuration;
  if (!runsSystemd(io.environment)) {
    const message = "No systemd of this user runs here, so nothing starts the service.";
    return [advice("service", "no_manager", message, "Log in as this user where systemd runs, or run: aaepd setup")];
  }
  const name = serviceName({ producerId });
  if (socket.kind === "off" || !found.some((one) => one.name === `${name}.service`)) return [];
  const path = socket.kind === "path" ? socket.path : ipcPath(place, producerId);
  if (isPipeName(path) || (await occupantOf(path, place.userId)).kind !== "dead") return [];
  const remedy = `Read the reason by systemctl --user status ${name}.service and mend it. Then run: systemctl --user reset-failed ${name}.service; systemctl --user restart ${name}.socket`;
  return [
    problem(
      "service",
      "service_failed",
      `Nobody listens at ${path}: the service ${name}.service has failed, or a daemon that was started by hand took its socket and was killed.`,
      remedy,
    ),
  ];
}
