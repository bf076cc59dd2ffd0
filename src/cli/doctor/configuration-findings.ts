// Resolves the configuration as `serve` would, and looks at the rights of its file.
import { statSync } from "node:fs";
import { isOpen, SERVICE_NAMES } from "../../../transports/ways.js";
import { Fault } from "../../base/errors.js";
import type { Configuration, OptionName } from "../../daemon/config/config.js";
import { OPTION_NAMES } from "../../daemon/config/config-schema.js";
import { type ConfigurationSources, configFilePath, resolveConfiguration } from "../../daemon/config/config-sources.js";
import { fallbackOf } from "../../daemon/config/option-names.js";
import { existingToken } from "../../security/lasting-token.js";
import { type Finding, fact, lastSentenceApart, problem, problemFrom, shellWord } from "./finding.js";

export interface ExaminedConfiguration {
  /** The defaults if the configuration is refused, so that everything else is examined all the same. */
  readonly configuration: Configuration;
  readonly findings: readonly Finding[];
}

export function examineConfiguration(from: ConfigurationSources): ExaminedConfiguration {
  const path = configFilePath(from);
  try {
    const { configuration } = resolveConfiguration(from);
    const said =
      modeOf(path) === undefined
        ? `There is no file ${path}, so defaults and variables apply.`
        : `${path} can be used.`;
    return {
      configuration,
      findings: [
        ...rightsFindings(path, configuration),
        ...tokenFindings(configuration),
        fact("configuration", "configuration", said),
      ],
    };
  } catch (caught) {
    if (!(caught instanceof Fault) || caught.code !== "usage") throw caught;
    const findings = caught.sentence.split("\n").map((line) => {
      const [message, remedy] = lastSentenceApart(line);
      return problem("configuration", "configuration", message, remedy);
    });
    return { configuration: defaults(), findings };
  }
}

function rightsFindings(path: string, configuration: Configuration): readonly Finding[] {
  const mode = modeOf(path);
  if (mode === undefined || process.platform === "win32") return [];
  const remedy = `Run: chmod 600 ${shellWord(path)}`;
  const hasSecret =
    configuration.a2eAuthToken !== undefined || configuration.a2eProviders.some(({ authToken }) => authToken !== "");
  if (!hasSecret || (mode & 0o044) === 0) return [];
  return [problem("configuration", "file_readable", `Other users can read ${path}, in which a token stands.`, remedy)];
}

/** The token of the operator, as the daemon would read it. */
function tokenFindings(configuration: Configuration): readonly Finding[] {
  const { httpTokenFile } = configuration;
  if (httpTokenFile.kind !== "path" || !SERVICE_NAMES.some((name) => isOpen(name, configuration))) return [];
  try {
    existingToken(httpTokenFile.path, process.getuid?.());
    return [];
  } catch (caught) {
    if (caught instanceof Fault) return [problemFrom("configuration", caught)];
    throw caught;
  }
}

/** Returns undefined if there is no file. */
function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o777;
  } catch {
    return undefined;
  }
}

function defaults(): Configuration {
  const values: Partial<Record<OptionName, unknown>> = {};
  for (const name of OPTION_NAMES) values[name] = fallbackOf(name, "serve");
  // Every name of the table has been set above.
  return values as Configuration;
}
