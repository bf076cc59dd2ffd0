// The changes that `aaepd hook install` and `uninstall` make to the files of a host, known before anything is written.
import { spawnSync } from "node:child_process";
import { isAbsolute } from "node:path";
import type { HookHostId } from "../../adapters/hooks/hook-host.js";
import { givenName } from "../../adapters/names.js";
import { usage } from "../../base/errors.js";
import { shellWord } from "../../daemon/platform/finding.js";
import { chosenSocket } from "../shell/find-socket.js";
import { isInRunnersCache } from "../shell/program-paths.js";
import type { CommandIo } from "../terminal/command-io.js";
import {
  type HookPrograms,
  isOurCommand,
  isShim,
  readSettings,
  shimPath,
  shimText,
  writeSettings,
  writeShim,
} from "./hook-files.js";
import { eventsOf, mayBeLate, SETTINGS_HOSTS, type SettingsHost, TELL_SECONDS } from "./hook-hosts.js";
import { type Change, type Entry, entriesIn, type Settings, withEntries } from "./settings-edit.js";

export interface InstallOptions {
  readonly observe?: true;
  readonly answer?: true;
  readonly name?: string;
  readonly language?: string;
  readonly socket?: string;
  readonly hostVersion?: string;
  readonly print?: true;
}

/** The new settings of a host. */
export interface HookPlan {
  readonly host: SettingsHost;
  /** Of the settings. */
  readonly path: string;
  /** "" for a file that is not there. */
  readonly before: string;
  readonly text: string;
  readonly changes: readonly Change[];
}

export interface InstallPlan extends HookPlan {
  readonly shim: string;
  /** Whether the shim is there, and starts these programs. */
  readonly hasShim: boolean;
  /** The line of each hook. */
  readonly command: string;
  /** The settings have hooks of ours with another line: a person has chosen other options. */
  readonly isOtherwise: boolean;
  /** Undefined: unknown. */
  readonly version: string | undefined;
}

const VERSION_MS = 10_000;

/** Asks the host for its version. Throws a Fault "usage" for settings that cannot be read, and for programs that may be gone tomorrow. */
export function planInstall(
  id: HookHostId,
  options: InstallOptions,
  io: Pick<CommandIo, "environment">,
  programs: HookPrograms,
): InstallPlan {
  assertLasting(programs.relay);
  const host = SETTINGS_HOSTS[id];
  const version = options.hostVersion ?? versionOf(host, io);
  const shim = shimPath(io.environment);
  // A relative one would be looked for in the folder of the host, where anybody's project may stand.
  if (!isAbsolute(shim)) throw usage(`HOME is ${JSON.stringify(io.environment.HOME)}. Set it to an absolute path.`);
  const command = commandOf(host, shim, options, io);
  const wanted = new Map(
    eventsOf(host, version).map(({ event, asks, mayBeLate: late }): [string, Entry] => [
      event,
      {
        type: "command",
        command,
        timeout: asks === true && answers(host, options) ? host.askSeconds : TELL_SECONDS,
        ...(late === true && mayBeLate(host, version) ? { async: true } : {}),
      },
    ]),
  );
  const settings = settingsOf(id, io.environment);
  const { path } = settings;
  // Of an unknown version it is enough that somebody has installed the event.
  if (version === undefined)
    for (const [event, entry] of entriesIn(settings)) if (entry.command === command) wanted.set(event, entry);
  const isOtherwise = [...entriesIn(settings).values()].some((entry) => entry.command !== command);
  const { text, changes } = withEntries(settings, wanted);
  return {
    host,
    path,
    before: settings.text,
    text,
    changes,
    shim,
    hasShim: isShim(shim, shimText(programs)),
    command,
    isOtherwise,
    version,
  };
}

/** Throws a Fault "usage" for settings that cannot be read. */
export function planUninstall(id: HookHostId, io: Pick<CommandIo, "environment">): HookPlan {
  const settings = settingsOf(id, io.environment);
  const { path, text: before } = settings;
  return { host: SETTINGS_HOSTS[id], path, before, ...withEntries(settings, new Map()) };
}

/** The settings of a host. Throws a Fault for settings that cannot be read. */
export function settingsOf(id: HookHostId, environment: CommandIo["environment"]): Settings {
  const path = SETTINGS_HOSTS[id].settings(environment);
  return { path, text: readSettings(path), isOurs: isOurCommand(id) };
}

/** Writes the settings if they change, and first the shim that they name. Throws a Fault for a file that cannot be written. */
export function writePlan(
  { path, before, text, changes, ...plan }: HookPlan | InstallPlan,
  programs: HookPrograms,
): void {
  if ("shim" in plan) writeShim(plan.shim, shimText(programs));
  if (changes.length > 0) writeSettings(path, text, before);
}

function answers({ answersByDefault }: SettingsHost, { answer, observe }: InstallOptions): boolean {
  return observe !== true && (answersByDefault || answer === true);
}

/** The same for each event, and the same again as long as the options are: hosts ask for trust in each other one. */
function commandOf(
  host: SettingsHost,
  shim: string,
  options: InstallOptions,
  { environment }: Pick<CommandIo, "environment">,
): string {
  const { name, language, socket } = options;
  const chosen = socket === undefined ? undefined : chosenSocket(socket, environment)?.path;
  const words = [
    ...(answers(host, options) ? ["--answer"] : []),
    ...(name === undefined ? [] : ["--name", wordOf(givenName(name))]),
    ...(language === undefined ? [] : ["--language", language]),
    ...(chosen === undefined ? [] : ["--socket", wordOf(chosen)]),
  ];
  return [wordOf(shim), host.id, ...words].join(" ");
}

function wordOf(text: string): string {
  if (process.platform !== "win32") return shellWord(text);
  return /^[\w./:@\\-]+$/.test(text) ? text : `"${text}"`;
}

/** Throws a Fault "usage" for a program that may be gone tomorrow. */
function assertLasting(program: string): void {
  if (!isInRunnersCache(program)) return;
  throw usage(
    "This aaepd stands in the cache of npx or its like, which may be emptied at any time. Install aaepd first.",
  );
}

function versionOf({ program }: SettingsHost, { environment }: Pick<CommandIo, "environment">): string | undefined {
  const { stdout } = spawnSync(program, ["--version"], {
    env: environment,
    encoding: "utf8",
    timeout: VERSION_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return /\b\d{1,4}\.\d{1,4}\.\d{1,6}\b/.exec(stdout ?? "")?.[0];
}
