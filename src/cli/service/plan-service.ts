// The parts of a service of this user: the configuration that it will read, and the command that it runs.
import { resolve } from "node:path";
import { Fault } from "../../base/errors.js";
import { configFilePath, resolveConfiguration } from "../../daemon/config/config-sources.js";
import { readVersion } from "../../daemon/platform/version.js";
import { packagePath } from "../shell/package-path.js";
import type { CommandIo } from "../terminal/command-io.js";
import { SERVICE_KINDS, type ServiceKind, type ServicePlan } from "./service-files.js";

export interface ServiceOptions {
  readonly config?: string;
  readonly producerId?: string;
  readonly kind?: string;
}

/** The paths of Node and of this program. A parameter, so that tests can pass others. */
export interface ServicePrograms {
  readonly node: string;
  readonly program: string;
}

const OWN_VARIABLES = /^AAEPD_/;

/** Resolves the configuration and the command. Throws a Fault that says what to do. */
export function planService(
  { config, producerId, kind }: ServiceOptions,
  { environment }: Pick<CommandIo, "environment">,
  programs: ServicePrograms = { node: process.execPath, program: packagePath("bin", "aaepd.js") },
): ServicePlan {
  const file = config === undefined ? undefined : resolve(configFilePath({ configFile: config, environment }));
  const { configuration } = resolveConfiguration({
    command: "serve",
    flags: producerId === undefined ? {} : { producerId },
    configFile: file,
    environment: Object.fromEntries(Object.entries(environment).filter(([name]) => !OWN_VARIABLES.test(name))),
  });
  const { node, program } = programs;
  if (/[\\/]_npx[\\/]/.test(program)) {
    const sentence = `This aaepd stands in the cache of npx, which npm may empty at any time. Install it first, as in: npm install --global /path/to/aaepd-${readVersion()}.tgz`;
    throw new Fault("usage", sentence, { origin: "local" });
  }
  return {
    kind: kindOf(kind),
    configuration,
    command: [
      node,
      program,
      "serve",
      ...(file === undefined ? [] : ["--config", file]),
      ...(producerId === undefined ? [] : ["--producer-id", producerId]),
    ],
    environment,
  };
}

/** The variables of options in a shell. No service sees them. */
export function unseenVariables(environment: CommandIo["environment"]): readonly string[] {
  return Object.keys(environment).filter((name) => OWN_VARIABLES.test(name));
}

/** The service manager of this platform; undefined if aaepd has no files for it. */
export function platformKind(): ServiceKind | undefined {
  if (process.platform === "linux") return "systemd";
  return process.platform === "darwin" ? "launchd" : undefined;
}

function kindOf(asked: string | undefined): ServiceKind {
  if (asked !== undefined) {
    const kind = SERVICE_KINDS.find((one) => one === asked);
    if (kind !== undefined) return kind;
    throw new Fault("usage", `--kind is "${asked}". Give one of ${SERVICE_KINDS.join(", ")}.`, { origin: "local" });
  }
  const own = platformKind();
  if (own !== undefined) return own;
  const sentence = `aaepd has no service files for ${process.platform}. See docs/operations.md for what to do instead.`;
  throw new Fault("unsupported", sentence, { origin: "local" });
}
