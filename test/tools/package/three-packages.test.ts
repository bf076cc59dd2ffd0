// The three packages as their users install them: each alone in an empty folder, so that nothing of another is found by chance.
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installedSize } from "../../../scripts/sizes.mjs";
import { startCommand, startProgram } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { compile, missedFlaws, programOf, RESOLUTIONS } from "../../support/typed-programs.js";
import { createFolders, packAll, ROOT, run, succeed, type Tarballs } from "./stage.js";

const NPM_INSTALL = ["install", "--no-audit", "--no-fund", "--ignore-scripts"];

const folders = createFolders();
const user = { daemon: "", client: "", suite: "", tools: "" };

beforeAll(async () => {
  const tarballs: Tarballs = await packAll(folders.empty("sources"));
  const install = async (name: string, ...what: readonly string[]): Promise<string> => {
    const folder = folders.empty(name);
    writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}');
    await succeed(folder, "npm", ...NPM_INSTALL, ...what);
    return folder;
  };
  user.daemon = await install("daemon", tarballs.aaepd);
  user.client = await install("client", tarballs["@aaepd/client"]);
  user.suite = await install("suite", tarballs["@aaepd/conformance"]);
  const compilers = COMPILERS.map(([version, name]) => `${name}@npm:typescript@${version}`);
  user.tools = await install("tools", ...compilers, "bun@1", "deno@2");
  writeFileSync(join(user.client, "agent.mjs"), AGENT);
  writeFileSync(join(user.client, "listener.mjs"), LISTENER);
}, 900_000);
afterAll(() => folders.leave());

const AGENT = `import { openAgent } from "@aaepd/client";
const agent = await openAgent({ id: "counter", mode: "required" });
await agent.session("Counts.", (session) => session.say(["Three ", "books."]));
await agent.close();
`;
const LISTENER = `import { subscribe } from "@aaepd/client";
console.log("looking");
const onState = ({ kind }) => kind === "active" && console.log("listening");
for await (const event of subscribe({ preferred_verbosity: "terse" }, { onState })) {
  if (event.chunk) console.log(event.chunk);
  if (event.type === "aaep:agent.session.completed") break;
}
`;

/** The oldest and the newest of each TypeScript for which the types are made, and the names under which they are installed. */
const COMPILERS = [
  ["5.2.2", "typescript-5.2"],
  ["5.9.3", "typescript-5.9"],
  ["6", "typescript-6"],
  ["7", "typescript-7"],
] as const;

/** What a user of Node installs besides. */
function withNodeTypes(folder: string): string {
  const types = join(folder, "node_modules/@types");
  mkdirSync(types, { recursive: true });
  if (!existsSync(join(types, "node"))) symlinkSync(join(ROOT, "node_modules/@types/node"), join(types, "node"));
  return folder;
}

/** How a program runs in each runtime, with the rights that it needs. */
const RUNTIMES: Readonly<Record<string, () => readonly string[]>> = {
  Node: () => [process.execPath],
  Bun: () => [binaryOf("@oven", /^bun-[a-z]+-[a-z0-9]+$/, "bin/bun")],
  Deno: () => [binaryOf("@deno", /./, "deno"), "run", "--allow-all"],
};

/** A runtime's binary is in a package of its own for each platform. */
function binaryOf(scope: string, name: RegExp, path: string): string {
  const folder = join(user.tools, "node_modules", scope);
  const found = readdirSync(folder)
    .filter((one) => name.test(one))
    .map((one) => join(folder, one, path));
  const [binary] = found.filter((one) => existsSync(one));
  if (binary === undefined) throw new Error(`No binary in ${folder}.`);
  return binary;
}

const daemonProgram = (): string => join(user.daemon, "node_modules/aaepd/bin/aaepd.js");
const clientFolder = (): string => join(user.client, "node_modules/@aaepd/client");

/** What the files of a bundle import that is not in it. */
function importsOf(folder: string): ReadonlySet<string> {
  const bundle = join(folder, "dist/bundle");
  const texts = readdirSync(bundle).map((name) => readFileSync(join(bundle, name), "utf8"));
  const named = texts.flatMap((text) => [...text.matchAll(/(?:from|import)\s*\(?"([^".#][^"]*)"/g)]);
  return new Set(
    named.map(([, from = ""]) =>
      from
        .split("/")
        .slice(0, from.startsWith("@") ? 2 : 1)
        .join("/"),
    ),
  );
}

describe("@aaepd/client, installed alone", () => {
  it("is one package of at most 300 kB, and imports no other", () => {
    const { packages, bytes } = installedSize(user.client);
    expect(packages).toBe(1);
    expect(bytes).toBeLessThanOrEqual(300_000);
    expect([...importsOf(clientFolder())].filter((name) => !name.startsWith("node:"))).toEqual([]);
    expect(readFileSync(join(clientFolder(), "dist/bundle/web.js"), "utf8")).not.toContain("node:");
  });

  it.each(Object.entries(RUNTIMES))(
    "is heard and hears in %s, by a daemon that was installed apart",
    async (_, runtime) => {
      const environment = { XDG_RUNTIME_DIR: temporaryDirectory() };
      const serve = startProgram(["serve", "--journal", "memory"], { entry: daemonProgram(), environment });
      await serve.stdoutLines(1);
      const start = (file: string) => startCommand([...runtime(), file], { cwd: user.client, environment });
      const listener = start("listener.mjs");
      await listener.stdoutLines(2);
      const agent = start("agent.mjs");
      expect([(await agent.ended).code, agent.stderr()]).toEqual([0, ""]);
      expect((await listener.ended).code).toBe(0);
      expect(listener.stdout()).toBe("looking\nlistening\nThree books.\n");
    },
    60_000,
  );

  it("starts the daemon that is on the PATH where none runs", async () => {
    const bin = join(user.daemon, "node_modules/.bin");
    const environment = { XDG_RUNTIME_DIR: temporaryDirectory(), PATH: `${bin}:${process.env.PATH ?? ""}` };
    const start = (file: string) => startCommand([process.execPath, file], { cwd: user.client, environment });
    const listener = start("listener.mjs");
    await listener.stdoutLines(1);
    // The daemon ends with its agent, which waits half a second for listeners that look for it.
    const agent = start("agent.mjs");
    expect([(await agent.ended).code, agent.stderr()]).toEqual([0, ""]);
    await listener.ended;
    expect(listener.stdout()).toContain("listening\n");
  }, 60_000);

  describe.each(COMPILERS)("TypeScript %s", (_version, name) => {
    const compiler = () => join(user.tools, "node_modules", name, "bin/tsc");
    const [nodeNext, bundler] = RESOLUTIONS;
    const programs = [
      { from: "@aaepd/client", lib: ["es2022"], types: ["node"], ...nodeNext },
      { from: "@aaepd/client/web", lib: ["es2023", "dom"], types: [], ...bundler },
    ] as const;

    it.each(programs)(
      "checks a program that imports $from, and the types of the library",
      ({ from, ...options }) => {
        const files = { "right.ts": programOf("right", from), "wrong.ts": programOf("wrong", from) };
        expect(missedFlaws(compile(withNodeTypes(user.client), files, options, compiler()))).toEqual([]);
      },
      60_000,
    );
  });
});

describe("@aaepd/conformance, installed alone", () => {
  it("imports what its package.json names", () => {
    const folder = join(user.suite, "node_modules/@aaepd/conformance");
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const named = [...importsOf(folder)].filter((name) => !name.startsWith("node:"));
    expect(named.filter((name) => !(name in peerDependencies)).sort()).toEqual(Object.keys(dependencies).sort());
  });

  it("judges a daemon that was installed apart", async () => {
    const environment = { XDG_RUNTIME_DIR: temporaryDirectory() };
    const serve = startProgram(["serve", "--journal", "memory"], { entry: daemonProgram(), environment });
    await serve.stdoutLines(1);
    const socket = `unix:${join(environment.XDG_RUNTIME_DIR, "aaep/aaepd.sock")}`;
    const suite = join(user.suite, "node_modules/.bin/aaepd-conformance");
    const argv = ["producer", "--endpoint", socket, "--agent", socket, "--level", "1"];
    const judged = startCommand([suite, ...argv], { environment });
    expect((await judged.ended).code).toBe(0);
    expect(judged.stdout()).toMatch(/[1-9]\d* passed, 0 failed/);
  }, 120_000);
});

const NODE = { lib: ["es2022"], types: ["node"] };

/** A value and a type of each export, with a check that neither is `any`. */
const ES_MODULE = `
import { openAgent, isCore, type NodeAgentOptions } from "aaepd";
import { httpRpcConnector, subscribe, type ReceivedEvent } from "aaepd/client";
import { ipcConnector, socketPath, type IpcConnectorOptions } from "aaepd/client/node";
import schema from "aaepd/schemas/aaep/envelope.schema.json" with { type: "json" };
type IsAny<Type> = 0 extends 1 & Type ? true : false;
type Known<Type> = IsAny<Type> extends true ? never : Type;
export const values: readonly Known<typeof openAgent | typeof isCore | typeof httpRpcConnector | typeof subscribe | typeof ipcConnector | typeof socketPath>[] =
  [openAgent, isCore, httpRpcConnector, subscribe, ipcConnector, socketPath];
export type Types = [Known<NodeAgentOptions>["id"], Known<ReceivedEvent>["event_id"], Known<IpcConnectorOptions>["framing"]];
export const title: Known<string> = schema.title;
export const program: string = import.meta.resolve("aaepd/bin");
`;
const COMMON_JS = `
import aaepd = require("aaepd");
import client = require("aaepd/client");
import node = require("aaepd/client/node");
export const values: readonly (() => void)[] = [() => aaepd.openAgent({ id: "a" }), () => client.isCore, () => node.socketPath("a")];
`;

describe("a project with aaepd", () => {
  it.each(RESOLUTIONS)("has the types of each export with $module and $moduleResolution", ({ module, ...rest }) => {
    const options = { module, ...rest, resolveJsonModule: true };
    // In CommonJS, Node alone loads ES modules by \`require\`.
    const programs = { "exports.ts": ES_MODULE, ...(module === "NodeNext" ? { "exports.cts": COMMON_JS } : {}) };
    expect(compile(withNodeTypes(user.daemon), programs, { ...options, ...NODE })).toEqual([]);
  });

  const LOOK = `
    const names = (module) => Object.keys(module).filter((name) => name !== "__esModule" && name !== "module.exports").sort();
    const same = aaepd.Fault === client.Fault && aaepd.socketPath === node.socketPath && aaepd.isCore === client.isCore;
    console.log(JSON.stringify({ aaepd: names(aaepd), client: names(client), node: names(node), same, title: schema.title, program }));
  `;
  const PROGRAMS = {
    "look.mjs": `
      import { createRequire } from "node:module";
      import * as aaepd from "aaepd"; import * as client from "aaepd/client"; import * as node from "aaepd/client/node";
      import { readFileSync } from "node:fs";
      const schema = JSON.parse(readFileSync(new URL(import.meta.resolve("aaepd/schemas/aaep/envelope.schema.json")), "utf8"));
      const program = import.meta.resolve("aaepd/bin");
      ${LOOK}`,
    "look.cjs": `
      const [aaepd, client, node] = ["aaepd", "aaepd/client", "aaepd/client/node"].map((name) => require(name));
      const schema = require("aaepd/schemas/aaep/envelope.schema.json");
      const program = require("node:url").pathToFileURL(require.resolve("aaepd/bin")).href;
      ${LOOK}`,
  };

  it.each(Object.entries(PROGRAMS))("loads each export once, in %s, without a warning", async (name, text) => {
    writeFileSync(join(user.daemon, name), text);
    const path = join(user.daemon, "node_modules/aaepd");
    const { code, stdout, stderr } = await run(user.daemon, process.execPath, name);
    expect([code, stderr]).toEqual([0, ""]);
    const seen = JSON.parse(stdout);
    expect(seen.client).toEqual(expect.arrayContaining(["Fault", "httpConnector", "isCore", "openAgent", "subscribe"]));
    expect(seen.node).toEqual(expect.arrayContaining(["ipcConnector", "openAgent", "socketPath"]));
    expect(seen.aaepd).toEqual([...new Set([...seen.client, ...seen.node, "grpcRpcConnector"])].sort());
    expect(seen).toMatchObject({
      same: true,
      title: "Envelope",
      program: pathToFileURL(join(path, "bin/aaepd.js")).href,
    });
    expect(existsSync(join(path, "bin/aaepd.js"))).toBe(true);
  });

  it("says what is exported, where something else is asked for", async () => {
    const { exports } = JSON.parse(readFileSync(join(user.daemon, "node_modules/aaepd/package.json"), "utf8"));
    expect(Object.keys(exports)).toEqual(
      expect.arrayContaining([".", "./bin", "./client", "./client/node", "./schemas/*"]),
    );
    const inside = `import("aaepd/dist/src/client/index.js").catch((error) => console.log(error.code))`;
    expect(await succeed(user.daemon, process.execPath, "--eval", inside)).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
  });
});

describe("aaepd", () => {
  it("has the version of the other two", () => {
    const places = [".", "packaging/client", "packaging/conformance"];
    const manifests = places.map((place) => JSON.parse(readFileSync(join(ROOT, place, "package.json"), "utf8")));
    expect(new Set(manifests.map(({ version }) => version)).size).toBe(1);
  });
});
