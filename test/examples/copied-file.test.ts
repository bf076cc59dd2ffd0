// The file to copy in Python. Those of other languages are in test/tools.
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { discoverDaemons } from "../../src/client/discovery/discover-daemons.js";
import { subscribe } from "../../src/client/node.js";
import { runtimeEnvironment } from "../cli/command-stage.js";
import { STRANGERS_SESSIONS, testCopiedFile } from "../support/copied-file.js";
import { cleanEnvironment, PROGRAM } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

testCopiedFile({
  language: "Python",
  files: {
    "aaep_agent.py": "examples/python/aaep_agent.py",
    "stranger.py": "test/fixtures/stranger/stranger.py",
  },
  build: [],
  command: ["python3", "stranger.py"],
  sessions: STRANGERS_SESSIONS,
  prints: ["3", "The shelf is empty.", "The shelf is empty.", "cancelled"],
  mistakes: [/completed of three failed/, /not JSON compliant/, /keys must be str/],
});

test("a listener that waits hears the whole of a program that starts its daemon and ends at once", async () => {
  const runtime = runtimeEnvironment();
  const listener = subscribe(discoverDaemons({ directories: [runtime.directory] }), { coalesce_boundaries: ["none"] });
  onTestFinished(() => listener.close());
  const folder = temporaryDirectory();
  cpSync(fileURLToPath(new URL("../../examples/python/aaep_agent.py", import.meta.url)), join(folder, "aaep_agent.py"));
  const program = [
    "from aaep_agent import Agent",
    `agent = Agent("nodder", program=${JSON.stringify([process.execPath, PROGRAM])}, on_error=print)`,
    'with agent.session("Nods.") as s: s.text("Here I am.")',
    "agent.close()",
  ].join("\n");
  const environment = cleanEnvironment(runtime.XDG_RUNTIME_DIR);
  const { stdout } = spawn("python3", ["-c", program], { cwd: folder, env: environment });
  const said = stdout.setEncoding("utf8").toArray();
  const types: string[] = [];
  for await (const { type } of listener) {
    types.push(type.replace("aaep:agent.", ""));
    if (types.at(-1) === "session.completed") break;
  }
  expect([types[0], types.includes("output.streaming"), await said]).toEqual(["session.started", true, []]);
});
