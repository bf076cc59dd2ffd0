// `aaepd hook install` and `uninstall`: show the difference, write the files, and say who hears.
import { spawnSync } from "node:child_process";
import type { HookHostId } from "../../adapters/hooks/hook-host.js";
import { givenName } from "../../adapters/names.js";
import { Fault, faultFrom } from "../../base/errors.js";
import { chosenSocket } from "../shell/chosen-socket.js";
import { EXIT } from "../shell/exit-codes.js";
import { findSocket } from "../shell/find-socket.js";
import { runCommand } from "../shell/run-command.js";
import { askStatus } from "../status/ask-status.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";
import {
  currentPrograms,
  type HookPrograms,
  isOurCommand,
  quoted,
  readSettings,
  shimPath,
  shimText,
  writeSettings,
  writeShim,
} from "./hook-files.js";
import { eventsOf, mayBeLate, SETTINGS_HOSTS, type SettingsHost, TELL_SECONDS } from "./hook-hosts.js";
import { type Change, type Entry, withEntries } from "./settings-edit.js";

export interface InstallOptions {
  readonly observe?: true;
  readonly answer?: true;
  readonly name?: string;
  readonly language?: string;
  readonly socket?: string;
  readonly hostVersion?: string;
  readonly print?: true;
}

const VERSION_MS = 10_000;

export function runHookInstall(
  id: HookHostId,
  options: InstallOptions,
  io: CommandIo,
  programs: HookPrograms = currentPrograms(),
): Promise<void> {
  return runCommand(io, async () => {
    assertLasting(programs.relay);
    const host = SETTINGS_HOSTS[id];
    const version = options.hostVersion ?? versionOf(host, io);
    const path = host.settings(io.environment);
    const shim = shimPath(io.environment);
    const command = commandOf(host, shim, options, io);
    const entries = new Map(
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
    const edited = withEntries({ path, text: readSettings(path), isOurs: isOurCommand(id) }, entries);
    tellChanges(io, path, edited.changes);
    if (version === undefined && host.lateSince !== undefined)
      tell(io, [
        `Note: the version of ${host.name} is not known, so that only events of early versions are used. Give it by --host-version.`,
      ]);
    if (options.print === true) return EXIT.ok;
    writeShim(shim, shimText(programs));
    if (edited.changes.length > 0) writeSettings(path, edited.text);
    tell(io, [
      edited.changes.length > 0 ? `Wrote ${shownText(path)}` : `${shownText(path)} stays as it is.`,
      ...(host.afterwards === undefined ? [] : [host.afterwards]),
      await audience(options.socket, io),
    ]);
    return EXIT.ok;
  });
}

export function runHookUninstall(id: HookHostId, options: Pick<InstallOptions, "print">, io: CommandIo): Promise<void> {
  return runCommand(io, async () => {
    const path = SETTINGS_HOSTS[id].settings(io.environment);
    const edited = withEntries({ path, text: readSettings(path), isOurs: isOurCommand(id) }, new Map());
    tellChanges(io, path, edited.changes);
    if (options.print === true) return EXIT.ok;
    if (edited.changes.length > 0) writeSettings(path, edited.text);
    tell(io, [edited.changes.length > 0 ? `Wrote ${shownText(path)}` : `${shownText(path)} stays as it is.`]);
    return EXIT.ok;
  });
}

export function tell({ stdout }: CommandIo, lines: readonly string[]): void {
  for (const line of lines) stdout.write(`${line}\n`);
}

function tellChanges(io: CommandIo, path: string, changes: readonly Change[]): void {
  if (changes.length === 0) return;
  const lines = changes.map(
    ({ kind, event, command }) => `${kind === "added" ? "+" : "-"} ${event}: ${shownText(command)}`,
  );
  tell(io, [`In ${shownText(path)}:`, ...lines]);
}

function answers({ answersByDefault }: SettingsHost, { answer, observe }: InstallOptions): boolean {
  return observe !== true && (answersByDefault || answer === true);
}

/** The same for each event, and the same again as long as the options are: hosts ask for trust in each other one. */
function commandOf(host: SettingsHost, shim: string, options: InstallOptions, io: CommandIo): string {
  const { name, language, socket } = options;
  const chosen = socket === undefined ? undefined : chosenSocket(socket, io.environment)?.path;
  const words = [
    ...(answers(host, options) ? ["--answer"] : []),
    ...(name === undefined ? [] : ["--name", shellWord(givenName(name))]),
    ...(language === undefined ? [] : ["--language", language]),
    ...(chosen === undefined ? [] : ["--socket", shellWord(chosen)]),
  ];
  return [shellWord(shim), host.id, ...words].join(" ");
}

function shellWord(word: string): string {
  if (/^[\w./:@\\-]+$/.test(word)) return word;
  return process.platform === "win32" ? `"${word}"` : quoted(word);
}

/** Throws a Fault "usage" for a program that may be gone tomorrow. */
function assertLasting(program: string): void {
  if (!/[\\/]_npx[\\/]/.test(program)) return;
  const sentence = "This aaepd stands in the cache of npx, which npm may empty at any time. Install aaepd first.";
  throw new Fault("usage", sentence, { origin: "local" });
}

function versionOf({ program }: SettingsHost, { environment }: CommandIo): string | undefined {
  const { stdout } = spawnSync(program, ["--version"], {
    env: environment,
    encoding: "utf8",
    timeout: VERSION_MS,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return /\b\d{1,4}\.\d{1,4}\.\d{1,6}\b/.exec(stdout ?? "")?.[0];
}

/** A sentence about the listeners of now. */
async function audience(socket: string | undefined, io: CommandIo): Promise<string> {
  try {
    const path = chosenSocket(socket, io.environment)?.path ?? (await findSocket(io.daemonDirectories));
    const { subscriptions } = await askStatus({ socketPath: path }, io);
    const names = [...new Set(subscriptions.map(({ subscriber_id: id }) => shownText(id)))];
    if (names.length > 0) return `Heard by: ${names.join(", ")}`;
    return "Nobody listens now. To hear and answer: aaepd tail --interactive";
  } catch (caught) {
    return `Nobody listens now. ${shownText(faultFrom(caught).sentence)}`;
  }
}
