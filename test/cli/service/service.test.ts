import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runDoctor } from "../../../src/cli/doctor/doctor-run.js";
import type { ServiceOptions, ServicePrograms } from "../../../src/cli/service/plan-service.js";
import { registerService } from "../../../src/cli/service/service.js";
import { installedServices } from "../../../src/cli/service/service-findings.js";
import { runServiceInstall, runServicePrint, runServiceUninstall } from "../../../src/cli/service/service-run.js";
import { unitStates } from "../../../src/cli/service/service-steps.js";
import { PROGRAM } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, runCommandLine, runtimeEnvironment, type Stage, serve, serveProcess } from "../command-stage.js";

const UNIX = process.platform !== "win32";

interface Home {
  readonly directory: string;
  readonly stage: (more?: Readonly<Record<string, string>>) => Stage;
  readonly unit: (name: string) => string;
  readonly configure: (options: object) => void;
}

/** A user's home, in which nothing is. */
function home(directory = temporaryDirectory()): Home {
  const { XDG_RUNTIME_DIR } = runtimeEnvironment();
  // As where systemd runs for the user.
  mkdirSync(join(XDG_RUNTIME_DIR, "systemd"));
  return {
    directory,
    stage: (more = {}) => createStage({ environment: { HOME: directory, XDG_RUNTIME_DIR, ...more } }),
    unit: (name) => join(directory, ".config", "systemd", "user", name),
    configure: (options) => {
      mkdirSync(join(directory, ".config", "aaepd"), { recursive: true });
      writeFileSync(join(directory, ".config", "aaepd", "config.json"), JSON.stringify(options));
    },
  };
}

async function ran(
  command: typeof runServiceInstall,
  stage: Stage,
  options: ServiceOptions = {},
  programs?: ServicePrograms,
): Promise<{ readonly out: string; readonly err: string; readonly code: number | undefined }> {
  await command({ kind: "systemd", ...options }, stage.io, programs);
  return { out: stage.out(), err: stage.err(), code: stage.exitCode() };
}

const well =
  (command: typeof runServiceInstall) =>
  async (...given: Parameters<typeof ran> extends [unknown, ...infer Given] ? Given : never): Promise<string> => {
    const { out, err, code } = await ran(command, ...given);
    expect([err, code]).toEqual(["", 0]);
    return out;
  };
const [printed, install] = [well(runServicePrint), well(runServiceInstall)];

/** The values of a key, in their order. */
const valuesOf = (text: string, key: string): readonly string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, "gm"))].map(([, value = ""]) => value);

/** A systemctl that notes its arguments and ends with `code`. */
function withSystemctl(code: number) {
  const folder = temporaryDirectory();
  const script = `#!/bin/sh\necho "$@" >> ${folder}/calls\necho "Failed to connect to bus" >&2\nexit ${code}\n`;
  writeFileSync(join(folder, "systemctl"), script, { mode: 0o755 });
  const calls = () => (existsSync(join(folder, "calls")) ? readFileSync(join(folder, "calls"), "utf8") : "");
  return { calls, PATH: `${folder}:${process.env.PATH}` };
}

describe.runIf(UNIX)("the service of aaepd speak", () => {
  it("is a unit of its own, which is neither the daemon's nor somebody else's", async () => {
    const { stage, unit } = home();
    const path = unit("aaepd.speak.service");
    expect(await install(stage(), { part: "speak" })).toContain(`Wrote ${path}\n`);
    const text = readFileSync(path, "utf8");
    expect(valuesOf(text, "ExecStart")).toEqual([`:${process.execPath} ${PROGRAM} speak`]);
    expect(valuesOf(text, "Documentation")[0]).toMatch(/\/docs\/listening\.md$/);
    expect(text).not.toContain("@");
    expect(installedServices(stage().io, "systemd")).toEqual([]);
    const { calls, PATH } = withSystemctl(0);
    const removed = await ran(runServiceUninstall, stage({ PATH }), { part: "speak" });
    expect([removed.code, existsSync(path)]).toEqual([0, false]);
    expect(calls()).toBe("--user disable --now aaepd.speak.service\n--user daemon-reload\n");
    const again = await ran(runServiceUninstall, stage(), { part: "speak" });
    expect(again.out).toContain("There is no service aaepd.speak to remove");
    writeFileSync(path, "[Unit]\n");
    const foreign = await ran(runServiceInstall, stage(), { part: "speak" });
    expect([foreign.code, foreign.err]).toEqual([2, expect.stringContaining("was written by somebody else")]);
  });

  it("there is none of launchd", async () => {
    const { err } = await ran(runServiceInstall, home().stage(), { kind: "launchd", part: "speak" });
    expect(err).toContain("aaepd speak is a service of systemd alone.");
  });
});

describe.runIf(UNIX)("aaepd service print", () => {
  it("prints both units behind their paths, with this Node and this program, and nothing left to fill in", async () => {
    const { stage, unit, directory } = home();
    const text = await printed(stage());
    expect(text.split("\n").filter((line) => line.startsWith("# /"))).toEqual([
      `# ${unit("aaepd.socket")}`,
      `# ${unit("aaepd.service")}`,
    ]);
    expect(valuesOf(text, "ExecStart")).toEqual([`:${process.execPath} ${PROGRAM} serve`]);
    expect(valuesOf(text, "ListenStream")).toEqual(["%t/aaep/aaepd.sock"]);
    expect(valuesOf(text, "SocketMode").concat(valuesOf(text, "DirectoryMode"))).toEqual(["0600", "0700"]);
    expect(text).not.toMatch(/@[A-Z_]+@/);
    expect(existsSync(join(directory, ".config"))).toBe(false);
  });

  it("follows the configuration file: id, socket and length of a stop; relative paths become absolute", async () => {
    const one = home();
    one.configure({ producer_id: "planner 50%", stop_timeout_seconds: 40 });
    const text = await printed(one.stage());
    expect(valuesOf(text, "ListenStream")).toEqual(["%t/aaep/planner_50_.sock"]);
    expect(valuesOf(text, "Requires")).toEqual(["aaepd-planner_50_.socket"]);
    expect(valuesOf(text, "TimeoutStopSec")).toEqual(["50"]);
    expect(valuesOf(text, "Description")[1]).toBe(
      "AAEP daemon planner 50%%, between AI agents and assistive technology",
    );
    one.configure({ socket: "/srv/a socket/50%.sock" });
    expect(valuesOf(await printed(one.stage()), "ListenStream")).toEqual(["/srv/a socket/50%%.sock"]);

    const file = join(temporaryDirectory(), "other.json");
    writeFileSync(file, "{}");
    const relative = file.replace(/^\//, "../".repeat(process.cwd().split("/").length - 1));
    expect(valuesOf(await printed(one.stage(), { config: relative, producerId: "b" }), "ExecStart")).toEqual([
      `:${process.execPath} ${PROGRAM} serve --config ${file} --producer-id b`,
    ]);
  });

  it("quotes what systemd would read in another way", async () => {
    const programs = { node: '/opt/a "b"/100%/no\\de', program: "/opt/$HOME/aaepd.js" };
    const text = await printed(home().stage(), {}, programs);
    expect(valuesOf(text, "ExecStart")).toEqual([':"/opt/a \\"b\\"/100%%/no\\\\de" "/opt/$HOME/aaepd.js" serve']);
  });

  it.each([
    [
      "a program in the cache of npx",
      {},
      { program: "/home/me/.npm/_npx/1f/node_modules/aaepd/bin/aaepd.js" },
      "npm install --global /path/to/aaepd-",
    ],
    ["a path of two lines", {}, { program: "/home/\nme/aaepd.js" }, "Move it to a path without control characters."],
    ["an unknown kind", { kind: "upstart" }, {}, "Give one of systemd, launchd."],
    ["a missing configuration", { config: "/nowhere/aaepd.json" }, {}, "There is no file /nowhere/aaepd.json."],
  ])("refuses %s, and says what to do", async (_, options, programs, said) => {
    const own = { node: process.execPath, program: PROGRAM, ...programs };
    const { out, err, code } = await ran(runServicePrint, home().stage(), options, own);
    expect([out, err, code]).toEqual(["", expect.stringContaining(said), 2]);
  });

  it("refuses a configuration without a socket", async () => {
    const one = home();
    one.configure({ socket: "off" });
    const { err, code } = await ran(runServicePrint, one.stage());
    expect([code, err]).toEqual([2, expect.stringContaining("Remove that option.")]);
  });

  it("names the variables of the shell that no service sees, and does not follow them", async () => {
    const stage = home().stage({ AAEPD_PRODUCER_ID: "shell", AAEPD_BURST: "0" });
    const { out, err, code } = await ran(runServicePrint, stage);
    expect([code, err]).toEqual([
      0,
      "Note: The service does not see AAEPD_PRODUCER_ID, AAEPD_BURST of this shell. Write such options into the configuration file.\n",
    ]);
    expect(valuesOf(out, "ListenStream")).toEqual(["%t/aaep/aaepd.sock"]);
  });
});

describe.runIf(UNIX)("aaepd service install", () => {
  it("writes what print shows, says what comes next, and writes it again after a change", async () => {
    const one = home();
    const shown = await printed(one.stage());
    const said = await install(one.stage());
    expect(said.split("\n").slice(0, 2)).toEqual([
      `Wrote ${one.unit("aaepd.socket")}`,
      `Wrote ${one.unit("aaepd.service")}`,
    ]);
    expect(said).toContain("  systemctl --user daemon-reload\n  systemctl --user enable --now aaepd.socket\n");
    for (const name of ["aaepd.socket", "aaepd.service"])
      expect(shown).toContain(readFileSync(one.unit(name), "utf8").trimEnd());
    one.configure({ stop_timeout_seconds: 90 });
    await install(one.stage());
    expect(readFileSync(one.unit("aaepd.service"), "utf8")).toContain("TimeoutStopSec=100\n");
  });

  it("leaves a file of somebody else, as uninstall does, and writes nothing then", async () => {
    const one = home();
    mkdirSync(one.unit(""), { recursive: true });
    writeFileSync(one.unit("aaepd.service"), "[Service]\nExecStart=/bin/true\n");
    const err = `Error: ${one.unit("aaepd.service")} was written by somebody else, and stays as it is. Move it away, and run the command again.\n`;
    for (const command of [runServiceInstall, runServiceUninstall])
      expect(await ran(command, one.stage())).toEqual({ out: "", err, code: 2 });
    expect([existsSync(one.unit("aaepd.socket")), existsSync(one.unit("aaepd.service"))]).toEqual([false, true]);
  });

  it("says where a file cannot be written", async () => {
    const one = home();
    mkdirSync(join(one.directory, ".config"));
    writeFileSync(join(one.directory, ".config", "systemd"), "");
    const { out, err, code } = await ran(runServiceInstall, one.stage());
    expect([out, code]).toEqual(["", 1]);
    expect(err).toContain(`${one.unit("aaepd.socket")} cannot be written (`);
  });

  it("names a daemon that holds the socket now", async () => {
    const one = home();
    const stage = one.stage();
    const daemon = await serve(String(stage.io.environment.XDG_RUNTIME_DIR), "--journal", "memory");
    const said = await install(stage);
    expect(said).toContain(`Process ${daemon.pid} listens at ${daemon.socketPath} now.`);
    expect(said).toContain(`stop it first: kill ${daemon.pid}\n`);
    expect(said).toContain("systemctl --user restart aaepd.service\n");
  });

  it("the commands are print, install, status and uninstall", async () => {
    const { Command } = await import("commander");
    const program = new Command();
    const { io } = home().stage();
    registerService(program, io);
    await program.parseAsync(["service", "install"], { from: "user" });
    expect(existsSync(join(String(io.environment.HOME), process.platform === "darwin" ? "Library" : ".config"))).toBe(
      true,
    );
    expect(program.commands[0]?.commands.map((one) => one.name())).toEqual(["print", "install", "status", "uninstall"]);
  });
});

describe.runIf(process.platform === "linux")("aaepd service status", () => {
  /** What the command says where systemd answers with these states. */
  async function status(environment: Readonly<Record<string, string | undefined>>, socket: string, service: string) {
    const folder = temporaryDirectory();
    const answer = (unit: string) =>
      unit.replace(/^(\w+) (\w+) (\w+)$/, "ActiveState=$1\\nSubState=$2\\nUnitFileState=$3");
    const script = `#!/bin/sh\ncase "$*" in *.socket) printf '${answer(socket)}\\n';; *.service) printf '${answer(service)}\\n';; esac\n`;
    writeFileSync(join(folder, "systemctl"), script, { mode: 0o755 });
    mkdirSync(join(String(environment.XDG_RUNTIME_DIR), "systemd"), { recursive: true });
    const PATH = `${folder}:${process.env.PATH}`;
    const { code, stdout, stderr } = await runCommandLine(["service", "status"], { ...environment, PATH });
    expect(stderr).toBe("");
    return { code, out: stdout };
  }

  it("says that there is none, and how to install it", async () => {
    const { code, out } = await status(home().stage().io.environment, "", "");
    expect(out).toBe(
      "1 problem.\nProblem, service: The service aaepd is not installed.\n  Remedy: Run: aaepd service install\n",
    );
    expect(code).toBe(1);
  });

  it("says what runs, what is off and what has failed, and wakes no daemon that waits", async () => {
    const { environment } = home().stage().io;
    await runCommandLine(["service", "install"], environment);
    const waiting = await status(environment, "active listening enabled", "inactive dead disabled");
    expect(waiting).toEqual({
      out: `All is well.\nIn order, service: The service aaepd.service starts this aaepd.\nIn order, service: aaepd.socket is active (listening), enabled.\nIn order, service: aaepd.service is inactive (dead), disabled.\n`,
      code: 0,
    });
    const off = await status(environment, "inactive dead disabled", "inactive dead disabled");
    expect(off.out).toContain(
      "so nothing starts the daemon.\n  Remedy: Run: systemctl --user enable --now aaepd.socket\n",
    );
    expect(off.code).toBe(1);
    const failed = await status(environment, "failed failed enabled", "failed failed disabled");
    expect(failed.out).toContain("systemctl --user reset-failed aaepd.service");
    const gone = await status(environment, "active running enabled", "active running disabled");
    expect(gone.out).toMatch(/^1 problem\.\nProblem, service: No daemon /);
    const { pid } = await serveProcess(String(environment.XDG_RUNTIME_DIR), "--journal", "memory");
    const running = await status(environment, "active running enabled", "active running disabled");
    expect(running.out).toContain(`The daemon answers at `);
    expect(running.out).toContain(`: process ${pid}, aaepd `);
    expect(running.code).toBe(0);
  });
});

describe.runIf(UNIX)("aaepd service uninstall", () => {
  const uninstall = (...given: readonly [Stage, ServiceOptions?]) => ran(runServiceUninstall, ...given);

  it("stops the service, removes what install wrote and nothing else, and has nothing to do afterwards", async () => {
    const one = home();
    const { calls, PATH } = withSystemctl(0);
    await install(one.stage());
    await install(one.stage(), { producerId: "planner" });
    // A faulty file does not keep a service whose id is given.
    const paths = ["aaepd-planner.socket", "aaepd-planner.service"].map(one.unit);
    one.configure({ burst: 0 });
    expect(await uninstall(one.stage({ PATH }), { producerId: "planner" })).toEqual({
      out: `Removed ${paths[0]}\nRemoved ${paths[1]}\nThe service aaepd-planner has stopped.\nThe journal and the audit log stay.\n`,
      err: "",
      code: 0,
    });
    expect(calls()).toBe("--user disable --now aaepd-planner.socket aaepd-planner.service\n--user daemon-reload\n");
    expect(paths.map(existsSync)).toEqual([false, false]);
    expect(existsSync(one.unit("aaepd.service"))).toBe(true);
    one.configure({});
    expect(await uninstall(one.stage({ PATH }), { producerId: "planner" })).toMatchObject({
      out: `There is no service aaepd-planner to remove: ${paths[1]} does not exist.\n`,
      code: 0,
    });
  });

  it("leaves the files while systemd does not stop the service, and removes them where none runs", async () => {
    const one = home();
    const { calls, PATH } = withSystemctl(1);
    await install(one.stage());
    expect(await uninstall(one.stage({ PATH }))).toEqual({
      out: "",
      err: expect.stringMatching(
        /its files stay: Failed to connect to bus\. Run the command where this user is logged in\./,
      ),
      code: 1,
    });
    expect(existsSync(one.unit("aaepd.service"))).toBe(true);
    const asked = calls();
    const without = await uninstall(one.stage({ PATH, XDG_RUNTIME_DIR: temporaryDirectory() }));
    expect(without).toMatchObject({ out: expect.stringContaining("so nothing was stopped.\n"), err: "", code: 0 });
    expect(calls()).toBe(asked);
    expect(existsSync(one.unit("aaepd.service"))).toBe(false);
  });
});

describe.runIf(UNIX)("a program that goes with a project", () => {
  it.each([
    ["of a project", true],
    ["of a global folder", false],
  ])("%s: print and install warn: %s", async (_, isProject) => {
    const folder = temporaryDirectory();
    if (isProject) writeFileSync(join(folder, "package.json"), "{}");
    const programs = { node: process.execPath, program: join(folder, "node_modules", "aaepd", "bin", "aaepd.js") };
    const one = home();
    const note = `Note: The service runs the aaepd of the project ${folder}, and fails when`;
    for (const command of [runServicePrint, runServiceInstall]) {
      const { err, code } = await ran(command, one.stage(), {}, programs);
      expect([code, err.startsWith(note), err === ""]).toEqual([0, isProject, !isProject]);
    }
  });
});

describe.runIf(UNIX)("an agent of launchd", () => {
  it("is a property list with the command, as Python reads it", async () => {
    const one = home(join(temporaryDirectory(), "a & <b>"));
    mkdirSync(one.directory);
    one.configure({ producer_id: "planner" });
    const programs = { node: "/opt/R&D/node", program: PROGRAM };
    const said = await install(one.stage(), { kind: "launchd" }, programs);
    const path = join(one.directory, "Library", "LaunchAgents", "aaepd-planner.plist");
    expect(said).toContain(`Wrote ${path}\n`);
    expect(said).toContain(`  launchctl bootstrap gui/$(id -u) '${path}'\n`);
    const read = "import json, plistlib, sys; print(json.dumps(plistlib.load(open(sys.argv[1], 'rb'))))";
    expect(JSON.parse(execFileSync("python3", ["-c", read, path], { encoding: "utf8" }))).toEqual({
      Label: "aaepd-planner",
      ProgramArguments: ["/opt/R&D/node", PROGRAM, "serve"],
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 10,
      ExitTimeOut: 20,
      Umask: 0o077,
      ProcessType: "Interactive",
      StandardErrorPath: join(one.directory, "Library", "Logs", "aaepd-planner.log"),
    });
    expect(await printed(one.stage(), { kind: "launchd" }, programs)).toBe(readFileSync(path, "utf8"));
    expect(installedServices(one.stage().io, "launchd", programs)).toMatchObject([
      { name: "aaepd-planner.plist", options: [], missing: ["/opt/R&D/node"] },
    ]);
  });
});

it.runIf(UNIX)("an agent of launchd is on where launchd knows it", () => {
  const folder = temporaryDirectory();
  const states = (script: string) => {
    writeFileSync(join(folder, "launchctl"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return unitStates("launchd", "aaepd", { environment: { PATH: `${folder}:${process.env.PATH}` } });
  };
  const unit = "aaepd";
  expect(states("echo 'state = running'")).toEqual([{ unit, state: "running", isOn: true, runs: true }]);
  expect(states("case $2 in */aaepd) exit 113; esac")).toEqual([
    { unit, state: "not loaded", isOn: false, runs: false },
  ]);
  expect(states("exit 1")).toEqual([]);
});

describe.runIf(process.platform === "linux")("aaepd doctor and the service", () => {
  const findingsOf = async (stage: Stage): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    await runDoctor({ json: true }, stage.io);
    return JSON.parse(stage.out()).findings.filter(({ area }: { readonly area: string }) => area === "service");
  };

  it("is in order as it was installed, also from folders with unusual names", async () => {
    const one = home();
    expect(await findingsOf(one.stage())).toMatchObject([{ grade: "fact", code: "no_service" }]);
    const odd = join(temporaryDirectory(), 'a "b" 50% c\\d');
    mkdirSync(odd);
    const config = join(odd, "aaepd.json");
    writeFileSync(config, "{}");
    await install(one.stage());
    await install(one.stage(), { config, producerId: "planner" });
    expect(await findingsOf(one.stage())).toMatchObject([
      { grade: "fact", message: "The service aaepd-planner.service starts this aaepd." },
      { grade: "fact", message: "The service aaepd.service starts this aaepd." },
    ]);
    rmSync(config);
    expect(await findingsOf(one.stage())).toMatchObject([
      {
        grade: "problem",
        code: "service_program_missing",
        message: expect.stringContaining(`names ${config}, which does not exist.`),
      },
      { grade: "fact" },
    ]);
  });

  it("finds a Node that is gone, with the command that mends it", async () => {
    const one = home();
    await install(one.stage(), { producerId: "planner" }, { node: "/opt/node-20.1/bin/node", program: PROGRAM });
    expect(await findingsOf(one.stage())).toEqual([
      {
        grade: "problem",
        area: "service",
        code: "service_program_missing",
        message: `${one.unit("aaepd-planner.service")} names /opt/node-20.1/bin/node, which does not exist.`,
        remedy: "Run: aaepd service install --producer-id planner",
      },
    ]);
  });

  it("finds units that an installation would change, and leaves those of others alone", async () => {
    const one = home();
    await install(one.stage());
    writeFileSync(one.unit("aaepd-own.service"), "[Service]\nExecStart=/opt/own\n");
    one.configure({ stop_timeout_seconds: 60 });
    expect(await findingsOf(one.stage())).toMatchObject([
      {
        grade: "advice",
        code: "service_outdated",
        message: `This aaepd would write TimeoutStopSec=70 (now TimeoutStopSec=20) in ${one.unit("aaepd.service")}.`,
      },
    ]);
    one.configure({ socket: join(one.directory, "own.sock") });
    expect(await findingsOf(one.stage())).toMatchObject([
      {
        grade: "problem",
        code: "service_socket_differs",
        message: `${one.unit("aaepd.socket")} names another socket than the configuration.`,
        remedy: "Run: aaepd service install",
      },
    ]);
  });

  it("finds a service that has failed: its manager has closed the socket and left the file", async () => {
    const one = home();
    await install(one.stage());
    const stage = one.stage();
    const runtime = String(stage.io.environment.XDG_RUNTIME_DIR);
    const daemon = await serveProcess(runtime, "--journal", "memory");
    await daemon.kill();
    expect(await findingsOf(stage)).toMatchObject([
      {
        grade: "problem",
        code: "service_failed",
        message: `Nobody listens at ${daemon.socketPath}: the service aaepd.service has failed, or a daemon that was started by hand took its socket and was killed.`,
        remedy: expect.stringContaining(
          "systemctl --user reset-failed aaepd.service; systemctl --user restart aaepd.socket",
        ),
      },
      { grade: "fact" },
    ]);
    rmSync(join(runtime, "systemd"), { recursive: true });
    const without = createStage({ environment: stage.io.environment });
    expect(await findingsOf(without)).toMatchObject([{ grade: "advice", code: "no_manager" }, { grade: "fact" }]);
  });

  it("finds a token file that the daemon would refuse, and makes none", async () => {
    const one = home();
    const token = join(one.directory, "monitor.token");
    one.configure({ http: "127.0.0.1:0", http_token_file: token });
    chmodSync(one.directory, 0o700);
    const report = async () => {
      const stage = one.stage();
      await runDoctor({ json: true }, stage.io);
      return JSON.parse(stage.out()).findings.filter(({ grade }: { readonly grade: string }) => grade === "problem");
    };
    expect(await report()).toEqual([]);
    expect(existsSync(token)).toBe(false);
    writeFileSync(token, "0".repeat(64), { mode: 0o644 });
    expect(statSync(token).mode & 0o777).toBe(0o644);
    expect(await report()).toMatchObject([
      {
        area: "configuration",
        code: "permission_denied",
        remedy: `Run: chmod 600 ${token}, or delete the file for another token.`,
      },
    ]);
  });
});
