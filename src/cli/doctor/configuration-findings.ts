// Resolves the configuration as `serve` would.
import { existsSync } from "node:fs";
import { isOpen, SERVICE_NAMES } from "../../../transports/ways.js";
import { Fault } from "../../base/errors.js";
import type { Configuration, OptionName } from "../../daemon/config/config.js";
import { OPTION_NAMES } from "../../daemon/config/config-schema.js";
import { type ConfigurationSources, configFilePath, resolveConfiguration } from "../../daemon/config/config-sources.js";
import { configurationFindings } from "../../daemon/config/configuration-findings.js";
import { fallbackOf } from "../../daemon/config/option-names.js";
import { type Finding, fact, problem } from "../../daemon/platform/finding.js";
import { existingToken } from "../../security/lasting-token.js";
import { lastSentenceApart, problemFrom } from "../shell/finding-lines.js";

export interface ExaminedConfiguration {
  /** The defaults if the configuration is refused, so that everything else is examined all the same. */
  readonly configuration: Configuration;
  readonly findings: readonly Finding[];
}

export function examineConfiguration(from: ConfigurationSources): ExaminedConfiguration {
  const path = configFilePath(from);
  try {
    const { configuration } = resolveConfiguration(from);
    const said = existsSync(path)
      ? `${path} can be used.`
      : `There is no file ${path}, so defaults and variables apply.`;
    return {
      configuration,
      findings: [
        ...configurationFindings(configuration, path),
        ...tokenFindings(configuration),
        fact("configuration", said),
      ],
    };
  } catch (caught) {
    if (!(caught instanceof Fault) || caught.code !== "usage") throw caught;
    const findings = caught.sentence.split("\n").map((line) => {
      const [message, remedy] = lastSentenceApart(line);
      return problem("configuration", message, remedy);
    });
    return { configuration: defaults(), findings };
  }
}

/** The token of the operator, as the daemon would read it. */
function tokenFindings(configuration: Configuration): readonly Finding[] {
  const { httpTokenFile } = configuration;
  if (httpTokenFile.kind !== "path" || !SERVICE_NAMES.some((name) => isOpen(name, configuration))) return [];
  try {
    existingToken(httpTokenFile.path, process.getuid?.());
    return [];
  } catch (caught) {
    if (caught instanceof Fault) return [problemFrom(caught)];
    throw caught;
  }
}

function defaults(): Configuration {
  const values: Partial<Record<OptionName, unknown>> = {};
  for (const name of OPTION_NAMES) values[name] = fallbackOf(name, "serve");
  // Every name of the table has been set above.
  return values as Configuration;
}
