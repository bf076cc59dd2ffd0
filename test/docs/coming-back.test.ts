// The listener of docs/subscribing.md, run as it stands there, through kills of the daemon and of itself (R17).
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { createAgentClient } from "../../src/client/agent-client.js";
import { ipcRpcConnector } from "../../src/client/node.js";
import { sha256Hex } from "../../src/daemon/platform/ids.js";
import { type CursorPlace, createOutputDigests, readCursor } from "../../src/engine/event/cursor.js";
import { eventually, runtimeEnvironment, type ServedDaemon, serve } from "../cli/command-stage.js";
import { isWhole } from "../support/extent.js";
import { startProgram } from "../support/peers/program.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const PAGE = readFileSync(fileURLToPath(new URL("../../docs/subscribing.md", import.meta.url)), "utf8");
const SESSION = "sess_numbered";
const AGENT = { agent_id: "counter" };
const digestOf = createOutputDigests({ sha256Hex });
/** Everything that is published is numbered, texts by words in them, from 1 on. */
const NUMBER = /\bn(\d+)\b/g;

interface Listener {
  readonly heard: () => readonly number[];
  readonly out: () => string;
  readonly kill: () => Promise<void>;
}

function startListener(program: string, socketPath: string, place: string): Listener {
  const child: ChildProcessWithoutNullStreams = spawn("python3", [program, socketPath, place]);
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    err += text;
  });
  const closed = once(child, "close");
  onTestFinished(() => void child.kill("SIGKILL"));
  return {
    heard: () => [...out.matchAll(NUMBER)].map(([, digits]) => Number(digits)),
    out: () => out,
    kill: async () => {
      child.kill("SIGKILL");
      await closed;
      // Nobody listens at the socket for a while; a line cut off in the middle is none.
      expect(err).not.toContain("Traceback");
    },
  };
}

/** Where a numbered thing stands in the journal; of a word also where it ends in its output. */
interface Journaled {
  readonly epoch: number;
  readonly output?: string;
  readonly end?: number;
}

async function journaled(environment: Readonly<Record<string, string>>): Promise<ReadonlyMap<number, Journaled>> {
  const program = startProgram(["journal", "export", "--with-epochs", "--session", SESSION], { environment });
  expect(await program.ended).toMatchObject({ code: 0 });
  const found = new Map<number, Journaled>();
  for (const line of program.stdout().split("\n").slice(0, -1)) {
    const { epoch, event } = JSON.parse(line);
    const match = /\bn(\d+)\b/.exec(event.chunk ?? event.summary_normal);
    if (match === null) continue;
    const [name, digits] = match;
    const output = event.chunk === undefined ? undefined : `${SESSION}/${event.output_id}`;
    found.set(Number(digits), {
      epoch,
      ...(output === undefined ? {} : { output, end: event.position + match.index + name.length }),
    });
  }
  return found;
}

interface Kill {
  readonly of: "daemon" | "listener";
  readonly heard: readonly number[];
  readonly acknowledged: ReadonlySet<number>;
  readonly place: CursorPlace;
}

/** Whether it was handed over before this cursor was, by what the journal says at the end. */
function isCovered({ epoch, output, end = 0 }: Journaled, { after, outputs }: CursorPlace): boolean {
  if (epoch <= after) return true;
  const to = output === undefined ? undefined : outputs.get(digestOf(output))?.to;
  return to === "end" || (to !== undefined && end <= to);
}

test("R17: the listener of the page loses nothing in kills, and hears again only what no checkpoint had covered", async () => {
  const [, code = ""] = /```python reader\.py\n([\s\S]*?)\n```/.exec(PAGE) ?? [];
  const folder = temporaryDirectory();
  const [program, place] = [join(folder, "reader.py"), join(folder, "cursor")];
  writeFileSync(program, `${code}\n`);

  const runtime = runtimeEnvironment();
  const begin = (): Promise<ServedDaemon> => serve(runtime.XDG_RUNTIME_DIR, "--agent-grace-seconds", "600");
  let daemon = await begin();
  const { socketPath } = daemon;
  const listeners = [startListener(program, socketPath, place)];
  const listener = (): Listener => listeners.at(-1) as Listener;
  /** At each kill all that was heard by then, what was acknowledged, and the cursor that was kept. */
  const kills: Kill[] = [];
  const heardNow = (): readonly number[] => listeners.flatMap((one) => one.heard());
  await eventually(() => expect(existsSync(place)).toBe(true));

  const agent = await createAgentClient(ipcRpcConnector(socketPath), { patienceMs: 300_000 });
  onTestFinished(agent.close);
  const publish = (kind: string, fields: object): Promise<unknown> =>
    agent.publishUntyped({ type: `aaep:agent.${kind}`, session_id: SESSION, producer: AGENT, ...fields });
  const acknowledged = new Set<number>();
  let isEnough = false;
  let number = 0;
  const numbered = (kind: string, words: (name: string) => object): void => {
    number += 1;
    const own = number;
    void publish(kind, words(`n${own}`)).then(() => acknowledged.add(own));
  };
  /** A call of a tool, and an output in pieces; each piece begins the next sentence, or its next part. */
  const round = (id: number): void => {
    const call = { tool: "count", tool_call_id: `call_${id}` };
    numbered("tool.invoked", (name) => ({ ...call, summary_normal: `Begins ${name}.` }));
    numbered("tool.completed", (name) => ({ ...call, status: "success", summary_normal: `Ends ${name}.` }));
    const output = { output_id: `out_${id}`, complete: false };
    for (const end of [".", ",", ".", ",", "."])
      numbered("output.streaming", (name) => ({ ...output, chunk: `counts ${name}${end} It ` }));
    void publish("output.streaming", { ...output, chunk: "", complete: true });
  };
  const speak = async (): Promise<void> => {
    await publish("session.started", { summary_normal: "Counts." });
    for (let id = 1; !isEnough; id += 1) {
      round(id);
      // So many wait for their answers at a time, also while the daemon is away.
      await delay(40);
      while (number - acknowledged.size > 50) await delay(10);
    }
    await publish("session.completed", { summary_normal: "Counted." });
  };
  const spoken = speak();

  const kept = (): string => readFileSync(place, "utf8");
  const nextCheckpoint = async (): Promise<void> => {
    const before = kept();
    await eventually(() => expect(kept()).not.toBe(before));
  };
  const killed = (of: Kill["of"]): void => {
    const place = readCursor(kept()) as CursorPlace;
    kills.push({ of, heard: heardNow(), acknowledged: new Set(acknowledged), place });
  };
  const killDaemon = async (): Promise<void> => {
    daemon.child.kill("SIGKILL");
    await once(daemon.child, "close");
    // What the listener had been sent it hears to the end.
    for (let before = -1; heardNow().length !== before; await delay(500)) before = heardNow().length;
    killed("daemon");
    daemon = await begin();
  };
  /** Until it has heard something since its last checkpoint. */
  const uncovered = async (): Promise<void> => {
    for (let place = kept(), count = heardNow().length; heardNow().length === count; await delay(5)) {
      if (kept() === place) continue;
      place = kept();
      count = heardNow().length;
    }
  };
  const killListener = async (): Promise<void> => {
    await uncovered();
    await listener().kill();
    killed("listener");
    listeners.push(startListener(program, socketPath, place));
  };

  // Right behind a checkpoint, and somewhere before the next one.
  const all = [0, 0, 200, 300, 400, 500].map((ms, index) => ({
    ms,
    kill: index % 2 === 0 ? killDaemon : killListener,
  }));
  const blows = isWhole ? all : all.slice(2, 4);
  for (const { ms, kill } of blows) {
    await nextCheckpoint();
    await nextCheckpoint();
    await delay(ms);
    await kill();
  }
  await nextCheckpoint();
  isEnough = true;
  await spoken;
  await eventually(() => expect(listener().out()).toContain("session.completed: Counted."));
  await listener().kill();
  await agent.close();
  await daemon.stop();
  const stands = await journaled(daemon.environment);

  // Nothing is missing, and nothing stands before what came before it.
  expect(acknowledged.size).toBe(number);
  const heard = heardNow();
  expect([...new Set(heard)]).toEqual(Array.from({ length: number }, (_, index) => index + 1));
  // What is heard twice follows a kill, and the cursor that was kept by then does not cover it.
  const twice = { daemon: 0, listener: 0 };
  for (const [index, { of, heard: before, acknowledged: safe, place: kept }] of kills.entries()) {
    const since = heard.slice(before.length, kills[index + 1]?.heard.length);
    expect(new Set(since).size).toBe(since.length);
    const again = since.filter((one) => before.includes(one));
    // Events that the disk did not have are void, also where the cursor covered them.
    const durable = again.filter((one) => safe.has(one));
    expect(durable.filter((one) => isCovered(stands.get(one) as Journaled, kept))).toEqual([]);
    // A listener that lives on knows by their ids the events that the disk had; its text goes back to the cursor.
    if (of === "daemon") expect(durable.filter((one) => stands.get(one)?.output === undefined)).toEqual([]);
    twice[of] += again.length;
  }
  // Or nothing of this was tried.
  expect(kills.length).toBe(blows.length);
  expect(twice.listener).toBeGreaterThan(0);
}, 180_000);
