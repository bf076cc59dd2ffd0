// The files that make the daemon a service of this user: whether they start this program, and whether a new installation would change them.
import { Fault } from "../../base/errors.js";
import { installedServices } from "../service/installed-services.js";
import { platformKind } from "../service/plan-service.js";
import { advice, type Finding, fact, problem, shellWord } from "./finding.js";
import type { Patient } from "./patient.js";

export function serviceFindings({ io }: Pick<Patient, "io">): readonly Finding[] {
  const kind = platformKind();
  if (kind === undefined) return [];
  try {
    const found = installedServices(io, kind);
    if (found.length === 0)
      return [fact("service", "no_service", "No service is installed. To install one, run: aaepd service install")];
    return found.map(({ name, path, options, missing, outdated }) => {
      const again = `Run: ${["aaepd service install", ...options.map(shellWord)].join(" ")}`;
      if (missing.length > 0)
        return problem(
          "service",
          "service_program_missing",
          `${path} names ${missing.join(" and ")}, which does not exist.`,
          again,
        );
      if (outdated.length > 0)
        return advice(
          "service",
          "service_outdated",
          `This aaepd would write ${outdated.join(" and ")} in another way.`,
          again,
        );
      return fact("service", "service", `The service ${name} starts this aaepd.`);
    });
  } catch (caught) {
    // The area of the configuration reports it.
    if (caught instanceof Fault) return [];
    throw caught;
  }
}
