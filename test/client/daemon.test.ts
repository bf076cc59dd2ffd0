// Both clients with a real daemon over a real socket.
import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { createAgentClient } from "../../src/client/agent-client.js";
import { isCore } from "../../src/client/events.js";
import { childRpcConnector, ipcConnector, ipcRpcConnector } from "../../src/client/node.js";
import { createSubscriber } from "../../src/client/subscriber.js";
import type { SubscriberOptions } from "../../src/client/subscriber-options.js";
import type { SubscriberState } from "../../src/client/subscriber-states.js";
import { eventually, runtimeEnvironment, serve } from "../cli/command-stage.js";
import { ensureBuilt } from "../support/built.js";
import { itInFull } from "../support/extent.js";
import { expectNothingLeftOpen } from "../support/open-handles.js";
import { cleanEnvironment, PROGRAM } from "../support/peers/program.js";

const SESSION = "sess_client";
const producer = { agent_id: "tester" };
const started = { type: "aaep:agent.session.started", session_id: SESSION, producer, summary_normal: "Hello." };
const completed = { type: "aaep:agent.session.completed", session_id: SESSION, producer, summary_normal: "Done." };

function chunk(text: string, complete = false) {
  return { type: "aaep:agent.output.streaming", session_id: SESSION, producer, chunk: text, complete };
}

async function agentAt(socketPath: string, framing: "length-prefixed" | "newline" = "length-prefixed") {
  const agent = await createAgentClient(ipcRpcConnector(socketPath, { framing }));
  onTestFinished(agent.close);
  return agent;
}

async function listen(socketPath: string, options: Partial<SubscriberOptions> = {}) {
  const states: SubscriberState[] = [];
  const texts: string[] = [];
  const types: string[] = [];
  const subscriber = createSubscriber({
    connect: ipcConnector(socketPath),
    request: { subscriber_id: "listener", capabilities: { coalesce_boundaries: ["none"] } },
    onState: (state) => states.push(state),
    ...options,
    onEvent: async (event, arrival) => {
      await options.onEvent?.(event, arrival);
      types.push(event.type);
      if (isCore(event) && event.type === "aaep:agent.output.streaming") texts.push(event.chunk);
    },
  });
  onTestFinished(() => subscriber.close());
  await eventually(() => expect(states.at(-1)?.kind).toBe("active"));
  return { subscriber, states, types, text: () => texts.join("") };
}

test.each(["length-prefixed", "newline"] as const)(
  "R33: publishing is acknowledged, refusals are Faults (%s)",
  async (framing) => {
    expectNothingLeftOpen();
    const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
    const agent = await agentAt(socketPath, framing);
    await agent.ping();
    const answer = await agent.publishUntyped(started);
    expect(answer).toMatchObject({ events: [{ event_id: expect.stringMatching(/^evt_/), epoch: expect.any(Number) }] });
    expect(answer.resume_token).toEqual(expect.any(String));
    expect((await agent.publishUntyped([chunk("One."), chunk(" Two.", true)])).events).toHaveLength(2);
    await expect(agent.publishUntyped(chunk("Three."))).rejects.toMatchObject({ code: "output_already_complete" });
    await expect(agent.publishUntyped([completed, { ...started, session_id: "x" }])).rejects.toMatchObject({
      code: "invalid_event",
      pointer: "/1/session_id",
    });
    await agent.publishUntyped(completed);
    expect(await agent.manifest()).toMatchObject({ type: "aaep:producer.manifest", agent_id: "aaepd" });
    await agent.close();
  },
);

test("R2: an agent that has said who it is need not say it again", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const { producer: _, ...anonymous } = started;
  const agent = await agentAt(socketPath);
  await expect(agent.publishUntyped(anonymous)).rejects.toMatchObject({ code: "producer_missing" });
  await agent.setManifest({ agent_id: "planner", agent_name: "Planner" });
  const names: (string | undefined)[] = [];
  const { types } = await listen(socketPath, { onEvent: (event) => void names.push(event.producer.agent_name) });
  await agent.publishUntyped(anonymous);
  await eventually(() => expect(types).toContain(started.type));
  expect(names).toContain("Planner");
});

test("R8: a session is taken over by its token after the connection was lost", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const first = await agentAt(socketPath);
  const { resume_token: token = "" } = await first.publishUntyped(started);
  await first.publishUntyped(chunk("One."));
  await first.close();
  const second = await agentAt(socketPath);
  await expect(second.resumeSession({ session_id: SESSION, resume_token: "rst_0" })).rejects.toMatchObject({
    code: "session_not_yours",
  });
  expect(await second.resumeSession({ session_id: SESSION, resume_token: token })).toBeDefined();
  await second.publishUntyped([chunk(" Two.", true), completed]);
});

itInFull("R17, R18: a listener that was cut off for lagging comes back and misses nothing", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR, "--max-lag-events", "1000");
  let release: () => void = () => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { states, types, text } = await listen(socketPath, { onEvent: () => isReleased, backOff: { firstMs: 10 } });
  onTestFinished(release);
  const agent = await agentAt(socketPath);
  await agent.publishUntyped(started);
  // More than the socket's buffers hold, so that the daemon sees that nobody reads.
  const pieces = Array.from({ length: 4000 }, (_, index) => `${index} ${"x".repeat(1000)}\n`);
  for (let at = 0; at < pieces.length; at += 50)
    await agent.publishUntyped(pieces.slice(at, at + 50).map((piece) => chunk(piece)));
  await agent.publishUntyped([chunk("", true), completed]);
  release();
  await eventually(() => expect(types).toContain(completed.type));
  expect(text()).toBe(pieces.join(""));
  const [cut] = states.flatMap((state) => (state.kind === "waiting" ? [state.because] : []));
  // Where this machine was too busy for the listener to read on within the daemon's patience, it broke off in the middle of a message.
  if (cut?.kind === "closed") expect(cut.close.reason_code).toBe("lagging");
  else expect(cut).toMatchObject({ fault: { code: expect.stringMatching(/^(framing_lost|peer_gone)$/) } });
});

test("AAEP §5.7, R26: paused by renegotiation, and what was held comes when it goes on", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const { subscriber, text, types } = await listen(socketPath);
  const agent = await agentAt(socketPath);
  await agent.publishUntyped(started);
  await eventually(() => expect(types).toHaveLength(1));
  const paused = await subscriber.renegotiate({ aaepd: { paused: true } });
  expect(paused.honored_capabilities.aaepd).toMatchObject({ paused: true });
  await agent.publishUntyped([chunk("One. "), chunk("Two.", true)]);
  await agent.ping();
  expect(types).toHaveLength(1);
  await subscriber.renegotiate({ aaepd: { paused: false } });
  await eventually(() => expect(text()).toBe("One. Two."));
  await expect(subscriber.renegotiate({ pace_wpm: 7 })).rejects.toMatchObject({ pointer: "/capabilities/pace_wpm" });
});

test("R28: an event is sent again when it is asked for", async () => {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const arrivals: string[] = [];
  const { subscriber } = await listen(socketPath, {
    onEvent: ({ event_id: id }, arrival) => void arrivals.push(`${arrival} ${id}`),
  });
  const agent = await agentAt(socketPath);
  const [{ event_id: id } = { event_id: "" }] = (await agent.publishUntyped(started)).events;
  await eventually(() => expect(arrivals).toEqual([`new ${id}`]));
  expect(subscriber.repeat(id)).toBe(true);
  await eventually(() => expect(arrivals).toEqual([`new ${id}`, `repeated ${id}`]));
});

test("an agent that starts its own daemon publishes over the child's streams; the end of input is the end (R8a)", async () => {
  ensureBuilt();
  const runtime = runtimeEnvironment();
  const environment = cleanEnvironment(runtime.XDG_RUNTIME_DIR);
  const socketPath = `${runtime.directory}/own.sock`;
  const argv = [PROGRAM, "stdio", "--producer-id", "own", "--socket", socketPath];
  const child = spawn(process.execPath, argv, { env: environment, stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  const agent = await createAgentClient(childRpcConnector(child));
  await agent.ping();
  const { types, states } = await listen(socketPath, { reconnect: "never" });
  await agent.publishUntyped([started, completed]);
  child.stdin.end();
  expect(await ended).toBe(0);
  // The child may have ended before what it sent has been read here.
  await eventually(() =>
    expect(states.at(-1)).toMatchObject({
      kind: "ended",
      because: { kind: "closed", close: { reason_code: "producer_shutdown" } },
    }),
  );
  expect(types).toEqual([started.type, completed.type]);
  expect((await agent.closed).kind).not.toBe("abrupt");
});
