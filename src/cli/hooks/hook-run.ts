// `aaepd hook install`, `uninstall` and `status`: show the difference, write the files, and say who hears and what was seen.
import { HOOK_HOST_IDS, type HookHostId } from "../../adapters/hooks/hook-host.js";
import { faultFrom } from "../../base/errors.js";
import { ownMember } from "../../base/members.js";
import { Pause } from "../../client/timers.js";
import type { DaemonStatus } from "../../daemon/status/daemon-status.js";
import { socketOf } from "../shell/find-socket.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { askStatus } from "../status/ask-status.js";
import { span } from "../terminal/amounts.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";
import { audience } from "./audience.js";
import { asksBy, currentPrograms, type HookPrograms, hasPrograms } from "./hook-files.js";
import { SETTINGS_HOSTS } from "./hook-hosts.js";
import { type HookPlan, type InstallOptions, planInstall, planUninstall, settingsOf, writePlan } from "./hook-plan.js";
import { entriesIn } from "./settings-edit.js";

export function runHookInstall(
  id: HookHostId,
  options: InstallOptions,
  io: CommandIo,
  programs: HookPrograms = currentPrograms(),
): Promise<void> {
  return runCommand(io, async () => {
    const plan = planInstall(id, options, io, programs);
    const { host, version, command } = plan;
    tellChanges(io, plan);
    if (version === undefined && host.lateSince !== undefined)
      tell(io, [
        `Note: the version of ${host.name} is not known, so that only events of early versions are used. Give it by --host-version.`,
      ]);
    if (options.print === true) return EXIT.ok;
    writePlan(plan, programs);
    tell(io, [
      writtenLine(plan),
      ...(host.afterwards === undefined ? [] : [host.afterwards]),
      await audience({ socket: options.socket, asks: asksBy(command) }, io),
    ]);
    return EXIT.ok;
  });
}

export function runHookUninstall(
  id: HookHostId,
  options: Pick<InstallOptions, "print">,
  io: CommandIo,
  programs: HookPrograms = currentPrograms(),
): Promise<void> {
  return runCommand(io, async () => {
    const plan = planUninstall(id, io);
    tellChanges(io, plan);
    if (options.print === true) return EXIT.ok;
    writePlan(plan, programs);
    tell(io, [writtenLine(plan)]);
    return EXIT.ok;
  });
}

function tell({ stdout }: Pick<CommandIo, "stdout">, lines: Iterable<string>): void {
  for (const line of lines) stdout.write(`${line}\n`);
}

function tellChanges(io: CommandIo, { path, changes }: HookPlan): void {
  if (changes.length === 0) return;
  const lines = changes.map(
    ({ kind, event, command }) => `${kind === "added" ? "+" : "-"} ${event}: ${shownText(command)}`,
  );
  tell(io, [`In ${shownText(path)}:`, ...lines]);
}

function writtenLine({ path, changes }: HookPlan): string {
  return changes.length > 0 ? `Wrote ${shownText(path)}` : `${shownText(path)} stays as it is.`;
}

export interface HookStatusOptions {
  readonly socket?: string;
  readonly check?: true;
  /** Seconds. */
  readonly wait?: number;
}

type HookReport = NonNullable<DaemonStatus["hooks"]>;
type SeenEvents = HookReport[string];

/** Events of one prompt with one command, in their order. */
const CHECKED = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"] as const;
const CHECK_SECONDS = 180;
const LOOK_MS = 500;

export function runHookStatus(id: HookHostId | undefined, options: HookStatusOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async () => {
    if (options.check === true) return await check(id ?? "claude", options, io);
    const seen = await seenEvents(options, io);
    for (const host of id === undefined ? HOOK_HOST_IDS : [id]) tell(io, statusLines(host, seen, io));
    if (typeof seen === "string") tell(io, [seen]);
    return EXIT.ok;
  });
}

/** A text says why the daemon tells nothing. */
async function seenEvents(options: HookStatusOptions, io: CommandIo): Promise<HookReport | string> {
  return askSeen(options, io).catch((caught) => shownText(faultFrom(caught).sentence));
}

/** Rejects with a Fault where no daemon answers. */
async function askSeen({ socket }: HookStatusOptions, io: CommandIo): Promise<HookReport> {
  const { path, isByVariable } = await socketOf(socket, io);
  const { hooks } = await askStatus(path, io, isByVariable);
  return hooks ?? {};
}

function* statusLines(id: HookHostId, report: HookReport | string, io: CommandIo): Iterable<string> {
  const { name } = SETTINGS_HOSTS[id];
  const settings = settingsOf(id, io.environment);
  const installed = [...entriesIn(settings).keys()];
  if (installed.length === 0) return yield `${name}: not installed. Run: aaepd hook install ${id}`;
  yield `${name}: installed in ${shownText(settings.path)}`;
  if (!hasPrograms(io.environment))
    yield `  The program behind it is gone, so that nothing is heard. Run: aaepd hook install ${id}`;
  if (typeof report === "string") return;
  const seen: SeenEvents = report[id] ?? {};
  const unseen = installed.filter((event) => !Object.hasOwn(seen, event));
  if (unseen.length === installed.length) return yield "  None of its events was seen yet.";
  for (const event of installed) {
    const at = ownMember(seen, event);
    if (at !== undefined) yield `  ${event}: seen ${span((io.clock.wallTime() - Date.parse(at)) / 1000)} ago`;
  }
  if (unseen.length > 0) yield `  Not seen yet: ${unseen.join(", ")}`;
}

/** Takes a person through one prompt, and says each event when it is seen. */
async function check(id: HookHostId, options: HookStatusOptions, io: CommandIo): Promise<ExitCode> {
  const { name, program } = SETTINGS_HOSTS[id];
  const begun = new Date(io.clock.wallTime()).toISOString();
  // Without a daemon it ends here, and does not wait.
  await askSeen(options, io);
  tell(io, [
    `Start ${name} in another terminal: ${program}`,
    "Type this prompt: Run the command: echo hello",
    "Allow the command if you are asked. Each event is said here when it was seen.",
  ]);
  const until = io.clock.now() + (options.wait ?? CHECK_SECONDS) * 1000;
  const told = new Set<string>();
  let why: string | undefined;
  while (told.size < CHECKED.length && io.clock.now() < until) {
    const report = await seenEvents(options, io);
    why = typeof report === "string" ? report : undefined;
    const seen: SeenEvents = typeof report === "string" ? {} : (report[id] ?? {});
    for (const event of CHECKED) {
      if (told.has(event) || !Object.hasOwn(seen, event) || (seen[event] ?? "") < begun) continue;
      told.add(event);
      tell(io, [`  ${event}: seen`]);
    }
    if (told.size < CHECKED.length) await new Pause(io.clock).take(LOOK_MS);
  }
  if (told.size === CHECKED.length) {
    tell(io, [`All of them were seen: ${name} is heard.`]);
    return EXIT.ok;
  }
  const missing = CHECKED.filter((event) => !told.has(event));
  tell(io, [`Not seen: ${missing.join(", ")}`, why ?? `Look at: aaepd hook status ${id}`]);
  return EXIT.fault;
}
