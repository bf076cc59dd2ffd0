// The Python package as a person gets it: its wheel in an empty environment without a Node on the PATH, its types, and its own tests with a real daemon.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { eventually } from "../../cli/command-stage.js";
import { shared } from "../../support/lifetime.js";
import { PROGRAM, type ProgramOptions, startCommand } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const PYTHON = join(ROOT, "python");
const TEN_MINUTES = 600_000;
const LARGEST_WHEEL = 3_000_000;

/** Runs a command to its end, and returns what it has written. */
async function run(argv: readonly string[], options: ProgramOptions = {}): Promise<string> {
  const program = startCommand(argv, options);
  const { code } = await program.ended;
  expect(code, `${argv.join(" ")}\n${program.stdout()}\n${program.stderr()}`).toBe(0);
  return program.stdout();
}

/** An environment with what builds and checks the package, and the wheel. */
const built = shared(async () => {
  const folder = temporaryDirectory();
  const bin = join(folder, "tools", "bin");
  await run(["python3", "-m", "venv", join(folder, "tools")]);
  await run([join(bin, "pip"), "install", "-q", "--no-compile", "-r", join(PYTHON, "requirements-test.txt")]);
  await run([process.execPath, join(ROOT, "scripts/python-package.mjs")]);
  await run([join(bin, "python"), "-m", "hatchling", "build", "-t", "wheel", "-d", folder], { cwd: PYTHON });
  const wheel = readdirSync(folder).find((name) => name.endsWith(".whl")) ?? "no wheel";
  return { folder, bin, wheel: join(folder, wheel) };
});

it(
  "pip install brings an agent, a listener and a daemon, without a Node on the PATH",
  async () => {
    const { folder, wheel } = await built();
    expect(statSync(wheel).size).toBeLessThan(LARGEST_WHEEL);
    const bin = join(folder, "empty", "bin");
    await run(["python3", "-m", "venv", join(folder, "empty")]);
    await run([join(bin, "pip"), "install", "-q", `${wheel}[node]`]);
    const home = temporaryDirectory();
    const options = {
      environment: { PATH: bin, HOME: home, XDG_RUNTIME_DIR: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home },
    };
    const aaepd = join(bin, "aaepd");
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    expect(await run([aaepd, "--version"], options)).toBe(`${version}\n`);
    expect(await run([aaepd, "demo", "--speed", "100"], options)).toContain("completed");
    expect(await run([aaepd, "doctor"], options)).toContain("the journal is in memory and ends with the daemon");
    const setup = startCommand([aaepd, "setup"], options);
    setup.child.stdin.end();
    await setup.ended;
    expect(setup.stdout()).toContain("What agents say is kept in memory only");

    const daemon = startCommand([aaepd, "serve"], options);
    await eventually(() => expect(daemon.stdout() + daemon.stderr()).toContain("endpoints"));
    expect(daemon.stdout() + daemon.stderr()).toContain("the journal is in memory");
    const tail = startCommand([aaepd, "tail"], options);
    await eventually(() => expect(tail.stderr() + tail.stdout()).toContain("Connected"));
    const speak = startCommand([aaepd, "speak", "--to", "command", `/usr/bin/tee ${home}/said`], options);
    await eventually(() => expect(speak.stderr()).toContain("Connected"));
    const page = readFileSync(join(ROOT, "docs/python.md"), "utf8");
    const [, code = ""] = /```python\n(from aaepd import Agent\n[\s\S]*?)```/.exec(page) ?? [];
    writeFileSync(join(home, "agent.py"), code);
    await run([join(bin, "python"), join(home, "agent.py")], options);
    await eventually(() => expect(tail.stdout()).toContain("text: It is on shelf 3.14."));
    await eventually(() => expect(readFileSync(join(home, "said"), "utf8")).toContain("Librarian"));

    await run([aaepd, "hook", "install", "claude"], options);
    const hook = startCommand([join(home, ".local/share/aaepd/hook"), "claude"], options);
    hook.child.stdin.end(
      JSON.stringify({ hook_event_name: "UserPromptSubmit", session_id: "a", prompt: "Water the roses." }),
    );
    expect((await hook.ended).code).toBe(0);
    await eventually(() => expect(tail.stdout()).toContain("Water the roses."));
  },
  TEN_MINUTES,
);

it(
  "the source distribution makes a wheel without a daemon, whose agents say what to install",
  async () => {
    const { folder, bin } = await built();
    await run([join(bin, "python"), "-m", "hatchling", "build", "-t", "sdist", "-d", folder], { cwd: PYTHON });
    const source = readdirSync(folder).find((name) => name.endsWith(".tar.gz")) ?? "no source distribution";
    const wheels = join(folder, "from-source");
    const options = ["--no-deps", "--no-build-isolation", "-w", wheels];
    await run([join(bin, "pip"), "wheel", "-q", ...options, join(folder, source)]);
    const own = join(folder, "from-source-only", "bin");
    await run(["python3", "-m", "venv", join(folder, "from-source-only")]);
    await run([join(own, "pip"), "install", "-q", "--no-index", join(wheels, readdirSync(wheels)[0] ?? "no wheel")]);
    const home = temporaryDirectory();
    const program = 'from aaepd import Agent; Agent("librarian", on_error=print).close()';
    const environment = { PATH: own, HOME: home, XDG_RUNTIME_DIR: home };
    expect(await run([join(own, "python"), "-c", program], { environment })).toMatch(
      /^There is no daemon, so the agent is silent\. .*pip install "aaepd\[node\]"\n$/,
    );
  },
  TEN_MINUTES,
);

it(
  "the types are whole for mypy and pyright",
  async () => {
    const { bin } = await built();
    const options = { cwd: PYTHON, environment: { PATH: process.env.PATH ?? "", HOME: temporaryDirectory() } };
    await run([join(bin, "mypy")], options);
    await run([join(bin, "pyright")], options);
  },
  TEN_MINUTES,
);

it(
  "its own tests pass with this daemon",
  async () => {
    const home = temporaryDirectory();
    mkdirSync(join(home, "tmp"), { mode: 0o700 });
    const environment = {
      ...{ TESTED_PROGRAM: `${process.execPath} ${PROGRAM}`, PYTHONPATH: `${PYTHON}/src:${PYTHON}/tests` },
      ...{ TMPDIR: join(home, "tmp"), PYTHONDONTWRITEBYTECODE: "1", PATH: process.env.PATH ?? "" },
      PYTHON_KILLS: process.env.PYTHON_KILLS ?? "3",
    };
    await run(["python3", "-m", "unittest", "discover", "-s", join(PYTHON, "tests")], { environment });
  },
  TEN_MINUTES,
);
