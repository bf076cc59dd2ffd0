// `aaepd setup`: tells everything that it will do, asks once, does it step by step, and ends with a test question.
import { existsSync } from "node:fs";
import { currentPlace, ipcPath } from "../../../transports/ipc/paths.js";
import { HOOK_HOST_IDS } from "../../adapters/hooks/hook-host.js";
import { usage } from "../../base/errors.js";
import type { Configuration } from "../../daemon/config/config.js";
import { defaultConfigFile } from "../../daemon/config/config-sources.js";
import { hasNativeCode } from "../../storage/lmdb/native-code.js";
import { autoPath } from "../config/auto-paths.js";
import { usualHookSocket } from "../hooks/audience.js";
import { currentPrograms, type HookPrograms } from "../hooks/hook-files.js";
import { isHostHere, SETTINGS_HOSTS, type SettingsHost } from "../hooks/hook-hosts.js";
import { type InstallPlan, planInstall, writePlan } from "../hooks/hook-plan.js";
import { planService, platformKind, projectNote, runsSystemd, unseenVariables } from "../service/plan-service.js";
import { type ServiceKind, SPEAK_NAME, serviceFiles, servicePaths } from "../service/service-files.js";
import { assertOwn, managerAnswers, startService, writeServiceFile } from "../service/service-steps.js";
import { chosenSocket } from "../shell/find-socket.js";
import { isOnPath } from "../shell/program-paths.js";
import { EXIT, type ExitCode, runCommand } from "../shell/run-command.js";
import { statusAt } from "../status/ask-status.js";
import { counted, shownBytes, span } from "../terminal/amounts.js";
import { askPerson, type Person } from "../terminal/ask-person.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";
import { type DaemonPlace, type DaemonPlan, daemonLine, planDaemon, startDaemon } from "./daemon-plan.js";
import { type SetupRecord, setupRecord } from "./setup-record.js";
import { answerTestQuestion, askTestQuestion, TEST_WAIT } from "./test-question.js";
import { createTold, type Told } from "./told.js";
import { undo } from "./undo.js";

export interface SetupOptions {
  readonly yes?: true;
  readonly undo?: true;
  readonly ask?: true;
}

/** Facts of the machine that tests replace. Default: this machine's. */
export interface SetupMachine {
  /** The service manager; undefined: none. */
  readonly manager?: ServiceKind | undefined;
  readonly programs?: HookPrograms;
}

export function runSetup(options: SetupOptions, io: CommandIo, machine: SetupMachine = {}): Promise<void> {
  return runCommand(io, async () => {
    if (options.undo === true) return undo(io);
    if (options.ask === true)
      return askTestQuestion(chosenSocket(undefined, io.environment)?.path ?? daemonPlace(io).socketPath, io);
    return setUp(options, io, { manager: platformKind(), programs: currentPrograms(), ...machine });
  });
}

/** Where the daemon is and how it is started: by the configuration file alone, because a service sees no variables of a shell. */
function daemonPlace(io: CommandIo): DaemonPlace {
  // The kind is chosen later.
  const service = planService({ kind: "systemd" }, io);
  const { socket, producerId } = service.configuration;
  if (socket.kind === "off")
    throw usage("The configuration has socket off, and hooks need a local socket. Remove that option.");
  const socketPath = socket.kind === "path" ? socket.path : ipcPath(currentPlace(io.environment), producerId);
  return { io, service, socketPath, record: setupRecord(io) };
}

async function setUp(
  options: SetupOptions,
  io: CommandIo,
  { manager, programs }: { readonly manager: ServiceKind | undefined; readonly programs: HookPrograms },
): Promise<ExitCode> {
  const yes = options.yes === true;
  const told = createTold(io);
  const place = daemonPlace(io);
  const editors = editorAgents(io);
  const isPerson = io.stdin.isTTY === true;
  const hooks = await hookPlans(place, programs, told, editors);
  const daemon = await planDaemon(place, manager);
  const isMade = daemon.kind === "running" && hooks.every(isInPlace);
  // A terminal is left to its next reader once.
  const person = isPerson && !yes ? askPerson({ stdin: io.stdin, stderr: io.stdout }, io.onInterrupt) : undefined;
  try {
    if (isMade)
      told.say(`${told.exitCode() === EXIT.ok ? "Everything" : "The rest"} is in place, and nothing is changed.`);
    else {
      tellPlans(daemon, hooks, place, told);
      if (!yes && person === undefined) {
        told.say("Nothing was changed, because nobody can be asked here. To do this: aaepd setup --yes");
        return EXIT.usage;
      }
      if (person !== undefined && !(await person.ask("Do this?"))) {
        told.say("Nothing was changed.");
        return person.wasInterrupted() ? EXIT.interrupted : EXIT.fault;
      }
      await carryOut(daemon, hooks, place, programs, told);
    }
    // The test question is spoken then.
    if (person !== undefined && canOfferSpeak(manager, io)) await offerSpeak(person, place.record, told, io);
  } finally {
    person?.leave();
  }
  if (person?.wasInterrupted() === true) return untested(told);
  for (const line of editorLines(editors)) told.say(line);
  const runs = (await statusAt(place.socketPath, io)) !== undefined;
  let tested: ExitCode = EXIT.ok;
  if (runs && person !== undefined) {
    told.say(
      `Now a test. You hear a question: type yes, and press Enter. A single letter is not enough there. Setup waits up to ${TEST_WAIT} for it.`,
    );
    tested = (await told.attempt(() => answerTestQuestion(place.socketPath, io))) ?? EXIT.fault;
    if (tested === EXIT.interrupted) return untested(told);
  } else if (runs) told.say("To test it, run in a terminal of your own: aaepd setup");
  if (runs) tellNext(isMade ? [] : hooks, manager === "systemd" && runsSystemd(io.environment), told);
  told.tellLacks();
  return tested === EXIT.ok ? told.exitCode() : tested;
}

/** After an interrupt. */
function untested({ say, tellLacks }: Told): ExitCode {
  say("Setup is done, and the test is not. To test it: aaepd setup. To undo it: aaepd setup --undo");
  tellLacks();
  return EXIT.interrupted;
}

/** Plans for the hosts that are here. A host whose settings cannot be read is told, and left out. */
async function hookPlans(
  { io, socketPath }: DaemonPlace,
  programs: HookPrograms,
  told: Told,
  editors: readonly string[],
): Promise<readonly InstallPlan[]> {
  const here = HOOK_HOST_IDS.filter((id) => isHostHere(SETTINGS_HOSTS[id], io.environment));
  const names = [...here.map((id) => SETTINGS_HOSTS[id].name), ...editors];
  told.say(
    names.length === 0
      ? "No agent was found that aaepd knows: Claude Code, Codex, or an agent for editors. See docs/adapters.md for others."
      : `Found: ${names.join(", ")}`,
  );
  // Hooks look for the daemon of the usual name.
  const options = socketPath === usualHookSocket(io.environment) ? {} : { socket: socketPath };
  const plans = [];
  for (const id of here) {
    const plan = await told.attempt(() => planInstall(id, options, io, programs), lackOf(SETTINGS_HOSTS[id]));
    if (plan !== undefined) plans.push(plan);
  }
  return plans;
}

function lackOf({ name }: SettingsHost): string {
  return `No hooks were written for ${name}.`;
}

/** Hooks with other options were chosen by a person, and stay. */
function isInPlace({ hasShim, isOtherwise, changes }: InstallPlan): boolean {
  return hasShim && (isOtherwise || changes.length === 0);
}

function tellPlans(daemon: DaemonPlan, hooks: readonly InstallPlan[], place: DaemonPlace, { say }: Told): void {
  const { io, service } = place;
  say("Setup will do this:");
  say(daemonLine(daemon, place));
  for (const plan of hooks) for (const line of hookLines(plan)) say(line);
  for (const line of keptLines(service.configuration, io)) say(line);
  const unseen = unseenVariables(io.environment);
  if (unseen.length > 0)
    say(
      `Note: the daemon does not see ${unseen.join(", ")} of this shell. Write such options into its configuration file.`,
    );
  const ofProject = projectNote(service, "What setup installs", "aaepd setup");
  if (ofProject !== undefined) say(`Note: ${shownText(ofProject)}`);
  say("To undo it later: aaepd setup --undo");
}

/** By ear, a number of hooks is enough: `--print` tells them all. */
function* hookLines({ host, path, shim, hasShim, isOtherwise, changes, version }: InstallPlan): Iterable<string> {
  const countOf = (wanted: "added" | "removed") => changes.filter(({ kind }) => kind === wanted).length;
  const [added, removed] = [countOf("added"), countOf("removed")];
  const begin = (file: string): string => `${existsSync(file) ? "Change" : "New file:"} ${shownText(file)}`;
  if (isOtherwise) yield `The hooks of ${host.name} stay as you installed them.`;
  else {
    if (added > 0)
      yield `${begin(path)}: ${counted(added, "hook")} for ${host.name}. To see each: aaepd hook install ${host.id} --print`;
    if (removed > 0) yield `In ${shownText(path)}, take out ${counted(removed, "earlier hook")} of aaepd.`;
    if (version === undefined && host.lateSince !== undefined && added > 0)
      yield `Note: the version of ${host.name} is not known, so that only events of early versions are used.`;
  }
  if (!hasShim) yield `${begin(shim)}, the small program that hooks run.`;
}

async function carryOut(
  daemon: DaemonPlan,
  hooks: readonly InstallPlan[],
  place: DaemonPlace,
  programs: HookPrograms,
  { say, attempt }: Told,
): Promise<void> {
  for (const line of (await attempt(() => startDaemon(daemon, place), "The daemon does not run.")) ?? []) say(line);
  for (const plan of hooks.filter((one) => !isInPlace(one))) {
    await attempt(() => {
      const { host, path, shim, isOtherwise, changes } = plan;
      const isChanged = !isOtherwise && changes.length > 0;
      place.record.note({ paths: [shim, ...(isChanged ? [path] : [])], ...(isChanged ? { hooks: [host.id] } : {}) });
      writePlan(isChanged ? plan : { ...plan, changes: [] }, programs);
      say(`Wrote ${shownText(isChanged ? path : shim)}`);
      if (isChanged && host.afterwards !== undefined) say(host.afterwards);
    }, lackOf(plan.host));
  }
}

function tellNext(changed: readonly InstallPlan[], isService: boolean, { say }: Told): void {
  say("To hear and answer from now on, run in a terminal of its own: aaepd tail --interactive");
  const atLogin = isService ? ". At each login: aaepd service install speak" : "";
  say(`To hear it spoken through Speech Dispatcher: aaepd speak${atLogin}`);
  say("With one terminal only, four ways are named under One terminal in docs/adapters.md");
  const names = changed.map(({ host }) => host.name).join(" and ");
  if (names !== "")
    say(`Then start ${names} as always. Sessions that run now get the hooks when you start them again.`);
}

/** The commands by which editors start agents that speak ACP. */
const COMMANDS: readonly (readonly [program: string, ...options: readonly string[]])[] = [
  ["claude-agent-acp"],
  ["claude-code-acp"],
  ["codex-acp"],
  ["copilot", "--acp"],
  ["gemini", "--acp"],
  ["goose", "acp"],
  ["opencode", "acp"],
  ["qwen", "--acp"],
];

/** The commands of the agents that are installed. */
export function editorAgents({ environment }: Pick<CommandIo, "environment">): readonly string[] {
  return COMMANDS.filter(([program]) => isOnPath(program, environment)).map((words) => words.join(" "));
}

/** The change to make in an editor; nothing without such an agent. */
export function editorLines(agents: readonly string[]): readonly string[] {
  if (agents.length === 0) return [];
  return [
    "For an agent in an editor, change the command by which the editor's settings start it. docs/adapters.md has examples.",
    ...agents.map((command) => `  in place of ${command} write: aaepd acp -- ${command}`),
  ];
}

/** Where text is kept, for how long, and how that is turned off. */
function* keptLines(configuration: Configuration, { environment }: Pick<CommandIo, "environment">): Iterable<string> {
  const { journal, journalRetentionSeconds, journalRetentionBytes, audit } = configuration;
  // Without a database, auto is memory.
  if (journal.kind === "memory" || (journal.kind === "auto" && !hasNativeCode()))
    yield "What agents say is kept in memory only, and is gone when the daemon ends.";
  else {
    const folder = journal.kind === "directory" ? journal.path : autoPath("journal", configuration, environment);
    const most = shownBytes(journalRetentionBytes).replace(".0 ", " ");
    yield `What agents say is kept for ${span(journalRetentionSeconds)}, at most ${most}, in ${shownText(folder ?? "")}. Only you can read it.`;
  }
  if (audit.kind !== "off") {
    const folder = audit.kind === "directory" ? audit.path : autoPath("audit", configuration, environment);
    yield `Questions and their answers are noted in ${shownText(folder ?? "")}.`;
  }
  const members = [
    ...(journal.kind === "memory" ? [] : ['"journal": "memory"']),
    ...(audit.kind === "off" ? [] : ['"audit": "off"']),
  ];
  const file = shownText(defaultConfigFile(environment));
  if (members.length > 0)
    yield `To keep nothing on the disk, write { ${members.join(", ")} } into ${file}, and start the daemon again.`;
}

/** Whether `aaepd speak` can be a service here, and is none yet. */
export function canOfferSpeak(manager: ServiceKind | undefined, io: CommandIo): boolean {
  if (manager !== "systemd" || !isOnPath("speech-dispatcher", io.environment)) return false;
  return !servicePaths(manager, SPEAK_NAME, io.environment).some(existsSync) && managerAnswers(manager, io);
}

/** Asks, and does it after a yes. */
export async function offerSpeak(
  person: Person,
  record: SetupRecord,
  { say, attempt }: Told,
  io: CommandIo,
): Promise<void> {
  if (!(await person.ask("Shall aaepd speak what agents do and ask, now and at each login?"))) return;
  await attempt(() => {
    const files = serviceFiles(planService({ kind: "systemd", part: "speak" }, io));
    const paths = files.map(({ path }) => path);
    record.note({ paths, speaks: true });
    for (const file of files) {
      assertOwn(file.path);
      writeServiceFile(file);
      say(`Wrote ${shownText(file.path)}`);
    }
    const refused = startService("systemd", paths, io);
    say(refused === undefined ? "aaepd speaks now. To silence it: aaepd hush" : `aaepd does not speak: ${refused}`);
  });
}
