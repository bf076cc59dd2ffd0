// The record of what setup has made, by which it is undone: a file in the user's own folder of state, written before each step.
import { existsSync, lstatSync, mkdirSync, readFileSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeErrorCode } from "../../../transports/node-errors.js";
import type { HookHostId } from "../../adapters/hooks/hook-host.js";
import { Fault, usage } from "../../base/errors.js";
import { stateDirectory } from "../../daemon/platform/state-directory.js";
import { writeWhole } from "../../daemon/platform/whole-file.js";
import type { ServiceKind } from "../service/service-files.js";
import type { CommandIo } from "../terminal/command-io.js";

/** Undefined members: setup has made nothing of the kind. */
export interface Made {
  /** Files and folders that were not there before, each folder before what is in it. */
  readonly paths: readonly string[];
  readonly hooks: readonly HookHostId[];
  readonly service?: { readonly kind: ServiceKind; readonly name: string } | undefined;
  readonly daemon?: { readonly pid: number; readonly socketPath: string };
  /** Whether `aaepd speak` is a service. */
  readonly speaks?: true;
}

const NOTHING: Made = { paths: [], hooks: [] };

export type SetupRecord = ReturnType<typeof setupRecord>;

export function setupRecord({ environment }: Pick<CommandIo, "environment">) {
  const folder = stateDirectory(environment, "setup");
  const [path, log] = [join(folder, "made.json"), join(folder, "serve.log")];
  const read = (): Made | undefined => {
    if (!existsSync(path)) return undefined;
    const made = parsed(readFileSync(path, "utf8"));
    if (Array.isArray(made.paths) && Array.isArray(made.hooks)) return made as Made;
    const sentence = `${path} is no record of setup. Remove it. To undo by hand: aaepd hook uninstall, aaepd service uninstall.`;
    throw usage(sentence);
  };
  return {
    /** The log of a daemon in the background. */
    log,
    /** Undefined without a record. Throws a Fault for a file that is none. */
    read,
    /** Adds to what was made earlier, and notes which of these paths are not there. Throws a Fault if it cannot be written. */
    note: ({ paths = [], hooks = [], ...more }: Partial<Made>): void => {
      try {
        const before = read() ?? NOTHING;
        const missing = [folder, ...paths].flatMap(missingAt);
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        const made: Made = {
          ...before,
          ...more,
          paths: [...new Set([...before.paths, ...missing])],
          hooks: [...new Set([...before.hooks, ...hooks])],
        };
        writeWhole(path, `${JSON.stringify(made, undefined, 2)}\n`);
      } catch (caught) {
        const sentence = `${path} cannot be written (${nodeErrorCode(caught)}), and nothing is done that could not be undone. Make its folder one that you may write to.`;
        throw new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
      }
    },
    /** Removes the record, the log, and the folders that have become empty. */
    remove: (): void => {
      const folders = read()?.paths ?? [];
      for (const one of [path, log]) rmSync(one, { force: true });
      for (const one of folders.toReversed()) removeIfEmpty(one);
    },
  };
}

/** {} for what is no object of JSON. */
function parsed(text: string): Partial<Made> {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

/** The path and the folders above it that are not there, from above. */
function missingAt(path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined || path === dirname(path)) return [];
  return [...missingAt(dirname(path)), path];
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It has something of somebody else, or is gone.
  }
}
