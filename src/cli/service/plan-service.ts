// The parts of a service of this user: the configuration that it will read, and the command that it runs.
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Fault, usage } from "../../base/errors.js";
import { configFilePath, resolveConfiguration } from "../../daemon/config/config-sources.js";
import { readVersion } from "../../daemon/platform/version.js";
import { isInRunnersCache, packagePath } from "../shell/program-paths.js";
import type { CommandIo } from "../terminal/command-io.js";
import { SERVICE_KINDS, type ServiceKind, type ServicePlan, SPEAK_NAME, serviceName } from "./service-files.js";

export interface ServiceOptions {
  readonly config?: string;
  readonly producerId?: string;
  readonly kind?: string;
  /** The service is that of `aaepd speak`, in place of the daemon's. */
  readonly part?: "speak" | undefined;
}

/** The paths of Node and of this program. A parameter, so that tests can pass others. */
export interface ServicePrograms {
  readonly node: string;
  readonly program: string;
}

const OWN_VARIABLES = /^AAEPD_/;

/** Resolves the configuration and the command. Throws a Fault that says what to do. */
export function planService(
  options: ServiceOptions,
  { environment }: Pick<CommandIo, "environment">,
  programs: ServicePrograms = { node: process.execPath, program: packagePath("bin", "aaepd.js") },
): ServicePlan {
  const { kind, producerId, part } = options;
  const { file, configuration } = configurationOf(options, environment);
  const { node, program } = programs;
  if (isInRunnersCache(program)) {
    const sentence = `This aaepd stands in the cache of npx or its like, which may be emptied at any time. Install it first, as in: ${globally()}`;
    throw usage(sentence);
  }
  return {
    kind: kindOf(kind),
    name: part === "speak" ? SPEAK_NAME : serviceName(configuration),
    configuration,
    command:
      part === "speak"
        ? [node, program, "speak"]
        : [
            ...[node, program, "serve"],
            ...(file === undefined ? [] : ["--config", file]),
            ...(producerId === undefined ? [] : ["--producer-id", producerId]),
          ],
    environment,
  };
}

/** The name of the service. Of a given id no configuration is read: a faulty file keeps no service from its removal. */
export function nameOf(options: ServiceOptions, { environment }: Pick<CommandIo, "environment">): string {
  if (options.part === "speak") return SPEAK_NAME;
  const producerId = options.producerId ?? configurationOf(options, environment).configuration.producerId;
  return serviceName({ producerId });
}

/** The configuration that the service reads, and its file. */
export function configurationOf({ config, producerId }: ServiceOptions, environment: CommandIo["environment"]) {
  const file = config === undefined ? undefined : resolve(configFilePath({ configFile: config, environment }));
  const { configuration } = resolveConfiguration({
    command: "serve",
    flags: producerId === undefined ? {} : { producerId },
    configFile: file,
    environment: Object.fromEntries(Object.entries(environment).filter(([name]) => !OWN_VARIABLES.test(name))),
  });
  return { file, configuration };
}

function globally(): string {
  return `npm install --global /path/to/aaepd-${readVersion()}.tgz`;
}

/**
 * A warning about a program among the packages of a project; undefined for any other. A global folder of packages has no package.json. `installed`:
 * the subject of the sentence. `again`: the command to run with another program.
 */
export function projectNote(
  { command: [, program = ""] }: ServicePlan,
  installed = "The service",
  again = "aaepd service install",
): string | undefined {
  const [folder = ""] = program.split(/(?<=[\\/])node_modules[\\/]/, 1);
  if (folder === program || !existsSync(join(folder, "package.json"))) return undefined;
  return `${installed} runs the aaepd of the project ${dirname(join(folder, "package.json"))}, and fails when that folder or its packages go. One for all projects: ${globally()}, then ${again}`;
}

/** Whether systemd runs for this user. It makes this folder, and commands reach it through this variable. */
export function runsSystemd({ XDG_RUNTIME_DIR: runtime }: CommandIo["environment"]): boolean {
  return runtime !== undefined && existsSync(join(runtime, "systemd"));
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

export function kindOf(asked: string | undefined): ServiceKind {
  if (asked !== undefined) {
    const kind = SERVICE_KINDS.find((one) => one === asked);
    if (kind !== undefined) return kind;
    throw usage(`--kind is "${asked}". Give one of ${SERVICE_KINDS.join(", ")}.`);
  }
  const own = platformKind();
  if (own !== undefined) return own;
  const sentence = `aaepd has no service files for ${process.platform}. See docs/operations.md for what to do instead.`;
  throw new Fault("unsupported", sentence, { origin: "local" });
}
