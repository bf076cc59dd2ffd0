import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Fault } from "../../../src/base/errors.js";
import { OPTION_NAMES, OPTIONS } from "../../../src/daemon/config/config-schema.js";
import {
  type ConfigurationSources,
  defaultConfigFile,
  describeSource,
  resolveConfiguration,
} from "../../../src/daemon/config/config-sources.js";
import { fallbackOf, flagOf, keyOf, variableOf } from "../../../src/daemon/config/option-names.js";
import { SERVICE_NAMES } from "../../../transports/ways.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** Nothing given, and no file at the default place. */
function nothing(): ConfigurationSources {
  return { command: "serve", flags: {}, environment: { XDG_CONFIG_HOME: "/nonexistent" } };
}

function withFile(content: string): ConfigurationSources & { readonly path: string } {
  const path = join(temporaryDirectory(), "config.json");
  writeFileSync(path, content);
  return { ...nothing(), configFile: path, path };
}

function faultOf(sources: ConfigurationSources): Fault {
  try {
    resolveConfiguration(sources);
  } catch (caught) {
    if (caught instanceof Fault) return caught;
    throw caught;
  }
  throw new Error("the configuration was taken");
}

describe("configuration", () => {
  it.each(["serve", "stdio"] as const)("has the defaults of the table under %s", (command) => {
    const fallbacks = OPTION_NAMES.map((name) => [name, fallbackOf(name, command)]);
    const { configuration, sources } = resolveConfiguration({ ...nothing(), command });
    expect(configuration).toStrictEqual(Object.fromEntries(fallbacks));
    expect(Object.values(sources)).toEqual(OPTION_NAMES.map(() => ({ kind: "default" })));
  });

  it("takes flags before variables, variables before the file, and the file before defaults", () => {
    const file = withFile('{"max_hold_ms": 1001, "burst": 2, "log_level": "warn"}');
    const { configuration, sources } = resolveConfiguration({
      ...file,
      flags: { maxHoldMs: "1003" },
      environment: { AAEPD_MAX_HOLD_MS: "1002", AAEPD_BURST: "3" },
    });
    expect(configuration).toMatchObject({ maxHoldMs: 1003, burst: 3, logLevel: "warn", clockSkewSeconds: 60 });
    expect([sources.maxHoldMs, sources.burst, sources.logLevel, sources.clockSkewSeconds]).toStrictEqual([
      { kind: "flag", flag: "--max-hold-ms" },
      { kind: "environment", variable: "AAEPD_BURST" },
      { kind: "file", path: file.path, key: "log_level" },
      { kind: "default" },
    ]);
    expect(Object.values(sources).map(describeSource)).toContain(`log_level in ${file.path}`);
  });

  it.each([...OPTION_NAMES])("%s: gives its default back from flag, variable and file", (name) => {
    const { type } = OPTIONS[name] as (typeof OPTIONS)["maxHoldMs"];
    const fallback = fallbackOf(name, "serve") as number;
    const text = type.toText(fallback);
    const taken = (sources: ConfigurationSources) => resolveConfiguration(sources).configuration[name];
    expect(taken({ ...nothing(), flags: { [name]: text } })).toStrictEqual(fallback);
    expect(taken({ ...nothing(), environment: { [variableOf(name)]: text } })).toStrictEqual(fallback);
    const json = /^(\d+|true|false)$/.test(text) ? text : JSON.stringify(text);
    expect(taken(withFile(`{"${keyOf(name)}": ${json}}`))).toStrictEqual(fallback);
    expect(flagOf(name)).toMatch(/^--[a-z][a-z0-9]*(-[a-z]+)*$/);
  });

  it("refuses unknown keys and variables with the nearest known one, all at once, in the order of the lines", () => {
    const file = withFile('{"max_holdms": 5,\n"log_level": 5,\n"maxHoldMs": 2}');
    const fault = faultOf({ ...file, environment: { AAEPD_LOG_LEVLE: "info", OTHER: "x" } });
    expect(fault.code).toBe("usage");
    expect(fault.sentence.split("\n")).toStrictEqual([
      "The variable AAEPD_LOG_LEVLE is not known. Did you mean AAEPD_LOG_LEVEL?",
      `Line 1 of ${file.path}: The key "max_holdms" is not known. Did you mean max_hold_ms?`,
      `Line 2 of ${file.path}: log_level is 5. Give a text in quotes (debug, info, warn, error, off).`,
      `Line 3 of ${file.path}: The key "maxHoldMs" is not known. Did you mean max_hold_ms?`,
    ]);
  });

  it.each(OPTION_NAMES.filter((name) => /^\d+ to \d+(,|$)/.test(OPTIONS[name].type.range)))(
    "%s takes the ends of its range, and refuses what is beyond them with the range",
    (name) => {
      const { type } = OPTIONS[name] as (typeof OPTIONS)["maxHoldMs"];
      const [, least = 0, most = 0, word = ""] =
        /^(\d+) to (\d+)(.*)/.exec(type.range)?.map((end, at) => (at < 3 ? Number(end) : end)) ?? [];
      for (const end of [least, most]) expect(type.fromText(String(end))).toEqual({ kind: "value", value: end });
      for (const beyond of [Number(least) - 1, Number(most) + 1]) {
        const wanted = `Give a whole number from ${least} to ${most}${word}.`;
        const flags = { [name]: String(beyond) };
        expect(faultOf({ ...nothing(), flags }).sentence).toBe(`${flagOf(name)} is "${beyond}". ${wanted}`);
      }
    },
  );

  it.each([
    [{ corsOrigins: "https://a.example" }, "--cors-origins"],
    [{ compression: true }, "--compression"],
  ] as const)("%j without --http is refused: it would change nothing", (flags, flag) => {
    const needs = `${flag} is for the services of http, and http is off. Give --http as well, or leave ${flag} out.`;
    expect(faultOf({ ...nothing(), flags }).sentence).toBe(needs);
    expect(faultOf({ ...nothing(), flags: { ...flags, http: "off", grpc: "auto" } }).sentence).toBe(needs);
    const environment = { ...nothing().environment, AAEPD_HTTP: "auto" };
    expect(resolveConfiguration({ ...nothing(), flags, environment }).configuration.http).toEqual({ kind: "auto" });
  });

  it("--http-token-file without any service is refused, and taken with either", () => {
    const flags = { httpTokenFile: "/run/token" };
    const needs =
      "--http-token-file is for the services of http and grpc, and both are off. Give --http or --grpc as well, or leave --http-token-file out.";
    expect(faultOf({ ...nothing(), flags }).sentence).toBe(needs);
    for (const service of SERVICE_NAMES)
      expect(
        resolveConfiguration({ ...nothing(), flags: { ...flags, [service]: "auto" } }).configuration.httpTokenFile,
      ).toEqual({ kind: "path", path: "/run/token" });
  });

  it("what would change nothing is taken from where it may stand for other starts, and where it is the default", () => {
    const file = withFile('{"cors_origins": "https://a.example", "compression": true}');
    const environment = { AAEPD_CORS_ORIGINS: "https://b.example" };
    expect(resolveConfiguration({ ...file, environment, flags: { http: "off" } }).configuration).toMatchObject({
      corsOrigins: ["https://b.example"],
      compression: true,
    });
    const flags = { corsOrigins: "none", compression: false };
    expect(resolveConfiguration({ ...nothing(), flags }).configuration.corsOrigins).toEqual([]);
  });

  it("a producer id is as long as a socket's name can be, and not longer", () => {
    const of = (producerId: string) => ({ ...nothing(), flags: { producerId } });
    expect(resolveConfiguration(of("x".repeat(64))).configuration.producerId).toHaveLength(64);
    expect(faultOf(of("x".repeat(65))).sentence).toContain("1 to 64 characters");
  });

  it.each(["1.5", "1e3", "", " 5000", "0x10", "5000ms", "-1", "05000", "99999999999999999999"])(
    "refuses %j where a whole number is wanted",
    (text) => {
      expect(faultOf({ ...nothing(), flags: { maxHoldMs: text } }).sentence).toContain(JSON.stringify(text));
    },
  );

  it.each([
    ['{"max_hold_ms": "5000"}', 'is "5000". Give a whole number'],
    ['{"max_hold_ms": null}', "is null. Give a whole number"],
    ['{"watch_parent": "true"}', 'is "true". Give true or false, without quotes'],
    ['{"producer_id": 5}', "is 5. Give a text in quotes"],
    ['{"sequencing": "strict"}', "Give one of enforce, warn"],
    ['{"default_language": "en_US"}', "Give a language tag such as en-US"],
    ['{"max_hold_ms": 1e400}', "is Infinity. Give a whole number"],
    ['{"journal": "memry"}', "Give memory, or ./memry for a folder of that name"],
    ['{"audit": "offf"}', "Give off, or ./offf for a folder of that name"],
    ["[]", "holds no object"],
    ["{", "is not JSON"],
    ['{"__proto__": {}}', 'The key "__proto__"'],
  ])("refuses the file %s", (content, expected) => {
    expect(faultOf(withFile(content)).sentence).toContain(expected);
  });

  it.each([
    ["zh-cmn-Hans", "zh-Hans"],
    ["I-Klingon", "tlh"],
    ["sgn-BE-FR", "sfb"],
    ["iw", "he"],
  ])("RFC 5646: %s is the language %s", (written, language) => {
    const { configuration } = resolveConfiguration({ ...nothing(), flags: { defaultLanguage: written } });
    expect(configuration.defaultLanguage).toBe(language);
  });

  it("the file may have the options of A2E in an object of their own", () => {
    const provider = { command: ["python3", "host.py"], priority: 2, capabilities: ["tools"], auth_token: "secret" };
    const grouped = { a2e: { providers: [provider], irreversible_tools: ["delete"], max_parallel: 9 } };
    const { configuration, sources } = resolveConfiguration(withFile(JSON.stringify(grouped)));
    expect(configuration).toMatchObject({
      a2eProviders: [
        {
          name: "provider-1",
          command: ["python3", "host.py"],
          priority: 2,
          capabilities: ["tools"],
          authToken: "secret",
        },
      ],
      a2eIrreversibleTools: ["delete"],
      a2eMaxParallel: 9,
    });
    expect(sources.a2eProviders).toMatchObject({ kind: "file", key: "a2e_providers" });
    const flat = { a2e_providers: [provider], a2e_irreversible_tools: ["delete"], a2e_max_parallel: 9 };
    expect(resolveConfiguration(withFile(JSON.stringify(flat))).configuration).toEqual(configuration);
    expect(OPTIONS.a2eProviders.type.toText(configuration.a2eProviders)).not.toContain("secret");
    expect(faultOf(withFile('{"a2e": {"provider": []}}')).sentence).toContain("Did you mean a2e_providers?");
    expect(faultOf(withFile('{"a2e": []}')).sentence).toContain('The key "a2e" must be an object');
    const twice = withFile('{"a2e": {"max_parallel": 4}, "a2e_max_parallel": 7}');
    expect(faultOf(twice).sentence).toContain("a2e_max_parallel stands twice");
  });

  it.each([
    "{}",
    "[{}]",
    "[null]",
    "[[]]",
    '[{"command": []}]',
    '[{"command": [""]}]',
    '[{"command": "python3"}]',
    '[{"command": ["host", "a\\u0000b"]}]',
    '[{"command": ["host", 5]}]',
    '[{"command": ["a"], "name": ""}]',
    '[{"command": ["a"], "name": 5}]',
    '[{"command": ["a"], "priority": 1.5}]',
    '[{"command": ["a"], "priority": 1000001}]',
    '[{"command": ["a"], "capabilities": [5]}]',
    '[{"command": ["a"], "auth_token": 5}]',
    '[{"command": ["a"], "prioriy": 5}]',
    '[{"command": ["a"], "name": "x"}, {"command": ["b"], "name": "x"}]',
  ])("refuses %s as providers of A2E, in the file and on the command line", (text) => {
    for (const sources of [{ ...nothing(), flags: { a2eProviders: text } }, withFile(`{"a2e_providers": ${text}}`)])
      expect(faultOf(sources).sentence).toMatch(/a2e.providers cannot be used\. Give a list of objects such as/);
    expect(faultOf({ ...nothing(), flags: { a2eProviders: "[" } }).sentence).toContain(
      "Give a list of objects such as",
    );
  });

  it("the parts of A2E's options may be so many and so long, and not more", () => {
    const taken = (name: "a2eProviders" | "a2eIrreversibleTools" | "a2eAuthToken", json: unknown) =>
      OPTIONS[name].type.fromJson(json).kind === "value";
    const longest = "x".repeat(1024);
    const many = (count: number, one: unknown = "x") => Array.from({ length: count }, () => one);
    const provider = (more: object) => [{ command: ["a"], ...more }];
    const providers = (count: number) => Array.from({ length: count }, () => ({ command: ["a"] }));
    for (const [name, most, over] of [
      ["a2eAuthToken", longest, `${longest}x`],
      ["a2eAuthToken", "x", ""],
      ["a2eIrreversibleTools", [longest], [`${longest}x`]],
      ["a2eIrreversibleTools", many(1024), many(1025)],
      ["a2eIrreversibleTools", ["x"], [""]],
      ["a2eProviders", provider({ name: longest }), provider({ name: `${longest}x` })],
      ["a2eProviders", provider({ command: many(1024) }), provider({ command: many(1025) })],
      ["a2eProviders", provider({ priority: -1_000_000 }), provider({ priority: -1_000_001 })],
      ["a2eProviders", providers(64), providers(65)],
    ] as const)
      expect([taken(name, most), taken(name, over)]).toEqual([true, false]);
  });

  it("tells of variables that are not known, then of the file, then of values", () => {
    const environment = { AAEPD_LOG_LEVLE: "info" };
    const sentencesOf = (sources: ConfigurationSources) =>
      faultOf({ ...sources, environment, flags: { burst: "0" } }).sentence.split("\n");
    const unknown = "The variable AAEPD_LOG_LEVLE is not known. Did you mean AAEPD_LOG_LEVEL?";
    const wrong = '--burst is "0". Give a whole number from 1 to 1000.';
    const missing = join(temporaryDirectory(), "c.json");
    expect(sentencesOf({ ...nothing(), configFile: missing })).toStrictEqual([
      unknown,
      `There is no file ${missing}. Name one that exists, or write it with: aaepd config init --config ${missing}`,
      wrong,
    ]);
    for (const content of ["{", "[]"]) {
      const file = withFile(content);
      expect(sentencesOf(file)).toStrictEqual([unknown, expect.stringContaining(`Line 1 of ${file.path}: `), wrong]);
    }
  });

  it("takes unlimited for the rate, canonical language tags, and paths from where it was started", () => {
    const { configuration } = resolveConfiguration({
      ...nothing(),
      flags: { maxEventsPerSecond: "unlimited", defaultLanguage: "YO-ng", socket: "here.sock", watchParent: true },
    });
    expect(configuration).toMatchObject({
      defaultLanguage: "yo-NG",
      socket: { kind: "path", path: join(process.cwd(), "here.sock") },
      watchParent: true,
    });
    expect(configuration.maxEventsPerSecond).toBeUndefined();
  });

  it.each(["socket", "journal", "audit", "httpTokenFile", "http"] as const)(
    "%s: ~/ at the beginning is the home folder, and variables are refused, in the file, in a variable and on the command line",
    (name) => {
      const prefix = name === "http" ? "unix:" : "";
      const from = (text: string): readonly ConfigurationSources[] => [
        withFile(JSON.stringify({ [keyOf(name)]: prefix + text })),
        { ...nothing(), environment: { ...nothing().environment, [variableOf(name)]: prefix + text } },
        { ...nothing(), flags: { http: "auto", [name]: prefix + text } },
      ];
      for (const sources of from("~/a/b")) {
        const value = JSON.stringify(resolveConfiguration(sources).configuration[name]);
        expect(value).toContain(JSON.stringify(join(homedir(), "a", "b")));
      }
      for (const text of ["$HOME/a", "/tmp/$USER/a", "~other/a"])
        for (const sources of from(text)) expect(faultOf(sources).sentence).toContain("without variables");
    },
  );

  it("takes the names of pipes as they are", () => {
    const { configuration } = resolveConfiguration({ ...nothing(), flags: { socket: "\\\\.\\pipe\\aaep\\x" } });
    expect(configuration.socket).toStrictEqual({ kind: "path", path: "\\\\.\\pipe\\aaep\\x" });
  });

  it("takes a folder for the journal from where it was started, and under stdio keeps events in memory; R8: has no grace for the agent there, and watches the parent", () => {
    const { configuration } = resolveConfiguration({ ...nothing(), flags: { journal: "here" } });
    expect(configuration.journal).toStrictEqual({ kind: "directory", path: resolve("here") });
    const { configuration: stdio } = resolveConfiguration({ ...nothing(), command: "stdio" });
    expect(stdio).toMatchObject({ journal: { kind: "memory" }, agentGraceSeconds: 0, watchParent: true });
    expect(faultOf({ ...nothing(), flags: { journal: "" } }).sentence).toBe(
      '--journal is "". Give a folder, auto or memory.',
    );
  });

  it("reads the file of XDG where there is one, and misses a file only where one was named", () => {
    const home = temporaryDirectory();
    const environment = { XDG_CONFIG_HOME: home };
    expect(resolveConfiguration({ ...nothing(), environment }).configuration.burst).toBe(1);
    const path = defaultConfigFile(environment);
    expect(path).toBe(join(home, "aaepd", "config.json"));
    mkdirSync(join(home, "aaepd"));
    writeFileSync(path, '\uFEFF{"burst": 7}');
    expect(resolveConfiguration({ ...nothing(), environment }).configuration.burst).toBe(7);
    expect(faultOf({ ...nothing(), environment: { AAEPD_CONFIG: join(home, "other.json") } }).sentence).toContain(
      "AAEPD_CONFIG names a file that cannot be used. There is no file",
    );
    const named = "~/no/such.json";
    expect(faultOf({ ...nothing(), configFile: named }).sentence).toContain(join(homedir(), "no", "such.json"));
    expect(faultOf({ ...nothing(), configFile: "$HOME/aaepd.json" }).sentence).toContain("--config is");
  });

  it("looks for the file where each platform keeps such files", () => {
    expect(defaultConfigFile({ HOME: "/home/a" }, "linux")).toBe("/home/a/.config/aaepd/config.json");
    expect(defaultConfigFile({ HOME: "/home/a", XDG_CONFIG_HOME: "relative" }, "linux")).toBe(
      "/home/a/.config/aaepd/config.json",
    );
    expect(defaultConfigFile({ APPDATA: "/apps" }, "win32")).toBe("/apps/aaepd/config.json");
  });
});

describe("a file that another user could have written names no program", () => {
  const providers = '{"a2e_providers": [{"name": "tools", "command": ["true"]}]}';
  const spoilt: readonly (readonly [what: string, spoil: (path: string) => void, words: string])[] = [
    ["a mode that lets others write", (path) => chmodSync(path, 0o646), "has mode 0646"],
    ["a folder that lets others replace it", (path) => chmodSync(join(path, ".."), 0o777), "has mode 0777"],
    // Only root gives files away.
    ...(process.getuid?.() === 0
      ? [["another owner", (path: string) => chownSync(path, 65_534, 65_534), "belongs to user 65534"] as const]
      : []),
  ];

  it.runIf(process.platform !== "win32").each(spoilt)("%s", (_, spoil, words) => {
    const sources = withFile(providers);
    chmodSync(sources.path, 0o644);
    expect(resolveConfiguration(sources).configuration.a2eProviders).toHaveLength(1);
    spoil(sources.path);
    expect(faultOf(sources).sentence).toContain(words);
  });
});
