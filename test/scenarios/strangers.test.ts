// another user has made the folder or the socket first, and a daemon listens there that answers every question with "accept". Nobody talks to it.

import { once } from "node:events";
import { chmodSync, chownSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { httpConnector, httpRpcConnector, ipcConnector, ipcRpcConnector } from "../../src/client/node.js";
import { grpcRpcConnector } from "../../src/client/with-grpc.js";
import { serviceLinks } from "../../src/conformance/wire/service-links.js";
import { socketLinks } from "../../src/conformance/wire/socket-links.js";
import { ensureBuilt } from "../support/built.js";
import { shared, whenFinished } from "../support/lifetime.js";
import { folderOf, newUser, testAsRoot } from "../support/peers/other-users.js";
import { PROGRAM, startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const CLIENT = JSON.stringify(pathToFileURL(join(PROGRAM, "../../dist/bundle/node.js")).href);

/** A listener that accepts every question, and prints each type of event. */
const ACCEPTS = `
  import { ipcTarget, subscribe } from ${CLIENT};
  const onState = ({ kind }) => console.log(kind);
  const listener = subscribe(ipcTarget(process.argv[2]), { supports_confirmation_reply: true }, { onState });
  for await (const { type, reply_token } of listener) {
    console.log(type);
    if (reply_token) listener.reply({ reply_token, decision: "accept" });
  }`;

/** An agent with an irreversible tool. Prints whether the tool ran, the status before it, and what was told. */
const ASKS = `
  import { openAgent } from ${CLIENT};
  const told = [];
  const [socket] = process.argv.slice(2);
  const agent = await openAgent({ id: "deleter", ...(socket && { socket, spawn: false }), onError: ({ fault }) => told.push(fault.code) });
  const status = agent.status.kind;
  let ran = false;
  await agent.session("Deletes.", (s) => s.tool("delete_photos", () => { ran = true; }, { irreversible: true })).catch(() => {});
  await agent.close();
  console.log(JSON.stringify({ ran, status, told }));`;

const stranger = shared(async () => {
  ensureBuilt();
  const user = newUser();
  const home = folderOf(user);
  const environment = { XDG_RUNTIME_DIR: home, HOME: home };
  const daemon = startProgram(["serve", "--journal", "memory", "--audit", "off"], { user, environment });
  await daemon.stdoutLines(1);
  const socket = join(home, "aaep", "aaepd.sock");
  const script = join(home, "accepts.mjs");
  writeFileSync(script, ACCEPTS);
  const listener = startProgram([socket], { user, environment, entry: script });
  await listener.stdoutLines(2);
  // Whoever comes may write to the socket.
  chmodSync(socket, 0o777);
  return { user, socket, heard: listener.stdout };
});

/** A user with a folder, whose runtime folder is the one in /tmp. */
function victim() {
  const user = newUser();
  const home = folderOf(user);
  const runtime = `/tmp/aaep-${user}`;
  whenFinished(() => rmSync(runtime, { recursive: true, force: true }));
  const environment = { HOME: home, XDG_RUNTIME_DIR: "", XDG_CONFIG_HOME: home };
  const make = (path: string, owner: number, mode: number): void => {
    mkdirSync(path);
    chownSync(path, owner, owner);
    chmodSync(path, mode);
  };
  const asks = join(home, "asks.mjs");
  writeFileSync(asks, ASKS);
  const program = async (argv: readonly string[], entry?: string) => {
    const started = startProgram(argv, { user, environment, ...(entry === undefined ? {} : { entry }) });
    started.child.stdin.end();
    const { code } = await started.ended;
    return { code, said: started.stdout() + started.stderr() };
  };
  return { user, home, runtime, make, program, agent: (...argv: readonly string[]) => program(argv, asks) };
}

test("no way over a Unix socket takes one that is not the user's own", async () => {
  let connections = 0;
  const folder = temporaryDirectory();
  const server = createServer(() => {
    connections += 1;
  }).listen(join(folder, "s"));
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const path = join(folder, "link");
  symlinkSync(join(folder, "s"), path);
  const handlers = { request: () => ({}), notification: () => {} };
  const links = [
    socketLinks(path, "newline"),
    serviceLinks({ kind: "service", protocol: "connect", baseUrl: "http://localhost", socketPath: path }, undefined),
  ];
  const ways = [
    ipcConnector(path),
    () => ipcRpcConnector(path)(handlers),
    // It connects with the first message.
    async () => {
      const connection = await httpConnector(`unix:${path}`)();
      void connection.send(new TextEncoder().encode('{"type":"aaep:subscription.request"}'));
      const end = await connection.closed;
      throw "fault" in end ? end.fault : end;
    },
    () => httpRpcConnector(`unix:${path}`)(handlers),
    () => grpcRpcConnector(`unix:${path}`)(handlers),
    ...links.map((one) => async () => {
      const link = await one.open();
      for await (const _ of link.incoming);
    }),
  ];
  for (const [index, way] of ways.entries())
    await expect(way(), `way ${index}`).rejects.toMatchObject({
      code: "permission_denied",
      sentence: `The socket ${path} is a symbolic link. Give the socket it points to.`,
    });
  expect(connections).toBe(0);
});

describe("another user's daemon hears nothing, and no irreversible tool runs", () => {
  testAsRoot("the stranger's daemon would have taken the agent of its own user", async () => {
    const { user, socket, heard } = await stranger();
    const home = folderOf(user);
    writeFileSync(join(home, "asks.mjs"), ASKS);
    const agent = startProgram([socket], { user, environment: { HOME: home }, entry: join(home, "asks.mjs") });
    await agent.ended;
    expect(JSON.parse(agent.stdout())).toEqual({ ran: true, status: "connected", told: [] });
    expect(heard()).toContain("aaep:agent.awaiting.confirmation");
  });

  testAsRoot("in a folder in /tmp that the other user made first, by every command", async () => {
    const { user: other, socket, heard } = await stranger();
    const { runtime, home, make, program, agent } = victim();
    make(runtime, other, 0o755);
    const taken = join(runtime, "aaepd.sock");
    linkSync(socket, taken);
    const events = join(home, "events.jsonl");
    writeFileSync(events, '{"type":"aaep:agent.session.started","session_id":"s","summary_normal":"Secret."}\n');
    const before = heard();
    // Its own daemon has no place either, so the agent is silent.
    const [own, named, ...commands] = await Promise.all([
      agent(),
      agent(taken),
      program(["status"]),
      program(["tail"]),
      program(["publish", events]),
      program(["doctor"]),
      program(["serve", "--journal", "memory", "--audit", "off"]),
      ...["status", "tail"].map((command) => program([command, "--socket", taken])),
      program(["publish", "--socket", taken, events]),
    ]);
    for (const { said } of [own, named])
      expect(JSON.parse(said)).toEqual({ ran: false, status: "silent", told: ["permission_denied"] });
    for (const { code, said } of commands) {
      expect(said).toContain(`The folder ${runtime} belongs to user ${other}.`);
      expect(code).not.toBe(0);
    }
    expect(heard()).toBe(before);
  });

  testAsRoot("where the folder is the agent's own, it starts its own daemon there", async () => {
    const { socket, heard } = await stranger();
    const { user, runtime, make, agent } = victim();
    make(runtime, user, 0o700);
    linkSync(socket, join(runtime, "aaepd.sock"));
    const before = heard();
    expect(JSON.parse((await agent()).said)).toEqual({ ran: false, status: "connected", told: ["permission_denied"] });
    expect(heard()).toBe(before);
  });
});
