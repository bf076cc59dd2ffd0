import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import * as client from "../../src/client/index.js";
import * as main from "../../src/client/main.js";
import * as node from "../../src/client/node.js";
import * as withGrpc from "../../src/client/with-grpc.js";
import { ensureBuilt } from "../support/built.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLIENT = fileURLToPath(new URL("../../src/client/", import.meta.url));

/** All files that this one imports when it runs, and what it names that is no file. */
function importsOf(path: string, files = new Set<string>(), packages = new Set<string>()) {
  if (files.has(path)) return { files, packages };
  files.add(path);
  const source = readFileSync(path, "utf8");
  for (const [statement, from = ""] of source.matchAll(/^(?:import|export)[^;]*? from "([^"]+)";/gm)) {
    if (/^(?:import|export) type /.test(statement)) continue;
    if (from.startsWith(".")) importsOf(resolve(dirname(path), from.replace(/\.js$/, ".ts")), files, packages);
    else packages.add(from);
  }
  return { files, packages };
}

test("what aaepd/client and aaepd/client/node export", () => {
  expect(Object.keys(client).sort()).toEqual([
    "Fault",
    "httpConnector",
    "httpRpcConnector",
    "isCore",
    "isExtension",
    "openAgent",
    "subscribe",
  ]);
  expect(Object.keys(node).sort()).toEqual([
    "childRpcConnector",
    "connectToOwn",
    "discoverDaemons",
    "httpConnector",
    "httpRpcConnector",
    "ipcConnector",
    "ipcRpcConnector",
    "ipcTarget",
    "openAgent",
    "socketPath",
    "spawnConnector",
    "subscribe",
  ]);
});

test("@aaepd/client is both for Node, aaepd has gRPC too, and aaepd/client is for browsers", () => {
  expect(Object.keys(main).sort()).toEqual([...new Set([...Object.keys(client), ...Object.keys(node)])].sort());
  expect(Object.keys(withGrpc).sort()).toEqual([...Object.keys(main), "grpcRpcConnector"].sort());
  const { httpConnector, httpRpcConnector, openAgent, subscribe } = main;
  expect(node).toMatchObject({ httpConnector, httpRpcConnector, openAgent, subscribe });
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(exports["."].browser).toEqual(exports["./client"]);
});

test("every export of the package is there under its name", async () => {
  ensureBuilt();
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const EXAMPLES: Readonly<Record<string, string>> = {
    "./aaep/v1/*": "./aaep/v1/aaep_service_pb",
    "./a2e/v1/*": "./a2e/v1/a2e_service_pb",
    "./akashik/v1/*": "./akashik/v1/akashik_service_pb",
    "./schemas/*": "./schemas/aaep/envelope.schema.json",
  };
  for (const name of Object.keys(exports)) {
    const path = fileURLToPath(import.meta.resolve(join("aaepd", EXAMPLES[name] ?? name)));
    expect(existsSync(path), name).toBe(true);
  }
  const { subscribe } = await import("aaepd");
  expect(subscribe).toBeTypeOf("function");
});

/** The bundle of a program for browsers that imports these names. */
async function bundled(...names: readonly string[]): Promise<string> {
  ensureBuilt();
  const { rolldown } = await import("rolldown");
  const entry = join(temporaryDirectory(), "entry.mjs");
  const client = JSON.stringify(join(ROOT, "dist/src/client/index.js"));
  const exported = names.includes("*") ? "*" : `{ ${names.join(", ")} }`;
  writeFileSync(entry, `export ${exported} from ${client};`);
  const bundle = await rolldown({ input: entry, platform: "browser" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  return output[0].code;
}

// An author writes an agent or a listener, and a bundler leaves out the other.
test.each([
  { names: ["openAgent"], limit: 12_000 },
  // With all that a page needs.
  { names: ["openAgent", "httpRpcConnector"], limit: 14_000 },
  // The whole of it, agents and listeners, from which a bundler leaves out all that is not used.
  { names: ["*"], limit: 22_000 },
  { names: ["subscribe", "httpConnector", "isCore", "isExtension"], limit: 10_000 },
])("a bundle for browsers with $names stays under $limit bytes, compressed", async ({ names, limit }) => {
  expect(gzipSync(await bundled(...names), { level: 9 }).length).toBeLessThan(limit);
});

test("a listener's bundle has no agent in it, and an agent's no listener", async () => {
  expect(await bundled("subscribe")).not.toContain("aaep.publish");
  expect(await bundled("openAgent")).not.toContain("subscription.request");
});

test("aaepd/client needs no Node and no package", () => {
  const { files, packages } = importsOf(join(CLIENT, "index.ts"));
  expect(files.size).toBeGreaterThan(5);
  expect([...packages]).toEqual([]);
});
