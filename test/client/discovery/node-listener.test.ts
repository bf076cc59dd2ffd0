// A listener's program in Node as a stranger writes it: it names no connector.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { ipcRpcConnector, ipcTarget, socketPath, subscribe } from "../../../src/client/node.js";
import { eventually, runtimeEnvironment, serve } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { cleanEnvironment, startProgram } from "../../support/peers/program.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Runs a program that prints the daemon and the session of each event, and ends when its input does. */
function program(environment: Readonly<Record<string, string>>, args: string) {
  ensureBuilt();
  // Inside the package, so that `aaepd` is found as it would be in a project that depends on it.
  const folder = mkdtempSync(join(ROOT, "dist", "node-listener-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const entry = join(folder, "listener.mjs");
  writeFileSync(
    entry,
    `import { subscribe } from "aaepd";
     const subscription = subscribe(${args});
     process.stdin.on("end", () => subscription.close()).resume();
     for await (const event of subscription) console.log(subscription.sourceOf(event).label, event.session_id);`,
  );
  const { child, stdout, stderr, ended } = startProgram([], { entry, environment });
  return {
    heard: (line: string) => eventually(() => expect(stdout().split("\n")).toContain(line)),
    out: stdout,
    end: async () => {
      child.stdin.end();
      return { ...(await ended), err: stderr() };
    },
    ended: ended.then(({ code }) => ({ code, err: stderr() })),
  };
}

/** Begins a session, which is summed up to those that come later. */
async function say(socket: string, name: string): Promise<void> {
  const agent = await AgentClient.open(ipcRpcConnector(socket));
  onTestFinished(() => agent.close());
  await agent.publish({
    type: "aaep:agent.session.started",
    session_id: `sess_${name}`,
    producer: { agent_id: "a" },
    summary_normal: "Begins.",
  });
}

test("by default it hears all daemons of its user, those that start later included", async () => {
  const { XDG_RUNTIME_DIR } = runtimeEnvironment();
  const one = await serve(XDG_RUNTIME_DIR, "--producer-id", "one");
  const { heard, end } = program(one.environment, '{ preferred_verbosity: "normal" }');
  await say(one.socketPath, "one");
  await heard("one sess_one");
  const two = await serve(XDG_RUNTIME_DIR, "--producer-id", "two");
  await say(two.socketPath, "two");
  await heard("two sess_two");
  await two.stop();
  const again = await serve(XDG_RUNTIME_DIR, "--producer-id", "two");
  await say(again.socketPath, "again");
  await heard("two sess_again");
  expect(await end()).toMatchObject({ code: 0, err: "" });
});

test("AAEPD_SOCKET chooses one daemon; auto leaves the choice open; off is refused", async () => {
  const { XDG_RUNTIME_DIR } = runtimeEnvironment();
  const one = await serve(XDG_RUNTIME_DIR, "--producer-id", "one");
  const two = await serve(XDG_RUNTIME_DIR, "--producer-id", "two");
  const chosen = program({ ...one.environment, AAEPD_SOCKET: two.socketPath }, "");
  const open = program({ ...one.environment, AAEPD_SOCKET: "auto" }, "{}, {}");
  await say(one.socketPath, "one");
  await open.heard("one sess_one");
  await say(two.socketPath, "two");
  await open.heard("two sess_two");
  await chosen.heard(`${two.socketPath} sess_two`);
  expect(chosen.out()).not.toContain("sess_one");
  for (const { end } of [chosen, open]) expect(await end()).toMatchObject({ code: 0, err: "" });
  const off = await program({ ...one.environment, AAEPD_SOCKET: "off" }, "").ended;
  expect(off.err).toContain('[usage] The variable AAEPD_SOCKET is "off".');
});

test("a daemon by its producer id, by the path of its socket, and several", async () => {
  const { XDG_RUNTIME_DIR } = runtimeEnvironment();
  const one = await serve(XDG_RUNTIME_DIR, "--producer-id", "one");
  const two = await serve(XDG_RUNTIME_DIR, "--producer-id", "two");
  const terms = '{ preferred_verbosity: "normal" }';
  // What a daemon is called when it is named wins over the variable.
  const environment = { ...one.environment, AAEPD_SOCKET: "/nowhere.sock" };
  const byId = program(environment, `"one", ${terms}`);
  const byPath = program(environment, `${JSON.stringify(one.socketPath)}, ${terms}, { id: "reader" }`);
  const both = program(environment, `["one", ${JSON.stringify(two.socketPath)}]`);
  await say(one.socketPath, "one");
  await say(two.socketPath, "two");
  await byId.heard("one sess_one");
  await byPath.heard(`${one.socketPath} sess_one`);
  await both.heard("one sess_one");
  await both.heard(`${two.socketPath} sess_two`);
  expect(byId.out()).not.toContain("sess_two");
  for (const { end } of [byId, byPath, both]) expect(await end()).toMatchObject({ code: 0, err: "" });
});

test("R20: terms that no daemon accepts end it with what to do", async () => {
  const { environment } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const { err } = await program(environment, "{ pace_wpm: 3 }").ended;
  expect(err).toContain("[capabilities_incompatible]");
  expect(err).toContain("pace_wpm");
});

test("a directory that is not this user's alone ends it with what to do", async () => {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  chmodSync(directory, 0o755);
  const { err } = await program(cleanEnvironment(XDG_RUNTIME_DIR), "").ended;
  expect(err).toContain("[permission_denied]");
});

test("what names no daemon is refused at once", () => {
  expect(() => subscribe("")).toThrow(/no path/);
  expect(() => subscribe([])).toThrow(/no daemon to subscribe to/);
  expect(() => subscribe(["one", socketPath("one")])).toThrow(/Name each daemon once/);
  // @ts-expect-error: a caller in JavaScript.
  for (const one of [42, null, true]) expect(() => subscribe(one)).toThrow(/is no daemon/);
  expect(() => subscribe("one", "terse" as never)).toThrow(/Terms are an object/);
  // @ts-expect-error: a caller in JavaScript.
  expect(() => subscribe({ prefered_verbosity: "terse" })).toThrow(/no term "prefered_verbosity"/);
  expect(ipcTarget("one")).toMatchObject({ name: socketPath("one"), label: "one" });
});
