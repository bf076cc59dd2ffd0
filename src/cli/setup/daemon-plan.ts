// How the daemon is made to run: not at all where one runs, by the service manager where one answers, else in the background.
import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { Fault, faultFrom } from "../../base/errors.js";
import { Pause } from "../../client/timers.js";
import { type ServiceFile, type ServiceKind, type ServicePlan, serviceFiles } from "../service/service-files.js";
import {
  assertOwn,
  managerAnswers,
  removeFile,
  startService,
  stopService,
  writeServiceFile,
} from "../service/service-steps.js";
import { statusAt } from "../status/ask-status.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";
import type { SetupRecord } from "./setup-record.js";

export type DaemonPlan =
  | { readonly kind: "running"; readonly pid: number }
  | {
      readonly kind: "service";
      readonly manager: ServiceKind;
      readonly name: string;
      readonly files: readonly ServiceFile[];
    }
  | { readonly kind: "background" };

export interface DaemonPlace {
  readonly io: Pick<CommandIo, "environment" | "clock">;
  readonly service: ServicePlan;
  readonly socketPath: string;
  readonly record: SetupRecord;
}

/** How long a daemon may take to start, and between two looks, ms. */
const START_MS = 20_000;
const LOOK_MS = 100;

/** `manager`: the service manager of this machine; undefined: none. */
export async function planDaemon(
  { io, service, socketPath }: DaemonPlace,
  manager: ServiceKind | undefined,
): Promise<DaemonPlan> {
  const status = await statusAt(socketPath, io);
  if (status !== undefined) return { kind: "running", pid: status.pid };
  if (manager === undefined || !managerAnswers(manager, io)) return { kind: "background" };
  return { kind: "service", manager, name: service.name, files: serviceFiles({ ...service, kind: manager }) };
}

/** The plan in a sentence or two. */
export function daemonLine(plan: DaemonPlan, { record }: Pick<DaemonPlace, "record">): string {
  if (plan.kind === "running") return `The daemon runs already, as process ${plan.pid}.`;
  if (plan.kind === "background")
    return `Start the daemon in the background, because no service manager answers here. After a restart of the machine, run aaepd setup again. Its log is ${shownText(record.log)}.`;
  const missing = plan.files.filter(({ path }) => !existsSync(path)).map(({ path }) => shownText(path));
  const files = missing.length === 0 ? "" : ` New files: ${missing.join(" and ")}.`;
  return `Start the daemon as a service of ${plan.manager}, now and at each login.${files}`;
}

/** Makes the daemon run, and says what was done. Rejects with a Fault where it does not run afterwards. */
export async function startDaemon(plan: DaemonPlan, place: DaemonPlace): Promise<readonly string[]> {
  if (plan.kind === "running") return [];
  if (plan.kind === "background") return [await startInBackground(place)];
  const refused = await startByManager(plan, place);
  if (refused === undefined) return [`The daemon runs, as the service ${plan.name}.`];
  return [
    `The service does not start: ${shownText(refused)} The daemon is started in the background instead.`,
    await startInBackground(place),
  ];
}

/** Returns why the manager does not run it; nothing of it is then left. */
async function startByManager(
  { manager, name, files }: Extract<DaemonPlan, { kind: "service" }>,
  { io, socketPath, record }: DaemonPlace,
): Promise<string | undefined> {
  const missing = files.filter(({ path }) => !existsSync(path));
  try {
    for (const { path } of files) assertOwn(path);
    record.note({ paths: missing.map(({ path }) => path), service: { kind: manager, name } });
    for (const file of missing) writeServiceFile(file);
    const paths = files.map(({ path }) => path);
    const refused = startService(manager, paths, io);
    if (refused === undefined && (await awaited(() => statusAt(socketPath, io), START_MS, io)) !== undefined)
      return undefined;
    const why = refused ?? "it does not answer.";
    stopService(manager, paths, io);
    for (const { path } of missing) removeFile(path);
    record.note({ service: undefined });
    return why;
  } catch (caught) {
    return faultFrom(caught).sentence;
  }
}

async function startInBackground({ io, service, socketPath, record }: DaemonPlace): Promise<string> {
  const [node = process.execPath, ...words] = service.command;
  record.note({});
  const log = openSync(record.log, "w", 0o600);
  const { HOME: home = homedir(), ...others } = io.environment;
  const child = spawn(node, words, {
    // Of variables of this shell it sees no more than a service does.
    env: { HOME: home, ...Object.fromEntries(Object.entries(others).filter(([name]) => !name.startsWith("AAEPD_"))) },
    cwd: home,
    detached: true,
    windowsHide: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  let hasEnded = false;
  for (const end of ["error", "exit"])
    child.once(end, () => {
      hasEnded = true;
    });
  if (child.pid !== undefined) record.note({ daemon: { pid: child.pid, socketPath } });
  const look = async () => (await statusAt(socketPath, io)) ?? (hasEnded ? "ended" : undefined);
  const status = await awaited(look, START_MS, io);
  child.unref();
  if (typeof status === "object")
    return `The daemon runs in the background, as process ${status.pid}. To stop it: aaepd setup --undo, or kill ${status.pid}.`;
  const [last = ""] = readFileSync(record.log, "utf8").trim().split("\n").slice(-1);
  throw new Fault(
    "unsupported",
    `The daemon did not start. ${last.replace(/^Error: /, "")} Its log is ${record.log}.`,
    { origin: "local" },
  );
}

/** The first answer of `look`, which is asked again and again; undefined if there is none in that time. */
export async function awaited<Answer>(
  look: () => Promise<Answer | undefined>,
  milliseconds: number,
  { clock }: Pick<CommandIo, "clock">,
): Promise<Answer | undefined> {
  const until = clock.now() + milliseconds;
  for (;;) {
    const answer = await look();
    if (answer !== undefined || clock.now() >= until) return answer;
    await new Pause(clock).take(LOOK_MS);
  }
}
