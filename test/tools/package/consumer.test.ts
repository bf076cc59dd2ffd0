// A project that depends on the tarball: each export resolves, with its types, in both resolutions of TypeScript, from ES modules and from CommonJS.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile, missedFlaws, programOf, RESOLUTIONS } from "../../support/typed-programs.js";
import { createFolders, packSources, ROOT, run, succeed } from "./stage.js";

const folders = createFolders();
let project = "";

beforeAll(async () => {
  const tarball = await packSources(folders.empty("sources"));
  project = folders.empty("project");
  writeFileSync(join(project, "package.json"), '{"type":"module","private":true}');
  await succeed(project, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", tarball);
  mkdirSync(join(project, "node_modules/@types"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules/@types/node"), join(project, "node_modules/@types/node"), "dir");
}, 600_000);
afterAll(() => folders.leave());

const NODE = { lib: ["es2022"], types: ["node"] };
const BROWSER = { lib: ["es2023", "dom"], types: [] };

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

describe("a project with the tarball", () => {
  it.each(RESOLUTIONS)("has the types of each export with $module and $moduleResolution", ({ module, ...rest }) => {
    const options = { module, ...rest, resolveJsonModule: true };
    // In CommonJS, Node alone loads ES modules by \`require\`.
    const programs = { "exports.ts": ES_MODULE, ...(module === "NodeNext" ? { "exports.cts": COMMON_JS } : {}) };
    expect(compile(project, programs, { ...options, ...NODE })).toEqual([]);
  });

  it.each(
    RESOLUTIONS.flatMap((resolution) => [
      { ...resolution, from: "aaepd" as const, platform: NODE },
      { ...resolution, from: "aaepd/client" as const, platform: BROWSER },
    ]),
  )("types events from $from with $module and $moduleResolution", ({ from, platform, ...resolution }) => {
    const options = { ...resolution, ...platform };
    expect(compile(project, { "right.ts": programOf("right", from) }, options)).toEqual([]);
    expect(missedFlaws(compile(project, { "wrong.ts": programOf("wrong", from) }, options))).toEqual([]);
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
    writeFileSync(join(project, name), text);
    const path = join(project, "node_modules/aaepd");
    const { code, stdout, stderr } = await run(project, process.execPath, name);
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
    const { exports } = JSON.parse(readFileSync(join(project, "node_modules/aaepd/package.json"), "utf8"));
    expect(Object.keys(exports)).toEqual(
      expect.arrayContaining([".", "./bin", "./client", "./client/node", "./schemas/*"]),
    );
    const inside = `import("aaepd/dist/src/client/index.js").catch((error) => console.log(error.code))`;
    expect(await succeed(project, process.execPath, "--eval", inside)).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n");
  });
});
