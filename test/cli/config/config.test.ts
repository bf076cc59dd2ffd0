import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { registerConfig } from "../../../src/cli/config/config.js";
import { configTemplate } from "../../../src/cli/config/config-init-run.js";
import { OPTION_NAMES } from "../../../src/daemon/config/config-schema.js";
import { resolveConfiguration } from "../../../src/daemon/config/config-sources.js";
import { keyOf } from "../../../src/daemon/config/option-names.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, type Stage } from "../command-stage.js";

interface ShownOption {
  readonly name: string;
  readonly value: unknown;
  readonly default: unknown;
  readonly unit?: string;
  readonly source: string;
  readonly from?: string;
}

interface Shown {
  readonly command: string;
  readonly file: string | null;
  readonly options: readonly ShownOption[];
}

function stageIn(home: string, environment: Readonly<Record<string, string>> = {}): Stage {
  return createStage({ environment: { HOME: home, ...environment } });
}

/** `aaepd config` of a home, to its end. */
async function config(home: string, ...argv: readonly string[]): Promise<Stage> {
  const stage = await run(registerConfig, stageIn(home), ...argv);
  return stage;
}

/** A home with this text as its configuration file. */
function homeWith(text: string): { readonly home: string; readonly path: string } {
  const home = temporaryDirectory();
  const path = join(home, ".config/aaepd/config.json");
  mkdirSync(join(home, ".config/aaepd"), { recursive: true });
  writeFileSync(path, text);
  return { home, path };
}

async function shownJson(stage: Stage, ...argv: readonly string[]): Promise<Shown> {
  await run(registerConfig, stage, "show", "--json", ...argv);
  expect(stage.err()).toBe("");
  return JSON.parse(stage.out()) as Shown;
}

const one = ({ options }: Shown, name: string): ShownOption | undefined =>
  options.find((option) => option.name === name);

describe("aaepd config show", () => {
  it("prints every value under the headings of the documentation, with its source", async () => {
    const { home, path } = homeWith('{"burst": 1, "heartbeat_seconds": 1}');
    const stage = stageIn(home, { AAEPD_LOG_LEVEL: "debug" });
    await run(registerConfig, stage, "show", "--max-hold-ms", "2000", "--no-compression");
    const lines = stage.out().trimEnd().split("\n");
    expect(lines.slice(0, 5)).toEqual([
      "The configuration of aaepd serve.",
      `The file is ${path}.`,
      "",
      "Where it listens:",
      "  producer_id: aaepd (default)",
    ]);
    expect(lines).toContain(`  journal: auto, which is ${home}/.local/state/aaepd/journal/aaepd (default)`);
    expect(lines).toContain("  max_hold_ms: 2000 milliseconds (option --max-hold-ms)");
    expect(lines).toContain("  compression: false (option --no-compression)");
    expect(lines).toContain("  log_level: debug (variable AAEPD_LOG_LEVEL)");
    expect(lines).toContain("  burst: 1 event (file)");
    expect(lines).toContain("  heartbeat_seconds: 1 second (file)");
    expect(lines.filter((line) => line.startsWith("  "))).toHaveLength(OPTION_NAMES.length);
    expect(stage.exitCode()).toBe(0);
  });

  it("prints only what was changed, or that nothing was", async () => {
    const home = temporaryDirectory();
    const same = await config(home, "show", "--changed");
    expect(same.out()).toBe(
      `The configuration of aaepd serve.\nThere is no file ${home}/.config/aaepd/config.json.\nEvery value is the default.\n`,
    );
    const changed = await config(home, "show", "--changed", "--burst", "3");
    expect(changed.out().split("\n").slice(2)).toEqual(["", "Subscribers:", "  burst: 3 events (option --burst)", ""]);
  });

  it("prints JSON with values as in the file, and the defaults of the command", async () => {
    const { home, path } = homeWith('{"a2e": {"irreversible_tools": ["delete", "send"]}}');
    const environment = { AAEPD_MAX_EVENTS_PER_SECOND: "50" };
    const serve = await shownJson(stageIn(home, environment), "--socket", "/tmp/x.sock");
    expect([serve.command, serve.file, serve.options.length]).toEqual(["serve", path, OPTION_NAMES.length]);
    expect(one(serve, "socket")).toEqual({
      name: "socket",
      value: "/tmp/x.sock",
      default: "auto",
      source: "option",
      from: "--socket",
    });
    expect(one(serve, "max_events_per_second")).toEqual({
      name: "max_events_per_second",
      value: 50,
      default: "unlimited",
      unit: "events a second",
      source: "variable",
      from: "AAEPD_MAX_EVENTS_PER_SECOND",
    });
    expect(one(serve, "a2e_irreversible_tools")).toEqual({
      name: "a2e_irreversible_tools",
      value: ["delete", "send"],
      default: [],
      source: "file",
      from: "a2e_irreversible_tools",
    });
    expect(one(serve, "journal")).toMatchObject({ value: "auto", path: expect.stringMatching(/journal\/aaepd$/) });
    expect(one(serve, "agent_grace_seconds")).toMatchObject({ value: 5, source: "default" });
    const stdio = await shownJson(stageIn(temporaryDirectory()), "--for", "stdio");
    expect([stdio.command, stdio.file]).toEqual(["stdio", null]);
    expect(one(stdio, "agent_grace_seconds")).toMatchObject({ value: 0, default: 0, source: "default" });
  });

  it("shows no secret, neither in lines nor in JSON", async () => {
    const secrets = ["s3cret-token", "s3cret-provider"];
    const providers = [{ command: ["host"], auth_token: secrets[1] }];
    const { home } = homeWith(JSON.stringify({ a2e_auth_token: secrets[0], a2e_providers: providers }));
    const lines = await config(home, "show", "--changed");
    expect(lines.out()).toContain("  a2e_auth_token: (set) (file)\n");
    const json = stageIn(home);
    const shown = await shownJson(json);
    expect(one(shown, "a2e_auth_token")).toMatchObject({ value: "(set)", default: "any" });
    expect(one(shown, "a2e_providers")).toMatchObject({ value: [{ command: ["host"], auth_token: "(set)" }] });
    for (const secret of secrets) expect(lines.out() + json.out()).not.toContain(secret);
  });

  it("names each mistake on a line of its own, and exits with 2", async () => {
    const { home, path } = homeWith('{"burts": 1}');
    const stage = await config(home, "show", "--max-hold-ms", "5");
    expect(stage.err().split("\n")).toEqual([
      `Error: Line 1 of ${path}: The key "burts" is not known. Did you mean burst?`,
      'Error: --max-hold-ms is "5". Give a whole number from 100 to 60000.',
      "",
    ]);
    expect([stage.out(), stage.exitCode()]).toEqual(["", 2]);
  });
});

describe("aaepd config init", () => {
  it("writes a file that only the user can read, in a folder that it makes, and changes nothing by it", async () => {
    const home = temporaryDirectory();
    const stage = await config(home, "init");
    const path = join(home, ".config/aaepd/config.json");
    expect(stage.out()).toContain(`Wrote ${path}.\n`);
    expect([stage.err(), stage.exitCode()]).toEqual(["", 0]);
    expect(readFileSync(path, "utf8")).toBe(configTemplate());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, ".config/aaepd")).mode & 0o777).toBe(0o700);
    for (const command of ["serve", "stdio"] as const) {
      const environment = { HOME: home };
      const { configuration, sources } = resolveConfiguration({ command, flags: {}, environment });
      const without = resolveConfiguration({ command, flags: {}, environment: { HOME: temporaryDirectory() } });
      expect(configuration).toEqual(without.configuration);
      expect(new Set(Object.values(sources).map(({ kind }) => kind))).toEqual(new Set(["default"]));
    }
  });

  it("has every option once with its default: without the slashes it is the configuration of serve", () => {
    const template = configTemplate();
    const uncommented = template.replaceAll(/^ {2}\/\/ (?=")/gm, "  ");
    const home = homeWith(uncommented).home;
    const environment = { HOME: home };
    const { configuration, sources } = resolveConfiguration({ command: "serve", flags: {}, environment });
    const without = resolveConfiguration({ command: "serve", flags: {}, environment: { HOME: temporaryDirectory() } });
    expect(configuration).toEqual(without.configuration);
    expect(Object.values(sources).filter(({ kind }) => kind !== "file")).toEqual([]);
    for (const name of OPTION_NAMES) expect(template.split(`\n  // "${keyOf(name)}": `)).toHaveLength(2);
    for (const line of template.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("replaces a file only where that is forced, and then with its rights", async () => {
    const { home, path } = homeWith('{"burst": 9}');
    chmodSync(path, 0o644);
    const stage = await config(home, "init");
    expect(stage.err()).toBe(
      `Error: There is a file ${path} already. Replace it with --force, or name another with --config.\n`,
    );
    expect(stage.exitCode()).toBe(2);
    expect(readFileSync(path, "utf8")).toBe('{"burst": 9}');
    const forced = await config(home, "init", "--force");
    expect(forced.exitCode()).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(configTemplate());
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("writes where the daemon would read, or where it is told", async () => {
    const home = temporaryDirectory();
    const named = join(home, "named.json");
    await run(registerConfig, stageIn(home, { AAEPD_CONFIG: named }), "init");
    expect(existsSync(named)).toBe(true);
    const other = join(home, "deep/er/other.json");
    await run(registerConfig, stageIn(home, { AAEPD_CONFIG: named }), "init", "--config", other);
    expect(existsSync(other)).toBe(true);
    const file = await config(home, "init", "--config", join(named, "below.json"));
    expect(file.err()).toMatch(
      /^Error: The file .* cannot be written \(\w+\)\. Name another with --config\. \(storage_unavailable\)\n$/,
    );
    expect(file.exitCode()).toBe(1);
  });
});

describe("aaepd config check", () => {
  it("lists every fault of the file of the daemon, and exits with 1", async () => {
    const { home, path } = homeWith('{\n  "max_holdms": 5,\n  "burst": 0,\n  "http": "0.0.0.0:8700"\n}\n');
    const stage = await config(home, "check", "--config", path);
    expect(stage.out().split("\n")).toEqual([
      'line 2, /max_holdms: The key "max_holdms" is not known. Did you mean max_hold_ms?',
      "line 3, /burst: burst is 0. Give a whole number from 1 to 1000.",
      expect.stringMatching(/^line 4, \/http: http is "0\.0\.0\.0:8700"\. Give addresses of this machine/),
      `${path}: 3 faults (usage).`,
      "",
    ]);
    expect([stage.err(), stage.exitCode()]).toEqual(["", 1]);
  });

  it("prints each fault as JSON, and nothing where nothing is wrong", async () => {
    const { path } = homeWith("{\n// nothing\n}");
    const good = await config(temporaryDirectory(), "check", path, "--json");
    expect([good.out(), good.exitCode()]).toEqual(["", 0]);
    expect((await config(temporaryDirectory(), "check", path)).out()).toBe(`${path}: nothing wrong.\n`);
    writeFileSync(path, '{"burst": 0}');
    const bad = await config(temporaryDirectory(), "check", path, "--json");
    expect(JSON.parse(bad.out())).toEqual({
      line: 1,
      code: "usage",
      pointer: "/burst",
      rule: "P5",
      sentence: "burst is 0. Give a whole number from 1 to 1000.",
      help: [expect.stringMatching(/reference\/errors\.md#usage$/), expect.stringMatching(/reference\/rules\.md#p5$/)],
    });
    expect(bad.exitCode()).toBe(1);
  });

  it("finds nothing wrong where there is no file, except one that was named, and says how to write that", async () => {
    const home = temporaryDirectory();
    const stage = await config(home, "check");
    const path = `${home}/.config/aaepd/config.json`;
    expect(stage.out()).toBe(`There is no file ${path}, so every option has its default: nothing wrong.\n`);
    expect([stage.err(), stage.exitCode()]).toEqual(["", 0]);
    for (const [environment, ...argv] of [[{}, "--config", path], [{}, path], [{ AAEPD_CONFIG: path }]] as const) {
      const named = await run(registerConfig, stageIn(home, environment), "check", ...argv);
      expect(named.err()).toContain(`write it with: aaepd config init --config ${path}`);
      expect(named.exitCode()).toBe(2);
    }
    const folder = await config(home, "check", home);
    expect(folder.err()).toBe(`Error: ${home} is a folder. Name a file.\n`);
    expect(folder.exitCode()).toBe(2);
  });
});
