import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isWhole } from "../support/extent.js";
import { PROGRAM, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";
import { runCommandLine, startCommandLine } from "./command-stage.js";

beforeAll(ensureBuilt, 120_000);

async function run(...argv: readonly string[]) {
  const program = startProgram(argv);
  program.child.stdin.end();
  const { code } = await program.ended;
  return { code, stdout: program.stdout(), stderr: program.stderr() };
}

/** The help of a command that owns its output, and the output of one that does not, stand for the others in a short run. */
const UNREAD = [["stdio", "--help"], ["manifest", "--new"], ...(isWhole ? [["--help"], ["--version"], ["help"]] : [])];

describe("the command line", () => {
  it.each([
    [["serve", "--max-hold", "5"], "Unknown option '--max-hold'. Did you mean --max-hold-ms? See aaepd serve --help."],
    [["stdio", "-x"], "Unknown option '-x'. See aaepd stdio --help."],
    [["manifest", "--sock", "x"], "Did you mean --socket?"],
    [["srve"], "Unknown command 'srve'. Did you mean serve? See aaepd --help."],
    [["--versoin"], "Did you mean --version?"],
    [["serve", "--socket"], "Option '--socket <PATH|auto|off>' argument missing. See aaepd serve --help."],
    [["tail", "--no-json"], "Unknown option '--no-json'."],
    [["tail", "--rate", "0"], "Give a whole number from 1 to 100000. See aaepd tail --help."],
    [["tail", "--boundaries", "sentence,line"], '"line" is not known.'],
    [["tail", "--verbosity", "a\n(b"], "detailed. See aaepd tail --help."],
    [["tail", "--wpm", "10"], "Give a whole number from 50 to 1000."],
    [["tail", "--quiet=1"], "Did you mean --quiet?"],
    [["config", "unshow"], "Unknown command 'unshow'. Did you mean show? See aaepd config --help."],
    [["\u2028\u001b]0;x"], "Unknown command ' \\u001b]0;x'. See aaepd --help."],
    [["publish"], "Missing required argument 'file'. Usage: aaepd publish [options] <file>. See aaepd publish --help."],
    [["sevre", "--help"], "Unknown command 'sevre'. Did you mean serve? See aaepd --help."],
    [["journal", "inspct", "-h"], "Unknown command 'inspct'. Did you mean inspect? See aaepd journal --help."],
    [["tail", "--max-events-per-second", "3"], "Did you mean --rate? See aaepd tail --help."],
    [["tail", "--pace_wpm=180"], "Did you mean --wpm? See aaepd tail --help."],
    [["help", "tial"], "Unknown command 'tial'. Did you mean tail? See aaepd --help."],
    [["help", "journal", "inspct"], "Unknown command 'inspct'. Did you mean inspect? See aaepd journal --help."],
    [["help", "serve", "extra"], "Unknown command 'extra'. See aaepd serve --help."],
    [["publish", "f", "--rate", "0"], "Give a number above 0"],
    [["publish", "f", "--rate", "2", "--realtime"], "cannot be used with option '--realtime'."],
    [["tail", "--verbosity", "long"], "argument 'long' is invalid. Allowed choices are terse, normal, detailed."],
    [["serve", "extra"], "Too many arguments for 'serve'. Expected 0 arguments but got 1. See aaepd serve --help."],
    [["tail", "--languages", "en,e n"], '"e n" is no language tag. Give tags such as en-US.'],
    [["serve", "--config", "."], ". is a folder. Name a file."],
    [["replay", "--speed", "2"], "Required option '-s, --session <ID>' not specified. See aaepd replay --help."],
    [["journal", "export", "--al"], "Unknown option '--al'. See aaepd journal export --help."],
    [["journal", "export", "--since", "noon"], "Give an instant such as"],
    [["serve", "--burst", "0"], '--burst is "0". Give a whole number from 1 to 1000.'],
  ])("%j is refused with what was meant, exit code 2", async (argv, expected) => {
    const { code, stdout, stderr } = await runCommandLine(argv);
    expect(stderr).toContain(expected);
    for (const line of stderr.trimEnd().split("\n")) expect(line).toMatch(/^Error: /);
    expect([code, stdout]).toStrictEqual([2, ""]);
  });

  it.each([
    ["service", "uninstall"],
    ["journal", "compact"],
    ["conformance", "producer"],
    ["config", "show"],
    ["journal"],
  ])("help shows the help of %s as --help does", async (...names) => {
    const [help, option] = await Promise.all([
      runCommandLine(["help", ...names]),
      runCommandLine([...names, "--help"]),
    ]);
    expect(help).toStrictEqual(option);
    expect(help.stdout).toMatch(new RegExp(`^Usage: aaepd ${names.join(" ")} `));
  });

  it.each(UNREAD)("%s ends quietly where nobody reads", async (...argv) => {
    const program = startProgram(argv);
    program.child.stdout.destroy();
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr()).toBe("");
  });

  it("tells its version; without a command it teaches, and says by its exit code that nothing was done", async () => {
    const [version, short, late, nothing] = await Promise.all([
      run("--version"),
      run("-v"),
      runCommandLine(["--version", "serve"]),
      runCommandLine([]),
    ]);
    const told = [0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)];
    for (const one of [version, short, late]) expect([one.code, one.stdout]).toStrictEqual(told);
    expect([nothing.code, nothing.stdout]).toStrictEqual([2, ""]);
    expect(nothing.stderr).toMatch(/^Error: Give a command\.\n[\s\S]*Usage: aaepd/);
  });

  it("tells all mistakes of a configuration at once, each on a line of its own", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "c.json"), '{"bursts": 1}');
    const argv = ["serve", "--config", join(directory, "c.json"), "--log-level", "loud"];
    const { code, stderr } = await runCommandLine(argv, { AAEPD_MAX_HOLDMS: "1" });
    expect(code).toBe(2);
    expect(stderr.trimEnd().split("\n")).toStrictEqual([
      "Error: The variable AAEPD_MAX_HOLDMS is not known. Did you mean AAEPD_MAX_HOLD_MS?",
      `Error: Line 1 of ${join(directory, "c.json")}: The key "bursts" is not known. Did you mean burst?`,
      'Error: --log-level is "loud". Give one of debug, info, warn, error, off.',
    ]);
  });

  it("the program is small, starts nothing else, and says what to do where it is not built", async () => {
    const source = readFileSync(PROGRAM, "utf8");
    expect(source.split("\n").length).toBeLessThan(70);
    expect(source).not.toMatch(/child_process|spawn|execve/);
    expect(statSync(PROGRAM).mode & 0o111).not.toBe(0);
    const folder = temporaryDirectory();
    mkdirSync(join(folder, "bin"));
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    copyFileSync(PROGRAM, join(folder, "bin/aaepd.js"));
    const fromGit = startProgram(["serve"], { entry: join(folder, "bin/aaepd.js") });
    expect((await fromGit.ended).code).toBe(1);
    expect(fromGit.stderr()).toBe("Error: aaepd is not built. Install it without --ignore-scripts.\n");
    mkdirSync(join(folder, "src"));
    const clone = startProgram(["serve"], { entry: join(folder, "bin/aaepd.js") });
    expect((await clone.ended).code).toBe(1);
    expect(clone.stderr()).toBe(`Error: aaepd is not built. Run "npm ci" in ${folder}/\n`);
  });
});

describe("aaepd serve and manifest", () => {
  it("prints one line when everything listens, and its manifest stands beside the socket", async () => {
    const directory = temporaryDirectory();
    const environment = { XDG_RUNTIME_DIR: directory };
    const serve = startCommandLine(["serve", "--producer-id", "planner"], { environment });
    const [line = ""] = await serve.stdoutLines(1);
    const socket = join(directory, "aaep", "planner.sock");
    expect(JSON.parse(line)).toStrictEqual({
      pid: process.pid,
      producer_id: "planner",
      endpoints: { ipc: socket },
    });
    const file = JSON.parse(readFileSync(join(directory, "aaep", "planner.manifest.json"), "utf8"));
    expect(file).toMatchObject({ type: "aaep:producer.manifest", agent_id: "planner", pid: process.pid });

    const told = await Promise.all([
      runCommandLine(["manifest", "--socket", socket]),
      runCommandLine(["manifest", "--socket", "auto", "--producer-id", "planner"], environment),
      runCommandLine(["manifest"], environment),
      runCommandLine(["manifest", "--new", "--producer-id", "planner"]),
    ]);
    const { pid, framings, endpoints, ...manifest } = file;
    expect([pid, framings]).toStrictEqual([process.pid, ["length-prefixed", "newline", "content-length"]]);
    expect(endpoints).toStrictEqual({ ipc: socket });
    for (const { code, stdout } of told) expect([code, JSON.parse(stdout)]).toStrictEqual([0, manifest]);

    serve.signal("SIGTERM");
    expect((await serve.ended).code).toBe(0);
    expect(serve.stdout()).toBe(`${line}\n`);
    expect(readdirSync(join(directory, "aaep"))).toStrictEqual([]);
  });

  it("takes over what a killed daemon left", async () => {
    const directory = temporaryDirectory();
    const environment = { XDG_RUNTIME_DIR: directory };
    const serving = startProgram(["serve"], { environment });
    await serving.stdoutLines(1);
    // It listens, and has its second name, before it answers.
    const agents = startProgram(["stdio"], { environment });
    agents.child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"aaep.ping"}\n');
    await agents.stdoutLines(1);
    expect(readdirSync(join(directory, "aaep"))).toContain("aaepd-2.sock");
    for (const program of [serving, agents]) {
      program.child.kill("SIGKILL");
      await program.ended;
    }
    const next = startCommandLine(["serve"], { environment });
    const [line = ""] = await next.stdoutLines(1);
    expect(JSON.parse(line).endpoints.ipc).toBe(join(directory, "aaep", "aaepd.sock"));
    const files = readdirSync(join(directory, "aaep")).filter((name) => name.endsWith(".json"));
    expect(files).toStrictEqual(["aaepd.manifest.json"]);
  });

  it("manifest asks for a choice where several daemons run, by their names", async () => {
    const environment = { XDG_RUNTIME_DIR: temporaryDirectory() };
    for (const id of ["planner", "coder"]) {
      await startCommandLine(["serve", "--producer-id", id], { environment }).stdoutLines(1);
    }
    const either = await runCommandLine(["manifest"], environment);
    expect(either.code).toBe(2);
    expect(either.stderr).toMatch(/^Error: There are several daemons\. .*--socket: coder \(\S+\), planner \(\S+\)\n$/);
    const chosen = await runCommandLine(["manifest", "--producer-id", "coder"], environment);
    expect([chosen.code, JSON.parse(chosen.stdout).agent_id]).toStrictEqual([0, "coder"]);
  });

  it("manifest says that no daemon runs, and how to see what one would say", async () => {
    const { code, stderr, stdout } = await runCommandLine(["manifest"]);
    expect([code, stdout]).toStrictEqual([69, ""]);
    expect(stderr).toMatch(/^Error: There is no daemon in .* aaepd manifest --new\n$/);
  });

  it("is loaded without what it does not need", () => {
    const source = readFileSync(fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url)), "utf8");
    const imported = [...source.matchAll(/^import (?!type).* from "(.*)";$/gm)].map(([, specifier]) => specifier);
    // Nothing that comes from elsewhere may load before standard output is safe.
    for (const specifier of imported) expect(specifier).toMatch(/^\.\.?\//);
  });
});
