import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import * as client from "../../src/client/index.js";
import * as main from "../../src/client/main.js";
import * as node from "../../src/client/node.js";
import { ensureBuilt } from "../support/built.js";

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
    "createAgentClient",
    "createSubscriber",
    "isCore",
    "isExtension",
    "subscribe",
  ]);
  expect(Object.keys(node).sort()).toEqual(["childRpcConnector", "ipcConnector", "ipcRpcConnector", "socketPath"]);
});

test("aaepd is both for Node, and aaepd/client for browsers", () => {
  expect(Object.keys(main).sort()).toEqual([...Object.keys(client), ...Object.keys(node)].sort());
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
  const { createSubscriber } = await import("aaepd");
  expect(createSubscriber).toBeTypeOf("function");
});

test("aaepd/client stays under 10 kB for browsers, compressed", async () => {
  ensureBuilt();
  const { rolldown } = await import("rolldown");
  const bundle = await rolldown({ input: join(ROOT, "dist/src/client/index.js"), platform: "browser" });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  expect(gzipSync(output[0].code, { level: 9 }).length).toBeLessThan(10_000);
});

test("aaepd/client needs no Node and no package", () => {
  const { files, packages } = importsOf(join(CLIENT, "index.ts"));
  expect(files.size).toBeGreaterThan(5);
  expect([...packages]).toEqual(["#gen/aaep/validators.js"]);
});
