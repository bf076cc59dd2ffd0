// The file to copy in Python. Those of other languages are in test/tools.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { STRANGERS_SESSIONS, testCopiedFile } from "../support/copied-file.js";
import { falseDaemon } from "../support/copied-file-daemons.js";
import { cleanEnvironment } from "../support/peers/program.js";
import { python } from "../support/peers/python.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

testCopiedFile({
  language: "Python",
  files: {
    "aaep_agent.py": "examples/python/aaep_agent.py",
    "stranger.py": "test/fixtures/stranger/stranger.py",
  },
  build: [],
  command: [...python(), "stranger.py"],
  commandOfOthers: ["python3", "stranger.py"],
  sessions: STRANGERS_SESSIONS,
  prints: ["3", "The shelf is empty.", "The shelf is empty.", "cancelled"],
  takesBack: true,
  mistakes: [/not JSON compliant/, /keys must be str/],
});

test.each([
  ["openbsd7", "openbsd7 does not say who listens at "],
  ["freebsd14", ""],
])("on %s, a daemon is believed only where the kernel says who listens", async (platform, told) => {
  const base = temporaryDirectory();
  mkdirSync(join(base, "aaep"), { mode: 0o700 });
  const path = join(base, "aaep", "aaepd.sock");
  const received = await falseDaemon(path);
  const program = [
    "import socket, sys, aaep_agent",
    `sys.platform = ${JSON.stringify(platform)}`,
    "class Other(socket.socket):",
    "    def getsockopt(self, *asking):",
    "        assert asking == (0, 1, 76)",
    "        user = super().getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)[4:8]",
    "        return bytes(4) + user",
    "aaep_agent.socket.socket = Other",
    'with aaep_agent.Agent("other", on_error=print) as agent, agent.session("Nods."):',
    "    pass",
  ].join("\n");
  const said = await runPython(program, cleanEnvironment(base), base);
  const isBelieved = told === "";
  expect([said.includes(`the agent is silent until there is one. ${told}`), received() !== ""]).toEqual([
    !isBelieved,
    isBelieved,
  ]);
});

test("halves of characters in a daemon's answers, and in the author's texts, break no log of the host", async () => {
  const base = temporaryDirectory();
  const path = join(base, "aaepd.sock");
  const half = String.raw`"\ud800"`;
  await falseDaemon(path, undefined, [
    `{"jsonrpc":"2.0","id":$ID,"error":{"message":${half},"data":{"code":${half},"pointer":${half},"rule":${half}}}}`,
  ]);
  const program = [
    "from aaep_agent import Agent, Declined",
    'log = open("log", "w", encoding="utf-8")',
    "def write(*told): log.write('\\n'.join(str(one) for one in told if one is not None) + '\\n')",
    "faults = []",
    "class Odd:",
    "    def __str__(self): raise ValueError('\\ud800')",
    'agent = Agent("half", on_error=faults.append)',
    'with agent.session("Nods.") as s:',
    "    for facts in [None, {'odd': Odd()}]:",
    "        try:",
    '            s.tool("nod", print, irreversible=True, extra_context=facts)',
    "        except Declined as declined:",
    "            write(declined)",
    "agent.close()",
    "for fault in faults:",
    "    write(fault)",
    "log.close()",
    'print(open("log", encoding="utf-8").read().count("?"))',
  ].join("\n");
  const environment = { ...cleanEnvironment(base), AAEPD_SOCKET: path };
  expect(await runPython(program, environment, base)).toBe("4\n");
});

test("R5: a slip of the hand in a call runs no tool", async () => {
  const program = [
    "from aaep_agent import Agent",
    'with Agent("slips", on_error=print) as agent, agent.session("Deletes.") as s:',
    '    for slip in [{"irreversibel": True}, {"action": "Delete."}, {"irreversible": True, "timeout": 3}, {"run": 12, "irreversible": True}]:',
    "        try:",
    '            s.tool("delete", **{"run": lambda: print("deleted"), **slip})',
    "        except TypeError as error:",
    "            print(error)",
  ].join("\n");
  const lines = (await runPython(program, cleanEnvironment(temporaryDirectory()))).split("\n");
  expect(lines.filter((line) => !line.includes("the agent is silent"))).toEqual([
    expect.stringMatching(/unexpected keyword argument 'irreversibel'/),
    "action: nobody is asked without irreversible=True.",
    expect.stringMatching(/unexpected keyword argument 'timeout'/),
    "run must be a function, which is called later: pass delete, or lambda: delete(12), in place of delete(12).",
    "",
  ]);
});

test.each([
  ["python/socket_subscriber.py", "--socket"],
  ["akashik/agent.py", "--id", "reader", "--socket"],
  ["a2e/agent.py", "--socket"],
  ["conformance/subscriber.py"],
])("%s says nothing at a socket behind a link", async (program, ...argv) => {
  const base = temporaryDirectory();
  const received = await falseDaemon(join(base, "own.sock"));
  symlinkSync(join(base, "own.sock"), join(base, "link.sock"));
  const path = fileURLToPath(new URL(`../../examples/${program}`, import.meta.url));
  const [command, option] = python();
  const { status, stderr } = spawnSync(command, [option, path, ...argv, join(base, "link.sock")], { encoding: "utf8" });
  expect([status, stderr, received()]).toEqual([1, expect.stringContaining("link.sock is no socket"), ""]);
});

test.each([[["--json"]], [[]]])(
  "a line of socket_subscriber.py with %j ends nowhere but at its end",
  async (options) => {
    const path = join(temporaryDirectory(), "aaepd.sock");
    const accepted = { type: "subscription.accepted", subscription_id: "sub_1", producer: { agent_id: "aaepd" } };
    const event = {
      type: "aaep:agent.session.completed",
      event_id: "evt_1",
      summary_normal: "a\u2028b\u2029c\u0085d",
    };
    const server = createServer((socket) => socket.write(`${JSON.stringify(accepted)}\n${JSON.stringify(event)}\n`));
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => void server.close());
    const program = fileURLToPath(new URL("../../examples/python/socket_subscriber.py", import.meta.url));
    const [command, option] = python();
    const { stdout } = spawn(command, [option, program, "--socket", path, "--once", "--answer", "none", ...options]);
    const said = (await stdout.setEncoding("utf8").toArray()).join("");
    expect(said.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(2);
    const heard = options.length > 0 ? JSON.parse(said).summary_normal : said;
    expect(heard).toContain(options.length > 0 ? event.summary_normal : "a b c d");
  },
);

/** What a program says that has the file to copy beside it. */
async function runPython(program: string, env: Record<string, string>, folder = temporaryDirectory()): Promise<string> {
  cpSync(fileURLToPath(new URL("../../examples/python/aaep_agent.py", import.meta.url)), join(folder, "aaep_agent.py"));
  const [command, option] = python();
  const { stdout } = spawn(command, [option, "-c", program], { cwd: folder, env });
  return (await stdout.setEncoding("utf8").toArray()).join("");
}
