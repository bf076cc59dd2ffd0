// Lists every fault of a configuration file.

import { existsSync } from "node:fs";
import { usage } from "../../base/errors.js";
import { faultsOf } from "../../daemon/config/config-file.js";
import { CONFIG_VARIABLE, configFilePath, readConfigFile } from "../../daemon/config/config-sources.js";
import { faultLine, placeOf } from "../shell/fault-lines.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { counted } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";

export interface ConfigCheckOptions {
  readonly config?: string;
  readonly json?: true;
}

export function runConfigCheck(path: string | undefined, options: ConfigCheckOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    if (path !== undefined && options.config !== undefined)
      throw usage("FILE and --config name one file. Leave one of them out.");
    const named = path ?? options.config ?? io.environment[CONFIG_VARIABLE];
    const place = configFilePath({ configFile: path ?? options.config, environment: io.environment });
    const asJson = options.json === true;
    if (named === undefined && !existsSync(place)) {
      const nothing = `There is no file ${shownText(place)}, so every option has its default: nothing wrong.`;
      await writeLines(io.stdout, asJson ? [] : [nothing]);
      return EXIT.ok;
    }
    const file = readConfigFile(place);
    const faults = faultsOf(file);
    // Every fault has the same code and rule, so that people read them once.
    const lines = faults.map(({ line, fault }) =>
      asJson ? faultLine(line, fault, true) : shownText(`${placeOf(line, fault)}: ${fault.sentence}`),
    );
    const found = faults.length === 0 ? "nothing wrong" : `${counted(faults.length, "fault")} (usage)`;
    await writeLines(io.stdout, asJson ? lines : [...lines, `${shownText(file.path)}: ${found}.`]);
    return faults.length === 0 ? EXIT.ok : EXIT.fault;
  });
}
