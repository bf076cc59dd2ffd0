// R3, R8: an agent that goes on over the loss of its daemon, with real daemons that are killed, stopped and held.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AgentTrouble } from "../../../src/client/agent/agent-options.js";
import { findAllDaemons } from "../../../src/client/discovery/discover-daemons.js";
import { eventually, serve, serveAtSocket } from "../../cli/command-stage.js";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { startGoingDaemon, startMortalDaemon } from "../../support/peers/mortal-daemon.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { accepts, listenAt, openedAt } from "./agent-stage.js";
import { spawnedSorter } from "./ways.js";

/** How often the daemon goes. */
const ROUNDS = isWhole ? 3 : 1;
const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
const droppedIn = (troubles: readonly AgentTrouble[]): number =>
  troubles.reduce((sum, { droppedCharacters }) => sum + droppedCharacters, 0);

// Over a kill each way has its own test, of all ways.
test.each(isWhole ? (["kill", "stop"] as const) : (["stop"] as const))(
  "R3, R8, R8b: over a %s of serve, text is heard once and in order, and each question has one outcome",
  async (how) => {
    const daemon = await startGoingDaemon(how);
    let mayAnswer = false;
    const asked = new Set<unknown>();
    const heard = await listenAt(daemon.socket, {
      answer: (event) => {
        asked.add(event.reply_token);
        return mayAnswer ? accepts(event) : undefined;
      },
    });
    const { agent, troubles, statuses } = await openedAt(daemon.socket);
    let expected = "";
    const outcome = agent.session("Counts.", async (s) => {
      const say = async (count: number): Promise<void> => {
        for (let index = 0; index < count; index += 1) {
          const token = `${expected.length} `;
          expected += token;
          s.text(token);
          if (index % 10 === 0) await turn();
        }
      };
      await say(50);
      for (let round = 0; round < ROUNDS; round += 1) {
        mayAnswer = false;
        const asking = s.confirm({ action: `Round ${round}.`, consequence: "It counts." });
        await say(30);
        await eventually(() => expect(asked.size).toBe(round + 1));
        await daemon.go();
        await say(30);
        await eventually(() => expect(statuses.at(-1)?.kind).toBe("away"));
        await say(30);
        await daemon.comeBack(round + 1 === ROUNDS);
        await say(30);
        mayAnswer = true;
        let isAnswered = false;
        void asking.then(() => {
          isAnswered = true;
        });
        // A reply counts when the question has been sent again to the listener that came back.
        await eventually(() => {
          heard.subscriber.reply(accepts({ reply_token: [...asked].at(-1) } as never));
          expect(isAnswered).toBe(true);
        });
        expect(await asking).toMatchObject({ decision: "accept", resolved_by: "reply" });
      }
      return "counted";
    });
    expect(await outcome).toBe("counted");
    await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
    expect(heard.text()).toBe(expected);
    expect(troubles).toEqual([]);
    expect(heard.lines.filter((line) => line.startsWith("session."))).toHaveLength(2);
  },
);

test("R8b: where the next run has nothing of a session, it begins again under another id, and the author is told once", async () => {
  const mortal = await startMortalDaemon("--journal", "memory");
  const { agent, troubles, statuses } = await openedAt(mortal.socket);
  const s = agent.session("Writes.");
  s.text("Before.");
  const first = s.id;
  // Its outcome comes when everything before it is acknowledged.
  expect(await s.confirm({ action: "A", consequence: "B" })).toMatchObject({ resolved_by: "no_subscriber" });
  const over = agent.session("Is over.");
  over.complete();
  const heard = await listenAt(mortal.socket);
  await over.confirm({ action: "A", consequence: "B" });
  await mortal.kill();
  await eventually(() => expect(statuses.at(-1)?.kind).toBe("away"));
  await mortal.again();
  // It begins at once, although its author has nothing to say. A session that is over does not.
  await eventually(() => expect(s.id).not.toBe(first));
  await eventually(() => expect(heard.resumed).toEqual(["new", "unknown"]));
  s.text("After.");
  s.complete();
  const again = () => heard.events.filter(({ session_id }) => session_id === s.id);
  // The listener may have heard the end of the other session, too.
  await eventually(() => expect(again().at(-1)?.type).toBe("aaep:agent.session.completed"));
  expect(
    again()
      .flatMap(({ chunk }) => chunk ?? [])
      .join(""),
  ).toBe("After.");
  expect(agent.status).toEqual({ kind: "connected" });
  expect(troubles.map(({ fault }) => fault.code)).toEqual(["session_not_started"]);
});

test("a spawned daemon that is killed is replaced; sessions begin again, text from there on is heard whole", async () => {
  ensureBuilt();
  const directory = temporaryDirectory();
  const socket = join(directory, "sorter.sock");
  const waits: boolean[] = [];
  const { agent, troubles } = await openedAt(undefined, {
    mode: "required",
    onWaiting: ({ waiting }) => waits.push(waiting),
    connectors: [spawnedSorter(directory, socket)],
  });
  const pidOf = async (): Promise<number> => (await findAllDaemons([directory]))[0]?.pid ?? 0;
  const heard = await listenAt(socket, { answer: () => undefined });
  const s = agent.session("Writes.");
  const first = s.id;
  s.text("Before. ");
  const tool = s.tool(
    "slow",
    () =>
      new Promise<string>((resolve) => {
        finish = resolve;
      }),
  );
  const asking = s.confirm({ action: "A", consequence: "B" });
  await eventually(() => expect(heard.lines).toContain("awaiting.confirmation | A"));
  await eventually(() => expect(waits).toEqual([true]));
  const pid = await pidOf();
  process.kill(pid, "SIGKILL");
  // The question went with its daemon: that is no consent.
  expect(await asking).toMatchObject({ resolved_by: "cancelled" });
  expect(waits).toEqual([true, false]);
  // Text from there on is heard whole.
  await eventually(() => expect(heard.resumed).toEqual(["new", "unknown"]));
  let expected = "";
  for (let index = 0; index < 500; index += 1) {
    const token = `${index} `;
    expected += token;
    s.text(token);
    if (index % 50 === 0) await turn();
  }
  finish("done");
  expect(await tool).toBe("done");
  expect(await pidOf()).not.toBe(pid);
  s.complete();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  expect(s.id).not.toBe(first);
  const again = heard.events.filter(({ session_id }) => session_id === s.id);
  expect(again.flatMap(({ chunk }) => chunk ?? []).join("")).toBe(expected);
  expect(again.map(({ type }) => type)).not.toContain("aaep:agent.tool.completed");
  expect(troubles.map(({ fault }) => fault.code)).toEqual(["session_not_started"]);
  await agent.close();
  await eventually(() => expect(() => process.kill(pid, 0)).toThrow());
});
let finish: (value: string) => void = () => {};

test("a daemon that is held takes nothing: text is dropped beyond the queue, counted, told, and never joined over the hole", async () => {
  const mortal = await startMortalDaemon();
  const heard = await listenAt(mortal.socket);
  const { agent, troubles } = await openedAt(mortal.socket, { mostQueuedCharacters: 1000 });
  const s = agent.session("Writes.");
  s.text("First. ");
  await eventually(() => expect(heard.text()).toBe("First. "));
  process.kill(mortal.pid(), "SIGSTOP");
  onTestFinished(() => void process.kill(mortal.pid(), "SIGCONT"));
  let said = 0;
  for (let index = 0; index < 1000; index += 1) {
    s.text("0123456789");
    said += 10;
    if (index % 100 === 0) await turn();
  }
  expect(s.dropped).toBeGreaterThan(0);
  process.kill(mortal.pid(), "SIGCONT");
  await eventually(() => expect(heard.text().length).toBe("First. ".length + said - s.dropped));
  s.text(" Last.");
  s.complete();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  expect(heard.text()).toMatch(/^First\. (0123456789)+ Last\.$/);
  expect(droppedIn(troubles)).toBe(s.dropped);
  expect(troubles.every(({ fault }) => fault.code === "rate_limit")).toBe(true);
  const outputs = new Set(heard.events.flatMap(({ output_id: id }) => (typeof id === "string" ? [id] : [])));
  expect(outputs.size).toBeGreaterThan(1);
});

test("sessions that wait for a lost daemon are bounded together; what they drop is counted and told", async () => {
  const daemon = await serveAtSocket();
  const heard = await listenAt(daemon.socket);
  const { agent, troubles } = await openedAt(daemon.socket, { mostQueuedEvents: 8, mostQueuedCharacters: 100 });
  await daemon.stop();
  await eventually(() => expect(agent.status.kind).toBe("away"));
  const text = "0123456789";
  const sessions = Array.from({ length: 500 }, (_, index) => {
    const s = agent.session(`Number ${index}.`);
    s.text(text);
    void s.tool("count", () => 1);
    s.complete();
    return s;
  });
  const dropped = sessions.reduce((sum, s) => sum + s.dropped, 0);
  expect(dropped).toBeGreaterThan(400 * text.length);
  await daemon.start();
  const count = (start: string): number => heard.lines.filter((line) => line.startsWith(start)).length;
  await eventually(() => {
    expect(count("session.started")).toBeGreaterThan(10);
    expect(count("session.completed")).toBe(count("session.started"));
    expect(heard.text().length).toBe(sessions.length * text.length - dropped);
  });
  expect(count("tool.completed")).toBe(count("tool.invoked"));
  expect(droppedIn(troubles)).toBe(dropped);
  // There is room again.
  await agent.session("The last one.", (s) => s.text("Last."));
  await eventually(() => expect(heard.text().endsWith("Last.")).toBe(true));
});

test("tools that are called without end beside a daemon that hangs take no more than the queue", async () => {
  const mortal = await startMortalDaemon();
  const heard = await listenAt(mortal.socket);
  await listenAt(mortal.socket, { name: "asked", answer: () => undefined });
  const { agent, troubles } = await openedAt(mortal.socket, { mostQueuedEvents: 10 });
  const s = agent.session("Counts.");
  s.text("First.");
  const stop = new AbortController();
  const asking = s.confirm({ action: "A", consequence: "B" }, { signal: stop.signal });
  await eventually(() => expect(heard.lines.join()).toContain("asks for a confirmation"));
  process.kill(mortal.pid(), "SIGSTOP");
  onTestFinished(() => void process.kill(mortal.pid(), "SIGCONT"));
  // Whoever takes a question back does not wait for a daemon that hangs.
  stop.abort();
  expect(await asking).toMatchObject({ resolved_by: "cancelled" });
  for (let index = 0; index < 1000; index += 1) expect(await s.tool("count", () => index)).toBe(index);
  process.kill(mortal.pid(), "SIGCONT");
  s.complete();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  const count = (start: string): number => heard.lines.filter((line) => line.startsWith(start)).length;
  expect(count("tool.invoked")).toBeLessThan(100);
  expect(count("tool.completed")).toBe(count("tool.invoked"));
  const droppedEvents = troubles.reduce((sum, one) => sum + one.droppedEvents, 0);
  expect(droppedEvents + count("tool.invoked")).toBe(1000);
});

test("text that is left when the agent closes is dropped, and told", async () => {
  const daemon = await serveAtSocket();
  const { agent, troubles } = await openedAt(daemon.socket);
  const heard = await listenAt(daemon.socket);
  const s = agent.session("Writes.");
  s.text("Heard.");
  await eventually(() => expect(heard.text()).toBe("Heard."));
  await s.confirm({ action: "Nobody answers.", consequence: "So it is over at once." });
  await daemon.stop();
  await eventually(() => expect(agent.status.kind).toBe("away"));
  s.text("Sent, and not answered.");
  s.progress(50);
  s.text("Not sent.");
  await agent.close(0);
  expect(droppedIn(troubles)).toBe(s.dropped);
  expect(s.dropped).toBe("Sent, and not answered.Not sent.".length);
  // The progress, the end of the output, and the end of the session.
  expect(troubles.at(-1)).toMatchObject({ fault: { code: "peer_gone" }, droppedEvents: 3 });
});

test("calls that are left when the agent closes are told, also where none of them is text", async () => {
  const daemon = await serveAtSocket();
  const { agent, troubles } = await openedAt(daemon.socket, { patienceMs: 1 });
  const s = agent.session("Deletes.");
  await s.confirm({ action: "Nobody answers.", consequence: "So it is over at once." });
  await daemon.stop();
  await eventually(() => expect(agent.status.kind).toBe("away"));
  await s.tool("count", () => 1);
  s.progress(50);
  await expect(s.tool("delete", () => 1, { irreversible: true })).rejects.toThrow("confirmation_required");
  await s.confirm({ action: "A", consequence: "B" });
  s.complete();
  await agent.close(0);
  // Its call and its result, the progress, two questions and the end.
  expect(troubles).toMatchObject([{ fault: { code: "peer_gone" }, droppedCharacters: 0, droppedEvents: 6 }]);
});

test("a question waits for a lost daemon, and counts as unheard when it does not return", async () => {
  const daemon = await serveAtSocket();
  const heard = await listenAt(daemon.socket, { answer: accepts });
  const { agent } = await openedAt(daemon.socket, { patienceMs: 300, unheard: "as-host" });
  const s = agent.session("Deletes.");
  expect(await s.confirm({ action: "A", consequence: "B" })).toMatchObject({ decision: "accept" });
  await daemon.stop();
  await eventually(() => expect(agent.status.kind).toBe("away"));
  expect(await s.confirm({ action: "A", consequence: "B" })).toMatchObject({
    decision: "reject",
    resolved_by: "no_subscriber",
  });
  expect(await s.tool("delete", () => "gone", { irreversible: true })).toBe("gone");
  s.complete();
  // What was done unasked is told afterwards, as such.
  await daemon.start();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  const call = heard.events.find(({ type }) => type.endsWith("tool.invoked"));
  expect(call).not.toHaveProperty("irreversible");
  const lines = heard.lines.filter((line) => /Nobody could be asked|^tool\./.test(line));
  expect(lines).toEqual([
    "state.changed | calling_tool | Nobody could be asked. It goes ahead: delete",
    "tool.invoked | delete | delete",
    "tool.completed | delete | success",
  ]);
});

test("R5: a call whose daemon is lost between the consent and the call is not made, and nobody waits for ever", async () => {
  const mortal = await startMortalDaemon();
  const heard = await listenAt(mortal.socket, {
    answer: (event) => {
      // The answer is on its way when the daemon stops taking anything.
      process.nextTick(() => void mortal.kill());
      return accepts(event);
    },
  });
  const { agent } = await openedAt(mortal.socket, { patienceMs: 300 });
  const s = agent.session("Deletes.");
  const declined: unknown[] = [];
  const call = s.tool("delete", () => expect.fail("it was called"), {
    irreversible: true,
    timeout_seconds: 1,
    declined: ({ decision, resolved_by }) => void declined.push({ decision, resolved_by }),
  });
  await call;
  expect(declined).toHaveLength(1);
  expect(declined).not.toContainEqual(expect.objectContaining({ decision: "accept" }));
  s.complete();
  await mortal.again();
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended. One action was not carried out."));
});

test("a silent agent finds a daemon that was started later, with its next session", async () => {
  const directory = temporaryDirectory();
  const socket = join(directory, "a.sock");
  let now = 0;
  const timers = {
    now: () => now,
    wakeAt: (at: number, wake: () => void) => {
      const timer = setTimeout(wake, Math.max(0, at - now));
      return () => clearTimeout(timer);
    },
  };
  const { agent, statuses, troubles } = await openedAt(socket, { timers });
  expect(agent.status.kind).toBe("silent");
  agent.session("Unheard.").text("Nobody is there.");
  await serve(directory, "--socket", socket);
  const heard = await listenAt(socket);
  now += 5000;
  await agent.session("Heard.", (s) => s.text("Somebody is there."));
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
  expect(heard.text()).toBe("Somebody is there.");
  expect(statuses.map(({ kind }) => kind)).toEqual(["silent", "away", "connected"]);
  expect(troubles).toEqual([]);
});
