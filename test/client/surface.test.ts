import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import * as client from "../../src/client/index.js";
import * as node from "../../src/client/node.js";

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
  ]);
  expect(Object.keys(node).sort()).toEqual(["childRpcConnector", "ipcConnector", "ipcRpcConnector", "socketPath"]);
});

test("aaepd/client needs no Node and no package", () => {
  const { files, packages } = importsOf(join(CLIENT, "index.ts"));
  expect(files.size).toBeGreaterThan(5);
  expect([...packages]).toEqual(["#gen/aaep/validators.js"]);
});
