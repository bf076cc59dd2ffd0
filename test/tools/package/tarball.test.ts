// The tarball as a stranger meets it: installed in an empty folder by npm, without an install script, and without the packages of any group.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedSize } from "../../../scripts/sizes.mjs";
import {
  missingPackagesSentence,
  PACKAGE_GROUPS,
  type PackageGroupName,
} from "../../../transports/optional-packages.js";
import { SERVICE_NAMES } from "../../../transports/ways.js";
import { eventually } from "../../cli/command-stage.js";
import { startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createFolders, packSources, ROOT, run, succeed } from "./stage.js";

const MOST_PACKAGES = 30;
const MOST_MEGABYTES = 25;
const NPM_INSTALL = ["install", "--no-audit", "--no-fund"];

const folders = createFolders();
/** An empty folder in which nothing but the tarball was installed, without scripts. */
let user = "";
let tarball = "";

beforeAll(async () => {
  tarball = await packSources(folders.empty("sources"));
  user = folders.empty("user");
  await succeed(user, "npm", ...NPM_INSTALL, "--ignore-scripts", tarball);
}, 600_000);
afterAll(() => folders.leave());

const installedProgram = (folder: string): string => join(folder, "node_modules/aaepd/bin/aaepd.js");

/** Paths of the installed packages, as in `node_modules/@lmdb/lmdb-linux-x64`. */
function packagesIn(folder: string): readonly string[] {
  return readdirSync(join(folder, "node_modules"), { recursive: true })
    .map((path) => `node_modules/${String(path).replaceAll("\\", "/")}`)
    .filter((path) => /(^|\/)node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => path.slice(0, -"/package.json".length));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1));
}

describe("the tarball", () => {
  it("has what a user needs, and nothing of the project's own tests and tools", () => {
    const files = filesIn(join(user, "node_modules/aaepd"));
    expect([...new Set(files.map((path) => path.split("/")[0]))].sort()).toEqual([
      "LICENSE",
      "README.md",
      "bin",
      "dist",
      "docs",
      "examples",
      "gen",
      "man",
      "package.json",
      "packaging",
      "proto",
      "schemas",
    ]);
    const modules = files.filter((path) => path.startsWith("dist/") && path.endsWith(".js"));
    expect(modules).toContain("dist/bundle/main.js");
    expect(modules.filter((path) => !/^dist\/(bundle|examples|lmdb)\//.test(path))).toEqual([]);
    expect(files.filter((path) => /\.map$|\.tsbuildinfo$|\.test\.|(^|\/)(test|bench)\//.test(path))).toEqual([]);
    const maps = modules.filter((path) =>
      readFileSync(join(user, "node_modules/aaepd", path), "utf8").includes("sourceMappingURL"),
    );
    expect(maps).toEqual([]);
  });

  it("its pages point to files that it has", () => {
    const root = join(user, "node_modules/aaepd");
    const pages = filesIn(root).filter((path) => path.endsWith(".md"));
    expect(pages.length).toBeGreaterThan(20);
    const dangling = pages.flatMap((page) =>
      [...readFileSync(join(root, page), "utf8").matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)]
        .map(([, link = ""]) => link)
        .filter((link) => !existsSync(join(root, page, "..", link)))
        .map((link) => link.replace(/^(\.\.\/)+/, "")),
    );
    expect(dangling).toEqual([]);
  });

  it("brings few packages, no types of Node and none of a group, and stays small on the disk", () => {
    const packages = packagesIn(user);
    expect(packages.filter((path) => path.startsWith("node_modules/@lmdb/"))).toHaveLength(1);
    const size = installedSize(user);
    expect(size.packages).toBeLessThanOrEqual(MOST_PACKAGES);
    expect(size.bytes / 1e6).toBeLessThanOrEqual(MOST_MEGABYTES);
    const grouped = Object.values(PACKAGE_GROUPS).flatMap((group) => Object.keys(group.packages));
    expect(packages.filter((path) => path.includes("/@types/"))).toEqual([]);
    expect(grouped.filter((name) => packages.includes(`node_modules/${name}`))).toEqual([]);
  });

  it("runs no script of ours where scripts run", async () => {
    const folder = folders.empty("scripts");
    const told = await run(folder, "npm", ...NPM_INSTALL, "--foreground-scripts", tarball);
    expect(told.code).toBe(0);
    const ran = [...`${told.stdout}${told.stderr}`.matchAll(/^> (\S+)@\S+ \w+$/gm)].map(([, name]) => name);
    expect(ran).not.toContain("aaepd");
  }, 300_000);
});

describe("what was installed without a script", () => {
  it("runs the demo, to its end", async () => {
    const out = await succeed(user, "npx", "--no", "--", "aaepd", "demo", "--speed", "20");
    expect(out).toContain("text: complete, every character once and in order");
  }, 300_000);

  it("writes a configuration, completes, and brings its manual pages", async () => {
    const file = join(user, "aaepd.json");
    expect(await succeed(user, "npx", "--no", "--", "aaepd", "config", "init", "--config", file)).toContain(
      `Wrote ${file}.`,
    );
    expect(await succeed(user, "npx", "--no", "--", "aaepd", "config", "check", file)).toBe(
      `${file}: nothing wrong.\n`,
    );
    expect(await succeed(user, "npx", "--no", "--", "aaepd", "completion", "bash")).toContain(
      "complete -o default -F _aaepd aaepd\n",
    );
    const { man } = JSON.parse(readFileSync(join(user, "node_modules/aaepd/package.json"), "utf8"));
    expect(man.length).toBeGreaterThan(10);
    expect(man.filter((page: string) => !existsSync(join(user, "node_modules/aaepd", page)))).toEqual([]);
  });

  it("keeps events on the disk, and finds sentences by the library for them", async () => {
    const directory = temporaryDirectory();
    const environment = { XDG_RUNTIME_DIR: directory, XDG_STATE_HOME: directory };
    const serve = startProgram(["serve"], { entry: installedProgram(user), environment });
    await serve.stdoutLines(1);
    const recording = join(user, "node_modules/aaepd/examples/sessions/parallel-tools.ndjson");
    const publish = startProgram(["publish", recording], { entry: installedProgram(user), environment });
    expect([(await publish.ended).code, publish.stderr()]).toEqual([0, expect.any(String)]);
    serve.child.kill("SIGTERM");
    expect((await serve.ended).code).toBe(0);
    const inspect = startProgram(["journal", "inspect"], { entry: installedProgram(user), environment });
    expect((await inspect.ended).code).toBe(0);
    expect(inspect.stdout()).toMatch(/\d{3,} events/);
    const doctor = startProgram(["doctor", "--json"], { entry: installedProgram(user), environment });
    await doctor.ended;
    const { findings } = JSON.parse(doctor.stdout()) as { readonly findings: readonly { readonly code: string }[] };
    expect(findings.filter(({ code }) => /_missing$/.test(code))).toEqual([]);
  }, 120_000);

  it("its exports are one program: an agent, a listener and a daemon share their faults", async () => {
    writeFileSync(
      join(user, "exports.mjs"),
      `import * as own from "aaepd";
       import { Fault, subscribe } from "aaepd/client";
       import { ipcConnector } from "aaepd/client/node";
       import { createClock, createIdSource, createLog, createMemoryPair, resolveConfiguration, sha256Hex, startDaemon } from "aaepd/daemon";
       const { configuration } = resolveConfiguration({ command: "serve", flags: { socket: "off", journal: "memory" }, environment: {} });
       const daemon = await startDaemon({
         ...configuration, version: "1.0.0", clock: createClock(), ids: createIdSource(), log: createLog("off"), sha256Hex,
       });
       const agent = await own.openAgent({ id: "a", connectors: [] });
       const caught = await new Promise((resolve) => {
         try { ipcConnector(""); } catch (error) { resolve(error); }
       });
       console.log(caught instanceof Fault && caught instanceof own.Fault, typeof subscribe, typeof createMemoryPair);
       await agent.close();
       await daemon.stop("signal");`,
    );
    expect(await succeed(user, process.execPath, "exports.mjs")).toBe("true function function\n");
  }, 120_000);

  it("its types compile for a strict program that checks libraries too; the client's in a browser, without those of Node", async () => {
    const folder = folders.empty("types");
    mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
    cpSync(join(user, "node_modules/aaepd"), join(folder, "node_modules/aaepd"), { recursive: true });
    const compile = (name: string, libraries: string, types: readonly string[], source: string) => {
      writeFileSync(join(folder, `${name}.mts`), source);
      const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck", "false"];
      const lib = ["--lib", `es2023,esnext.disposable${libraries}`, "--types", types.join(",")];
      const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
      return run(folder, process.execPath, compiler, ...options, ...lib, `${name}.mts`);
    };
    const pure = `import { openAgent, subscribe, type ReceivedEvent } from "aaepd/client";
       export type E = ReceivedEvent; export { openAgent, subscribe };`;
    expect(await compile("pure", ",dom", [], pure)).toMatchObject({ code: 0, stdout: "" });
    for (const name of ["node", "undici-types"]) {
      const place = name === "node" ? "@types/node" : name;
      symlinkSync(join(ROOT, "node_modules", place), join(folder, "node_modules", place));
    }
    const all = `import { openAgent } from "aaepd";
       import { ipcConnector } from "aaepd/client/node";
       import { type Daemon, type DaemonOptions, startDaemon } from "aaepd/daemon";
       export const start: (options: DaemonOptions) => Promise<Daemon> = startDaemon;
       export { ipcConnector, openAgent };
       // @ts-expect-error: an agent has an id.
       void openAgent({});`;
    // TypeScript 6 and newer include no types by themselves.
    expect(await compile("all", "", [], all)).toMatchObject({ code: 0, stdout: "" });
  }, 120_000);
});

describe("a group that is not installed", () => {
  const sentence = (group: PackageGroupName): string => `Error: ${missingPackagesSentence(group)}\n`;

  it.each([
    ["grpc", ["serve", "--grpc", "auto", "--journal", "memory"]],
    ["http", ["serve", "--http", "127.0.0.1:0"]],
    ["http", ["stdio", "--http", "auto"]],
    ["http", ["conformance", "producer", "--endpoint", "grpc://unix:/tmp/none", "--level", "1"]],
    ["http", ["conformance", "subscriber", "--endpoint", "http://localhost:1", "--level", "1", "--start", "true"]],
  ] as const)("%s: %j says with which command to install it, makes nothing, and ends with 2", async (group, argv) => {
    const directory = temporaryDirectory();
    const environment = { XDG_RUNTIME_DIR: directory, XDG_STATE_HOME: directory };
    const program = startProgram(argv, { entry: installedProgram(user), environment });
    expect((await program.ended).code).toBe(2);
    expect([program.stdout(), program.stderr()]).toEqual(["", sentence(group)]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is told by doctor, and by a daemon that reads such a configuration again", async () => {
    const directory = temporaryDirectory();
    const config = join(directory, "c.json");
    writeFileSync(config, '{"journal": "memory"}', { mode: 0o600 });
    const environment = { XDG_RUNTIME_DIR: directory, XDG_STATE_HOME: directory, AAEPD_CONFIG: config };
    const serve = startProgram(["serve"], { entry: installedProgram(user), environment });
    await serve.stdoutLines(1);
    writeFileSync(config, '{"journal": "memory", "http": "auto"}');
    serve.child.kill("SIGHUP");
    await eventually(() => expect(serve.stderr()).toContain("takes effect at the next start"));
    await eventually(() => expect(serve.stderr()).toContain(JSON.stringify(missingPackagesSentence("http"))));
    expect(serve.stderr()).not.toContain("grpc");
    const doctor = startProgram(["doctor"], { entry: installedProgram(user), environment });
    expect((await doctor.ended).code).toBe(1);
    expect(doctor.stdout()).toContain(
      "The configuration asks for --http, and packages of HTTP, Connect and WebSocket are missing.",
    );
  });

  it("is told with every other group that is missing", async () => {
    const environment = { XDG_RUNTIME_DIR: temporaryDirectory() };
    const program = startProgram(["serve", "--grpc", "auto", "--http", "auto"], {
      entry: installedProgram(user),
      environment,
    });
    expect((await program.ended).code).toBe(2);
    expect(program.stderr()).toBe(`Error: ${missingPackagesSentence("grpc", "http")}\n`);
  });

  it("works once the command that was printed has been run", async () => {
    const folder = folders.empty("groups");
    await succeed(folder, "npm", ...NPM_INSTALL, "--ignore-scripts", tarball);
    for (const group of SERVICE_NAMES) {
      const [, command = ""] = /(npm install .*)$/.exec(missingPackagesSentence(group)) ?? [];
      await succeed(folder, "sh", "-c", `${command} --ignore-scripts`);
      const directory = temporaryDirectory();
      const environment = { XDG_RUNTIME_DIR: directory };
      const options = [`--${group}`, "auto", "--journal", "memory", "--log-level", "off"];
      const serve = startProgram(["serve", ...options], { entry: installedProgram(folder), environment });
      const [line = ""] = await serve.stdoutLines(1);
      const socket = join(directory, `aaep/aaepd.${group}`);
      expect(JSON.parse(line)).toMatchObject({ endpoints: { [group]: [`unix:${socket}`] } });
      if (group === "http") {
        const suite = ["conformance", "producer", "--endpoint", `http://unix:${socket}`, "--level", "1"];
        const judged = startProgram(suite, { entry: installedProgram(folder), environment });
        await judged.ended;
        expect(judged.stdout()).toMatch(/[1-9]\d* passed, 0 failed/);
      }
      serve.child.kill("SIGTERM");
      expect((await serve.ended).code).toBe(0);
    }
  }, 600_000);
});
