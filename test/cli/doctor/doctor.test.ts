import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { registerDoctor } from "../../../src/cli/doctor/doctor.js";
import { runDoctor } from "../../../src/cli/doctor/doctor-run.js";
import type { DiskFacts } from "../../../src/cli/doctor/patient.js";
import { registerHook } from "../../../src/cli/hooks/hook.js";
import { shimPath } from "../../../src/cli/hooks/hook-files.js";
import { findingLines, type Located } from "../../../src/cli/shell/finding-lines.js";
import { ipcConnector } from "../../../src/client/node.js";
import { fact, shellWord } from "../../../src/daemon/platform/finding.js";
import type { PeerUserSource } from "../../../transports/ipc/peer-user.js";
import { createWireSniffer } from "../../support/oracles/wire-sniffer.js";
import { folderOf, newUser, testAsRoot } from "../../support/peers/other-users.js";
import { plainPeer } from "../../support/peers/peers.js";
import { cleanEnvironment, startProgram } from "../../support/peers/program.js";
import { requestOf } from "../../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, type Stage, serve, serveProcess } from "../command-stage.js";

const ROOMY: DiskFacts = { freeBytes: 1e12, freeFiles: 1e6, type: 0xef53 };

interface Report {
  readonly ok: boolean;
  readonly findings: readonly Located[];
}

function stageIn(directory: string, more: Readonly<Record<string, string>> = {}): Stage {
  return createStage({
    environment: {
      HOME: directory,
      XDG_RUNTIME_DIR: directory,
      XDG_CONFIG_HOME: directory,
      XDG_STATE_HOME: directory,
      ...more,
    },
  });
}

/** A private folder for everything of the user's. */
function home(): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "aaep"), { mode: 0o700 });
  return directory;
}

async function examined(stage: Stage, machine: Parameters<typeof runDoctor>[2] = {}): Promise<Report> {
  await runDoctor({ json: true }, stage.io, { diskFacts: () => ROOMY, ...machine });
  const report = JSON.parse(stage.out()) as Report;
  for (const one of report.findings) {
    expect(one.code).toMatch(/^[a-z_]+$/);
    expect(one.message).toMatch(/^\S.{9,}/);
    if ("remedy" in one) expect(one.remedy).toMatch(/^\S.{9,}/);
  }
  return report;
}

/** Codes of problems and advice, with their areas. That no daemon runs is the case nearly everywhere here. */
const faultsOf = ({ findings }: Report): readonly string[] =>
  findings
    .filter(({ grade, code }) => grade !== "fact" && code !== "no_daemon")
    .map(({ grade, area, code }) => `${grade} ${area} ${code}`);

describe("aaepd doctor", () => {
  it("says that all is well where it is, with a line for each area, and exits with 0", async () => {
    const stage = stageIn(home());
    await runDoctor({}, stage.io, { diskFacts: () => ROOMY });
    expect(stage.err()).toBe("");
    expect(stage.exitCode()).toBe(0);
    const [conclusion, ...lines] = stage.out().trimEnd().split("\n");
    expect(conclusion).toBe("All is well, with 1 piece of advice.");
    expect(lines.splice(0, 2)).toEqual([
      "Advice, daemons: No daemon runs.",
      "  Remedy: Start one: aaepd setup, or in a terminal of its own: aaepd serve",
    ]);
    const areas = lines.map((line) => /^In order, (\w+): \S.*\.?$/.exec(line)?.[1]);
    expect([...new Set(areas)]).toEqual([
      "configuration",
      "folders",
      "sockets",
      "ports",
      "clock",
      "versions",
      "disk",
      "journal",
      "service",
      "agents",
    ]);
  });

  it("says of each agent with hooks whether they start aaepd, reach a daemon, and are heard and answered", async () => {
    const directory = home();
    const told = async () => {
      const { findings } = await examined(stageIn(directory));
      return findings.filter(({ area }) => area === "agents");
    };
    expect(await told()).toEqual([
      { ...fact("no_agent", "No agent with hooks was found. Looked for Claude Code and Codex."), area: "agents" },
    ]);
    mkdirSync(join(directory, ".claude"));
    const hint = "Claude Code is here, and is not heard: it has no hooks.";
    expect(await told()).toEqual([
      { grade: "advice", area: "agents", code: "hooks_not_installed", message: hint, remedy: "Run: aaepd setup" },
    ]);

    await run(registerHook, stageIn(directory), "install", "claude");
    await run(registerHook, stageIn(directory), "install", "codex");
    const kinds = async () => (await told()).map(({ grade, code }) => `${grade} ${code}`);
    expect(await kinds()).toEqual(["problem hooks_without_daemon", "problem hooks_without_daemon"]);
    expect((await told())[0]).toMatchObject({ remedy: "Run: aaepd setup" });
    const { socketPath } = await serve(directory, "--journal", "memory", "--audit", "off");
    expect(await kinds()).toEqual(["advice nobody_listens", "advice nobody_listens"]);
    const listen = async (capabilities: object) => {
      const connection = await ipcConnector(socketPath)();
      const listener = plainPeer(connection, createWireSniffer());
      await listener.subscribe(requestOf(capabilities, { subscriber_id: "aaepd-tail-0a1b" }));
      onTestFinished(() => listener.close());
    };
    await listen({});
    expect(await kinds()).toEqual(["advice nobody_can_answer_hooks", "fact hooks"]);
    await listen({ supports_confirmation_reply: true });
    expect((await told())[0]).toEqual({
      ...fact("hooks", "The hooks of Claude Code reach the daemon aaepd, heard by: tail."),
      area: "agents",
    });

    const shim = shimPath({ HOME: directory });
    writeFileSync(shim, readFileSync(shim, "utf8").replaceAll("aaepd-hook.js", "gone.js"));
    writeFileSync(join(directory, ".codex", "hooks.json"), "{");
    expect(await kinds()).toEqual(["problem hooks_program_gone", "problem hooks_settings"]);
    expect((await told()).find(({ code }) => code === "hooks_program_gone")).toMatchObject({
      remedy: "Run: aaepd hook install claude",
    });
  });

  it("says whether the kernel is asked who listens at a socket", async () => {
    const told = async (peerUserSource?: () => PeerUserSource) => {
      const { ok, findings } = await examined(stageIn(home()), peerUserSource && { peerUserSource });
      expect(ok).toBe(true);
      return findings.find(({ code }) => code.startsWith("peer_user"));
    };
    expect(await told()).toEqual({
      grade: "fact",
      area: "sockets",
      code: "peer_user",
      message: "The kernel is asked whose process listens at a socket (package koffi).",
    });
    expect(await told(() => ({ kind: "not_installed" }))).toMatchObject({
      grade: "fact",
      message: expect.stringContaining("the optional package koffi is not installed"),
    });
    expect(await told(() => ({ kind: "broken", error: new Error("no native part\nof it") }))).toMatchObject({
      grade: "advice",
      code: "peer_user_broken",
      message: expect.stringContaining("koffi does not work here (Error: no native part)."),
      remedy: expect.stringMatching(/^Install it again: npm install .*koffi/),
    });
  });

  it("makes nothing", async () => {
    const directory = temporaryDirectory();
    const stage = stageIn(directory);
    expect((await examined(stage)).ok).toBe(true);
    expect(() => rmSync(join(directory, "aaep"), { recursive: true })).toThrow();
  });

  it("names each fault of the configuration, examines the rest by the defaults, and exits with 1", async () => {
    const directory = home();
    mkdirSync(join(directory, "aaepd"));
    writeFileSync(join(directory, "aaepd/config.json"), '{"max_hold_ms": 5, "log_levle": "debug"}');
    const stage = stageIn(directory, { AAEPD_BURST: "0" });
    const report = await examined(stage);
    expect(report.ok).toBe(false);
    expect(stage.exitCode()).toBe(1);
    expect(faultsOf(report)).toEqual(Array(3).fill("problem configuration configuration"));
    expect(report.findings.map((one) => ("remedy" in one ? one.remedy : ""))).toContain(
      "Give a whole number from 100 to 60000.",
    );
    expect(report.findings.some(({ area, grade }) => area === "folders" && grade === "fact")).toBe(true);
  });

  it("finds a configuration that others can write, or whose token they can read", async () => {
    const directory = home();
    mkdirSync(join(directory, "aaepd"));
    const path = join(directory, "aaepd/config.json");
    writeFileSync(path, '{"a2e_auth_token": "secret-secret-secret"}');
    chmodSync(path, 0o644);
    const readable = await examined(stageIn(directory));
    expect(faultsOf(readable)).toEqual(["problem configuration file_readable"]);
    expect(readable.findings[0]).toMatchObject({ remedy: `Run: chmod 600 ${path}` });
    chmodSync(path, 0o666);
    expect(faultsOf(await examined(stageIn(directory)))).toEqual(["problem configuration configuration"]);
    chmodSync(path, 0o600);
    expect(faultsOf(await examined(stageIn(directory)))).toEqual([]);
  });

  it("finds folders that others can reach, with the command that mends them, and folders that cannot be made", async () => {
    const directory = home();
    chmodSync(join(directory, "aaep"), 0o755);
    mkdirSync(join(directory, "aaepd/journal/aaepd"), { recursive: true });
    chmodSync(join(directory, "aaepd/journal/aaepd"), 0o750);
    writeFileSync(join(directory, "aaepd/audit"), "");
    const report = await examined(stageIn(directory));
    expect(faultsOf(report)).toEqual([
      "problem folders permission_denied",
      "problem folders permission_denied",
      "problem folders permission_denied",
    ]);
    const remedies = report.findings.map((one) => ("remedy" in one ? one.remedy : ""));
    expect(remedies).toContain(`Run: chmod 700 ${join(directory, "aaep")}`);
    expect(remedies).toContain(`Run: chmod 700 ${join(directory, "aaepd/journal/aaepd")}`);
    const file = join(directory, "file");
    writeFileSync(file, "");
    const blocked = await examined(stageIn(home(), { XDG_STATE_HOME: join(file, "state") }));
    expect(faultsOf(blocked)).toEqual(["problem folders not_writable", "problem folders not_writable"]);
  });

  testAsRoot(
    "says that XDG_RUNTIME_DIR is another user's, as su leaves it behind, and so do other commands",
    async () => {
      const user = newUser();
      const XDG_RUNTIME_DIR = home();
      for (const [runtime, fault] of [
        [XDG_RUNTIME_DIR, /belongs to user 0|cannot be looked at/],
        [join(XDG_RUNTIME_DIR, "aaep"), /cannot be looked at/],
      ] as const) {
        const environment = { HOME: folderOf(user), XDG_RUNTIME_DIR: runtime };
        for (const command of ["doctor", "status", "tail"]) {
          const program = startProgram([command], { user, environment });
          await program.ended;
          expect(program.stdout() + program.stderr()).toMatch(fault);
          expect(program.stdout() + program.stderr()).toContain("XDG_RUNTIME_DIR");
        }
      }
    },
  );

  it("finds the sockets and files of daemons that were killed, and what stands in the place of a socket", async () => {
    const directory = home();
    const daemon = await serveProcess(directory, "--journal", "memory");
    await daemon.kill();
    writeFileSync(join(directory, "aaep/other.sock"), "");
    const stage = stageIn(directory);
    const report = await examined(stage);
    expect(faultsOf(report)).toEqual([
      "problem sockets not_a_socket",
      "advice sockets stale_socket",
      "advice sockets stale_manifest",
    ]);
    expect(report.findings[1]).toMatchObject({ remedy: expect.stringContaining(`rm ${daemon.socketPath}`) });
  });

  it("hears a running daemon, and finds a version of another build and a clock that was set", async () => {
    const directory = home();
    const daemon = await serve(directory);
    const inHome = { XDG_STATE_HOME: join(directory, ".local/state") };
    const report = await examined(stageIn(directory, inHome));
    expect(faultsOf(report)).toEqual([]);
    expect(report.findings.find(({ code }) => code === "daemon")?.message).toContain(
      `The daemon aaepd answers at ${daemon.socketPath}: process`,
    );
    expect(report.findings.find(({ code }) => code === "journal")?.message).toMatch(
      new RegExp(`is sound: .* Process ${daemon.pid} writes to it\\.$`),
    );
    // Its journal may be elsewhere than the configuration says.
    const full = (path: string) =>
      path.startsWith(join(directory, ".local/state")) ? { ...ROOMY, freeBytes: 0 } : ROOMY;
    const elsewhere = await examined(stageIn(directory), { diskFacts: full });
    expect(faultsOf(elsewhere)).toContain("problem disk disk_full");
    const other = await examined(stageIn(directory, inHome), { version: "9.9.9" });
    expect(faultsOf(other)).toEqual(["advice versions daemon_differs"]);
    const later = stageIn(directory, inHome);
    const clock = { ...later.io.clock, wallTime: () => Date.now() + 3_600_000 };
    await runDoctor({ json: true }, { ...later.io, clock }, { diskFacts: () => ROOMY });
    expect(faultsOf(JSON.parse(later.out()))).toEqual(["advice clock clock_stepped"]);
    await daemon.stop();
  });

  it("finds that a program listens at a socket and does not answer as a daemon", async () => {
    const directory = home();
    const server = createServer((socket) => socket.on("error", () => {}).end());
    await new Promise<void>((resolve) => server.listen(join(directory, "aaep/aaepd.sock"), resolve));
    onTestFinished(() => void server.close());
    chmodSync(join(directory, "aaep/aaepd.sock"), 0o666);
    const report = await examined(stageIn(directory));
    expect(faultsOf(report)).toEqual(["problem daemons no_answer", "advice sockets socket_mode"]);
  });

  it("finds ports that another program has, and addresses beyond this machine", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const taken = await examined(stageIn(home(), { AAEPD_HTTP: `127.0.0.1:${port}`, AAEPD_GRPC: "127.0.0.1:0" }));
    expect(faultsOf(taken)).toEqual(["problem ports port_taken"]);
    expect(taken.findings[0]).toMatchObject({ remedy: expect.stringContaining(`:${port}`) });
    const beyond = await examined(stageIn(home(), { AAEPD_HTTP: "192.0.2.1:8700" }));
    expect(faultsOf(beyond)).toEqual(["problem configuration configuration"]);
    expect(beyond.findings[0]).toMatchObject({ remedy: expect.stringContaining("with 127.0.0.1, [::1] or localhost") });
  });

  it("knows the port of a running daemon as its own", async () => {
    const directory = home();
    const daemon = await serve(directory, "--http", "127.0.0.1:0", "--journal", "memory");
    const manifest = JSON.parse(readFileSync(join(directory, "aaep/aaepd.manifest.json"), "utf8"));
    const [address = ""] = [manifest.endpoints.http].flat();
    const AAEPD_HTTP = address.replace(/^\w+:\/\//, "");
    const report = await examined(stageIn(directory, { AAEPD_HTTP }));
    expect(faultsOf(report)).toEqual([]);
    expect(report.findings.find(({ code }) => code === "port_own")?.message).toBe(
      `The daemon aaepd listens at ${AAEPD_HTTP}.`,
    );
    await daemon.stop();
  });

  it("finds an old Node, a full disk, a disk that is short of room, and one of the network", async () => {
    const old = await examined(stageIn(home()), { nodeVersion: "18.19.1" });
    expect(faultsOf(old)).toEqual(["problem versions node_old"]);
    const faultsWith = async (facts: Partial<DiskFacts>) =>
      faultsOf(await examined(stageIn(home()), { diskFacts: () => ({ ...ROOMY, ...facts }) }));
    expect(await faultsWith({ freeBytes: 1000 })).toEqual(["problem disk disk_full", "problem disk runtime_full"]);
    expect(await faultsWith({ freeBytes: 100e6 })).toEqual(["advice disk disk_short"]);
    expect(await faultsWith({ freeFiles: 0 })).toEqual(["problem disk no_files"]);
    expect(await faultsWith({ type: 0x6969 })).toEqual(["advice disk network_disk"]);
  });

  it("finds a damaged journal, and what was set aside", async () => {
    const directory = home();
    const journal = join(directory, "aaepd/journal/aaepd");
    mkdirSync(join(directory, "aaepd/journal"), { recursive: true });
    for (const folder of ["aaepd/journal", "aaepd/journal/aaepd"])
      mkdirSync(join(directory, folder), { recursive: true, mode: 0o700 });
    writeFileSync(join(journal, "journal.mdb"), Buffer.alloc(16_384, 7));
    writeFileSync(join(journal, "journal.mdb.damaged-2026-05-24"), "");
    const report = await examined(stageIn(directory));
    expect(faultsOf(report)).toEqual(["problem journal journal_damaged", "advice journal set_aside"]);
  });

  it("finds a clock behind the newest event of a journal", async () => {
    const directory = home();
    const stage = stageIn(directory);
    const clock = { ...stage.io.clock, wallTime: () => Date.UTC(2001, 0, 1) };
    await runDoctor({ json: true }, { ...stage.io, clock }, { diskFacts: () => ROOMY });
    expect(faultsOf(JSON.parse(stage.out()))).toEqual(["problem clock clock_behind"]);
  });

  it("takes a wrong option as every command does", async () => {
    await expect(run(registerDoctor, stageIn(home()), "--jsn")).rejects.toThrow("--jsn");
  });
});

it("a report tells problems first, and the remedy below each", () => {
  const findings: readonly Located[] = [
    { grade: "problem", area: "disk", code: "disk_full", message: "It is full.", remedy: "Make room." },
    { grade: "advice", area: "sockets", code: "stale_socket", message: "One is left.", remedy: "Run: rm x" },
  ];
  expect(findingLines(findings)).toEqual([
    "1 problem. 1 piece of advice.",
    "Problem, disk: It is full.",
    "  Remedy: Make room.",
    "Advice, sockets: One is left.",
    "  Remedy: Run: rm x",
  ]);
  expect(findingLines(findings.slice(1))[0]).toBe("All is well, with 1 piece of advice.");
});

it("a path is one word of the shell", () => {
  expect(shellWord("/run/user/1000/aaep/a.sock")).toBe("/run/user/1000/aaep/a.sock");
  expect(shellWord("/it's here")).toBe("'/it'\\''s here'");
});

it("says which way sentences are found, also where the native package does not load, and so does a start", async () => {
  const folder = temporaryDirectory();
  const refuse = (...names: readonly string[]) => {
    const path = join(folder, `without-${names.length}.cjs`);
    writeFileSync(
      path,
      `const M = require("node:module"), load = M._load; M._load = (name, ...more) => { if (${JSON.stringify(names)}.includes(name)) throw new Error("cannot open shared object file: libc.musl\\nRequire stack:"); return load(name, ...more); };`,
    );
    return { NODE_OPTIONS: `--require ${path}` };
  };
  const told = async (more: Readonly<Record<string, string>>) => {
    const program = startProgram(["doctor", "--json"], { environment: { ...cleanEnvironment(home()), ...more } });
    await program.ended;
    const { findings } = JSON.parse(program.stdout()) as Report;
    return findings.find(({ code }) => code.startsWith("sentence"));
  };
  const [native, wasm, intl] = await Promise.all([
    told({}),
    told(refuse("sentencex")),
    told(refuse("sentencex", "sentencex-wasm")),
  ]);
  const lacks = "The native package sentencex does not load here (cannot open shared object file: libc.musl)";
  expect(native).toMatchObject({ grade: "fact", area: "versions", code: "sentences" });
  expect(wasm).toMatchObject({
    grade: "fact",
    message: expect.stringContaining(`${lacks}. The package sentencex-wasm`),
  });
  expect(intl).toMatchObject({
    grade: "advice",
    code: "sentencex_missing",
    message: expect.stringContaining(`${lacks}. Intl.Segmenter of Node`),
    remedy: expect.stringMatching(/^Run: npm install .*sentencex-wasm@/),
  });
  const serving = startProgram(["serve", "--journal", "memory"], {
    environment: { ...cleanEnvironment(home()), ...refuse("sentencex", "sentencex-wasm") },
  });
  await serving.stdoutLines(1);
  serving.child.kill("SIGTERM");
  await serving.ended;
  expect(serving.stderr()).toContain("Intl.Segmenter of Node finds where sentences end instead");
});
