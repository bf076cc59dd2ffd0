// Writes a configuration file in which every option is a comment.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isAlreadyThere, nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault, usage } from "../../base/errors.js";
import { configFilePath } from "../../daemon/config/config-sources.js";
import { writeWhole } from "../../daemon/platform/whole-file.js";
import { EXIT, type ExitCode } from "../shell/exit-codes.js";
import { runCommand } from "../shell/run-command.js";
import type { CommandIo } from "../terminal/command-io.js";
import { writeLines } from "../terminal/line-writer.js";
import { shownText } from "../terminal/shown-text.js";
import { configTemplate } from "./config-template.js";

export interface ConfigInitOptions {
  readonly config?: string;
  readonly force?: true;
}

export function runConfigInit({ config, force }: ConfigInitOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async (): Promise<ExitCode> => {
    const path = resolve(configFilePath({ configFile: config, environment: io.environment }));
    write(path, force === true);
    await writeLines(io.stdout, [
      `Wrote ${shownText(path)}.`,
      "Every option in it is a comment. Remove the slashes before the options that you want to set.",
    ]);
    return EXIT.ok;
  });
}

/** Throws a Fault "usage" if there is a file and `replaces` is false. */
function write(path: string, replaces: boolean): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (replaces) writeWhole(path, configTemplate());
    else writeNew(path);
  } catch (caught) {
    if (caught instanceof Fault) throw caught;
    const sentence = `The file ${path} cannot be written (${nodeErrorCode(caught)}). Name another with --config.`;
    throw new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
  }
}

function writeNew(path: string): void {
  try {
    writeFileSync(path, configTemplate(), { mode: 0o600, flag: "wx" });
  } catch (caught) {
    if (!isAlreadyThere(caught)) throw caught;
    const sentence = `There is a file ${path} already. Replace it with --force, or name another with --config.`;
    throw usage(sentence, caught);
  }
}
