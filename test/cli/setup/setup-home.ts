// A user's home for `aaepd setup`, with the agents that a test wants and a service manager that is a script.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { runSetup, type SetupMachine, type SetupOptions } from "../../../src/cli/setup/setup-run.js";
import { createClock } from "../../../src/daemon/platform/clock.js";
import { fixture, PROGRAM } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, type Stage } from "../command-stage.js";

export interface SetupHome {
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A file of the home, as text. Undefined if it is not there. */
  readonly read: (...path: readonly string[]) => string | undefined;
  readonly write: (text: string, ...path: readonly string[]) => string;
  /** Everything in the home with its mode, but for what daemons and Node keep there. */
  readonly files: () => Readonly<Record<string, string>>;
  readonly setUp: (options: SetupOptions, machine?: SetupMachine, more?: SetupStage) => Promise<Stage>;
  /** The same, while it runs. */
  readonly begin: (
    options: SetupOptions,
    machine?: SetupMachine,
    more?: SetupStage,
  ) => { readonly stage: Stage; readonly ended: Promise<void> };
  /** The daemon of the record, if it was started in the background. */
  readonly daemonPid: () => number | undefined;
}

interface SetupStage {
  /** What a person types. Default: no terminal. */
  readonly terminal?: Readable;
  readonly environment?: Readonly<Record<string, string>>;
  /** The time goes on by itself, so that nobody waits. */
  readonly isHasty?: boolean;
}

const KEPT = [".cache", "run", ".local/state/aaepd/journal", ".local/state/aaepd/audit"];

/** `programs`: names that are on the path, all of them Claude Code by its hooks. */
export function setupHome(programs: readonly string[] = ["claude"]): SetupHome {
  const home = temporaryDirectory();
  const at = (...path: readonly string[]): string => join(home, ...path);
  for (const folder of ["bin", "run", "shop"]) mkdirSync(at(folder), { mode: 0o700 });
  for (const program of programs) symlinkSync(fixture("fake-claude.mjs"), at("bin", program));
  const environment = {
    HOME: home,
    XDG_RUNTIME_DIR: at("run"),
    PATH: `${at("bin")}:${join(process.execPath, "..")}:/usr/bin:/bin`,
  };
  const read = (...path: readonly string[]): string | undefined =>
    existsSync(at(...path)) ? readFileSync(at(...path), "utf8") : undefined;
  const daemonPid = (): number | undefined =>
    JSON.parse(read(".local", "state", "aaepd", "setup", "made.json") ?? "{}").daemon?.pid;
  onTestFinished(() => {
    const pid = daemonPid();
    if (pid !== undefined) kill(pid);
  });
  const begin: SetupHome["begin"] = (options, machine = { manager: undefined }, more = {}) => {
    const stage = createStage({ environment: { ...environment, ...more.environment } });
    const stdin = more.terminal === undefined ? stage.io.stdin : Object.assign(more.terminal, { isTTY: true });
    const clock = more.isHasty === true ? hastyClock() : stage.io.clock;
    return { stage, ended: runSetup(options, { ...stage.io, stdin, clock }, machine) };
  };
  return {
    home,
    environment,
    read,
    write: (text, ...path) => {
      mkdirSync(at(...path, ".."), { recursive: true, mode: 0o700 });
      writeFileSync(at(...path), text);
      return at(...path);
    },
    files: () => {
      const all: Record<string, string> = {};
      for (const name of readdirSync(home, { recursive: true, encoding: "utf8" })) {
        if (KEPT.some((kept) => name === kept || name.startsWith(`${kept}/`))) continue;
        const { mode } = statSync(at(name));
        all[name] = `${mode.toString(8)} ${statSync(at(name)).isFile() ? readFileSync(at(name), "base64") : ""}`;
      }
      // Folders of the daemon's own, which stay with what it keeps.
      for (const folder of [".local", ".local/state", ".local/state/aaepd"]) delete all[folder];
      return all;
    },
    begin,
    setUp: async (...given) => {
      const { stage, ended } = begin(...given);
      await ended;
      return stage;
    },
    daemonPid,
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** Each look at it is ten seconds later. */
function hastyClock(): ReturnType<typeof createClock> {
  let now = 0;
  return {
    ...createClock(),
    now: () => {
      now += 10_000;
      return now;
    },
    wakeAt: (_, run) => {
      const timer = setTimeout(run, 20);
      return () => clearTimeout(timer);
    },
  };
}

/** Puts a service manager on the path, which notes what it is told, and starts and ends the daemon. `refuses`: it starts nothing. */
export function withManager(
  { home, environment }: SetupHome,
  program: "systemctl" | "launchctl",
  { refuses = false }: { readonly refuses?: boolean } = {},
): { readonly calls: () => string } {
  const [calls, pid] = [join(home, "run", "calls"), join(home, "run", "pid")];
  const serve = `${process.execPath} ${PROGRAM} serve --journal memory --audit off`;
  const start = refuses ? `echo "Access denied" >&2; exit 1` : `${serve} </dev/null >/dev/null 2>&1 & echo $! > ${pid}`;
  const stop = `[ ! -f ${pid} ] || { kill $(cat ${pid}); while kill -0 $(cat ${pid}); do sleep 0.05; done; rm ${pid}; }`;
  const path = join(home, "bin", program);
  writeFileSync(
    path,
    `#!/bin/sh\necho "$*" >> ${calls}\ncase "$*" in\n*aaepd.speak*) ;;\n*"enable --now"*|bootstrap*) ${start} ;;\n*"disable --now"*|bootout*) ${stop} ;;\nesac\n`,
  );
  chmodSync(path, 0o755);
  if (program === "systemctl") mkdirSync(join(environment.XDG_RUNTIME_DIR ?? "", "systemd"));
  onTestFinished(() => {
    if (existsSync(pid)) kill(Number(readFileSync(pid, "utf8")));
  });
  return { calls: () => (existsSync(calls) ? readFileSync(calls, "utf8") : "") };
}
