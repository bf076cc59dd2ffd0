// Providers that the daemon runs as children, well-behaved and not.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { waitAfter } from "../../../src/daemon/a2e/provider-process.js";
import type { ProviderChoice } from "../../../src/daemon/config/a2e-choices.js";
import { eventually } from "../../cli/command-stage.js";
import { itInFull } from "../../support/extent.js";
import { isAlive } from "../../support/is-alive.js";
import { a2eAgent, a2eProvider } from "../../support/peers/a2e-peer.js";
import { type DaemonRig, startRig } from "../../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

/** A host of a few lines: `body` is the code that takes each `message`, beside `say` and `raw`. */
const HOST = (body: string, before = ""): string => `
const say = (type, fields) =>
  process.stdout.write(JSON.stringify({ a2e: "1.0", type, id: "h" + Math.random(), ts: Date.now() / 1000, ...fields }) + "\\n");
const raw = (text) => process.stdout.write(text);
${before}
let held = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (held + text).split("\\n");
  held = lines.pop();
  for (const line of lines) {
    const message = JSON.parse(line);
    if (message.type === "handshake/req")
      say("handshake/resp", {
        req_id: message.id, session_id: "theirs", max_parallel: 8, ok: true,
        accepted_caps: [{ capability: "tools", enabled: true, metadata: { made: "by hand" } }],
      });
    else if (message.type === "shutdown") process.exit(0);
    else { ${body} }
  }
}).on("end", () => process.exit(0));
`;

const ECHO = 'say("tool/call/resp", { req_id: message.id, data: message });';

function host(source: string, fields: Partial<ProviderChoice> = {}): ProviderChoice {
  const file = join(temporaryDirectory(), "host.cjs");
  writeFileSync(file, source);
  return {
    name: "host",
    command: [process.execPath, file],
    priority: 0,
    capabilities: undefined,
    authToken: "",
    ...fields,
  };
}

const rigWith = (provider: ProviderChoice, clock?: "hands"): Promise<DaemonRig> =>
  startRig({ configuration: { a2eProviders: [provider] }, ...(clock === undefined ? {} : { clock }) });

async function statusOf(rig: DaemonRig) {
  const asker = await rig.rpc();
  const { a2e } = (await asker.request("aaepd.status", {})) as {
    readonly a2e: { readonly providers: readonly Readonly<Record<string, unknown>>[] };
  };
  await asker.close();
  return a2e.providers;
}

describe("a host as a child", () => {
  it("gets the requests with its own session, under ids of the daemon's, and ends with the daemon", async () => {
    const rig = await rigWith(host(HOST(ECHO)));
    const agent = await a2eAgent(await rig.connect("newline"));
    expect(agent.handshake.accepted_caps).toEqual([
      {
        capability: "tools",
        enabled: true,
        metadata: { name: "host", type: "child", priority: 0, exclusive: false, made: "by hand" },
      },
    ]);
    const answer = await agent.ask("tool/call/req", { tool_name: "echo", session_id: agent.handshake.session_id });
    expect(answer.data).toMatchObject({ tool_name: "echo", session_id: "theirs" });
    const [{ pid, ...status } = {}] = await statusOf(rig);
    expect(status).toMatchObject({ state: "ready", capabilities: ["tools"], restarts: 0, requests: 0 });
    await rig.stop();
    expect(isAlive(Number(pid))).toBe(false);
  });

  it("is asked with the token and for the capabilities of the configuration", async () => {
    const source = `process.stdin.once("data", (text) => {
      const { id, agent_caps, auth_token, agent_id } = JSON.parse(text);
      process.stdout.write(JSON.stringify({ type: "handshake/resp", id: "h", req_id: id, session_id: "s", max_parallel: 1, ok: true,
        accepted_caps: agent_caps.map((capability) => ({ capability, enabled: true, metadata: { auth_token, agent_id } })) }) + "\\n");
    });`;
    const rig = await rigWith(host(source, { capabilities: ["tools", "memory"], authToken: "secret" }));
    const agent = await a2eAgent(await rig.connect("newline"), ["tools", "memory", "env"]);
    expect(agent.handshake.accepted_caps).toMatchObject([
      { capability: "tools", metadata: { auth_token: "secret", agent_id: "aaepd" } },
      { capability: "memory" },
    ]);
  });

  it("that never ends its handshake is ended after a2e_start_seconds, and agents wait no longer for it", async () => {
    const silent = host('process.stdin.resume(); require("node:fs").writeFileSync(process.argv[1] + ".on", "");');
    const rig = await startRig({ configuration: { a2eProviders: [silent], a2eStartSeconds: 45 }, clock: "hands" });
    const agent = a2eAgent(await rig.connect("newline"));
    let isAnswered = false;
    void agent.then(() => {
      isAnswered = true;
    });
    await expect.poll(() => existsSync(`${silent.command[1]}.on`), { timeout: 60_000 }).toBe(true);
    await rig.advance(44_999);
    expect([isAnswered, (await statusOf(rig))[0]]).toMatchObject([false, { state: "starting", restarts: 0 }]);
    await rig.advance(1);
    expect((await agent).handshake).toMatchObject({ ok: false, reason: "no_caps" });
    await expect.poll(async () => (await statusOf(rig))[0], { timeout: 60_000 }).toMatchObject({ restarts: 1 });
    // The limit of hosts that start from then on is another one.
    rig.reconfigure({ a2eStartSeconds: 5 });
    await rig.advance(500);
    await expect.poll(async () => (await statusOf(rig))[0], { timeout: 60_000 }).toMatchObject({ state: "starting" });
    await rig.advance(5000);
    await expect.poll(async () => (await statusOf(rig))[0], { timeout: 60_000 }).toMatchObject({ restarts: 2 });
  });

  it("that dies loses what was under way, is started again, and that is told", async () => {
    const rig = await rigWith(host(HOST(`if (message.tool_name === "die") process.exit(3);`)));
    const agent = await a2eAgent(await rig.connect("newline"));
    const answers = await Promise.all(
      ["wait", "die"].map((name) => agent.ask("tool/call/req", { tool_name: name, timeout: 60 })),
    );
    for (const answer of answers)
      expect(answer).toMatchObject({ type: "error", code: "runtime_error", retryable: true });
    await expect
      .poll(async () => (await statusOf(rig))[0], { timeout: 60_000 })
      .toMatchObject({ state: "ready", restarts: 1, last_end: "ended with code 3" });
    expect(rig.log.filter(({ message }) => message === "an A2E provider has ended")).toHaveLength(1);
    const again = await agent.ask("tool/call/req", { tool_name: "die" });
    expect(again).toMatchObject({ code: "runtime_error" });
  });

  it.each([
    ["there is no such program", { command: ["/nonexistent/host"] }, /could not be started/],
    ["the system refuses to start it", { command: [join(process.execPath, "host")] }, /could not be started/],
    ["its command is too long", { command: ["true", "x".repeat(4_000_000)] }, /could not be started/],
    ["it ends at once", { command: [process.execPath, "-e", "process.exit(7)"] }, /ended with code 7/],
    [
      "it speaks no A2E",
      { command: [process.execPath, "-e", "console.log('hello'); process.exit(0)"] },
      /ended with code 0/,
    ],
  ])("where %s the daemon serves without it, and tells why", async (_, fields, how) => {
    const rig = await rigWith({ ...host(""), ...fields });
    const agent = await a2eAgent(await rig.connect("newline"));
    expect(agent.handshake).toMatchObject({ ok: false, reason: "no_caps" });
    const [{ last_end: lastEnd } = {}] = await statusOf(rig);
    expect(lastEnd).toMatch(how);
    await rig.expectOthersServed();
  });

  it.each([
    ["rejected the handshake", { ok: false, accepted_caps: [], reason: "auth_failed" }, "auth_failed"],
    ["answered the handshake in a wrong form", { ok: true }, "`accepted_caps` is missing; handshake/resp needs it."],
    ["serves none of the capabilities", { ok: true, accepted_caps: [] }, undefined],
  ])("that %s is told in the log", async (words, answer, reason) => {
    const source = `process.stdin.once("data", (text) => {
      process.stdout.write(JSON.stringify({ type: "handshake/resp", id: "h", req_id: JSON.parse(text).id, session_id: "", max_parallel: 1,
        ...${JSON.stringify(answer)} }) + "\\n");
    });`;
    const rig = await rigWith(host(source));
    await eventually(() => {
      expect(rig.log.find(({ message }) => message.includes(words))?.fields).toEqual({ provider: "host", reason });
    });
  });

  it("that ends is started again, and a process of its own that still has its pipes ends", async () => {
    const program = `"sh", ["-c", "trap '' TERM; exec sleep 120"]`;
    const own = `const { pid } = require("node:child_process").spawn(${program}, { stdio: "inherit" });
      require("node:fs").appendFileSync(process.argv[1] + ".pids", pid + "\\n");`;
    const choice = host(HOST('if (message.tool_name === "die") process.exit(3);', own));
    const rig = await rigWith(choice);
    const agent = await a2eAgent(await rig.connect("newline"));
    expect(await agent.ask("tool/call/req", { tool_name: "die", timeout: 60 })).toMatchObject({
      code: "runtime_error",
    });
    await expect
      .poll(async () => (await statusOf(rig))[0], { timeout: 60_000 })
      .toMatchObject({ state: "ready", restarts: 1 });
    const [first] = readFileSync(`${choice.command[1]}.pids`, "utf8").split("\n");
    await eventually(() => expect(isAlive(Number(first))).toBe(false));
    await rig.stop();
  });

  itInFull("that closes its output and stays is ended by force, and started again", async () => {
    const source = HOST(
      'require("node:fs").closeSync(1);',
      'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);',
    ).replace('.on("end", () => process.exit(0))', "");
    const rig = await rigWith(host(source));
    const agent = await a2eAgent(await rig.connect("newline"));
    expect(await agent.ask("tool/call/req", { tool_name: "x", timeout: 60 })).toMatchObject({ code: "runtime_error" });
    await expect
      .poll(async () => (await statusOf(rig))[0], { timeout: 60_000 })
      .toMatchObject({ restarts: 1, last_end: "was ended by SIGKILL" });
  });
});

describe("a host that misbehaves costs nobody else anything", () => {
  async function beside(bad: ProviderChoice, clock?: "hands") {
    const rig = await rigWith({ ...bad, name: "bad", capabilities: ["tools"] }, clock);
    const good = await a2eProvider(await rig.connect("newline"), ["memory"]);
    const agent = await a2eAgent(await rig.connect("newline"), ["tools", "memory"]);
    const other = await a2eAgent(await rig.connect("newline"), ["memory"], { agent_id: "other" });
    const expectGood = async (): Promise<void> => {
      const answer = other.ask("memory/get/req", {});
      const request = await good.messages.next("the request");
      good.say("memory/get/resp", { req_id: request.id, value: 1 });
      expect(await answer).toMatchObject({ type: "memory/get/resp", value: 1 });
    };
    return { rig, agent, expectGood };
  }

  it("logs on standard output, half lines, and other JSON", async () => {
    const noise = 'raw("INFO starting\\n"); raw("[1,2]\\n"); raw("{}\\n"); raw("\\n");';
    const { rig, agent, expectGood } = await beside(
      host(
        HOST(`raw("log line\\n"); raw('{"type":"tool/ev'); setTimeout(() => { raw('ent"}\\n'); ${ECHO} }, 20);`, noise),
      ),
    );
    expect(await agent.ask("tool/call/req", { tool_name: "x" })).toMatchObject({ type: "tool/call/resp" });
    await expectGood();
    expect(rig.log.filter(({ message }) => message.includes("lines that are no messages"))).toHaveLength(1);
  });

  it("a host that reads nothing until its answers have been read", async () => {
    // One thread that reads a line and writes ten events of 100 KB before it reads the next.
    const source = `
const { readSync, writeSync } = require("node:fs");
const write = (fields) => {
  let rest = Buffer.from(JSON.stringify({ a2e: "1.0", id: "h", ts: 1, ...fields }) + "\\n");
  while (rest.length > 0) {
    try { rest = rest.subarray(writeSync(1, rest)); } catch (error) { if (error.code !== "EAGAIN") throw error; }
  }
};
const chunk = Buffer.alloc(65536);
let held = "";
for (;;) {
  let count = 0;
  try { count = readSync(0, chunk); } catch (error) { if (error.code === "EAGAIN") continue; throw error; }
  if (count === 0) process.exit(0);
  held += chunk.toString("utf8", 0, count);
  for (let end = held.indexOf("\\n"); end !== -1; end = held.indexOf("\\n")) {
    const message = JSON.parse(held.slice(0, end));
    held = held.slice(end + 1);
    if (message.type === "handshake/req")
      write({ type: "handshake/resp", req_id: message.id, session_id: "s", max_parallel: 8, ok: true,
        accepted_caps: [{ capability: "tools", enabled: true, metadata: {} }] });
    else if (message.type === "shutdown") process.exit(0);
    else {
      for (let seq = 0; seq < 10; seq += 1)
        write({ type: "invoke/event", req_id: message.id, kind: "artifact", data: { data: "y".repeat(100000) }, seq });
      write({ type: "tool/call/resp", req_id: message.id, data: "done" });
    }
  }
}`;
    const { agent, expectGood } = await beside(host(source));
    const long = { long: "x".repeat(100_000) };
    const answers = Array.from({ length: 4 }, () =>
      agent.ask("tool/call/req", { tool_name: "x", timeout: 60, arguments: long }),
    );
    await expectGood();
    for (const answer of answers) expect(await answer).toMatchObject({ type: "tool/call/resp", data: "done" });
  });
});

it("a process that ends again and again waits longer each time, up to a minute; one that ran for a while begins anew", () => {
  const waits: number[] = [];
  for (let wait = 0; waits.length < 9; waits.push(wait)) wait = waitAfter(wait, 60_000);
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(waitAfter(60_000, 60_001)).toBe(500);
});
