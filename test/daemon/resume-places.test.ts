// R17: places over sockets: of a newcomer, of several subscriptions on one connection, and over the end of a process.
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { itInFull } from "../support/extent.js";
import type { Message } from "../support/oracles/wire-sniffer.js";
import { type LineListener, listenInLines, publishInLines } from "../support/peers/line-listener.js";
import { createMortalDaemon, type MortalDaemon } from "../support/peers/mortal-daemon.js";
import type { Subscription } from "../support/peers/peers.js";
import { returnTo } from "../support/peers/returning.js";
import { nextSession, requestOf, startRig } from "../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const RAW = { coalesce_boundaries: ["none"] };
const PLACED = { ...RAW, aaepd: { checkpoints: true } };

const started = (session_id: string): Message => ({
  type: "aaep:agent.session.started",
  session_id,
  summary_normal: "Begins.",
});
const progress = (session_id: string, percent: number): Message => ({
  type: "aaep:agent.progress.updated",
  session_id,
  progress: { percent },
});

/** The place that comes with an acceptance. */
const placeOf = (accepted: unknown): unknown =>
  (accepted as { readonly honored_capabilities: { readonly aaepd: { readonly cursor?: unknown } } })
    .honored_capabilities.aaepd.cursor;

it("R17: a newcomer to whom nothing is owed is given its place with the acceptance, whatever it can answer", async () => {
  const rig = await startRig();
  for (const capabilities of [{}, { supports_confirmation_reply: true, aaepd: { checkpoints: true } }]) {
    const listener = await rig.plain();
    expect(placeOf(await listener.subscribe(requestOf(capabilities)))).toMatch(/^c1\./);
  }
});

it("R17: as long as a session has to be summed up to it, a newcomer has no place", async () => {
  const rig = await startRig();
  const agent = await rig.rpc();
  await agent.publish(started(nextSession()));
  const listener = await rig.plain();
  expect(placeOf(await listener.subscribe(requestOf()))).toBeUndefined();
});

describe("R17: over JSON-RPC", () => {
  it("a checkpoint of a connection's only subscription bears no name, and of several each its own, also beside the method", async () => {
    const rig = await startRig({ clock: "hands" });
    const peer = await rig.rpc();
    const agent = await rig.rpc();
    const [one, other, unasked] = [peer.subscription(), peer.subscription(), peer.subscription()];
    const session = nextSession();
    await one.subscribe(requestOf(PLACED, { subscriber_id: "one" }));
    await agent.publish(started(session));
    await rig.advance(1000);
    expect(await one.checkpoints.next()).toEqual({ cursor: one.cursor() });
    await other.subscribe(requestOf(PLACED, { subscriber_id: "other" }));
    await unasked.subscribe(requestOf(RAW, { subscriber_id: "unasked" }));
    await rig.advance(1000);
    await agent.publish(progress(session, 10));
    await rig.advance(1000);
    for (const each of [one, other]) {
      const last = (await checkpointsOf(each)).at(-1);
      expect(last).toEqual({ subscription_id: each.id(), cursor: each.cursor() });
    }
    expect(one.cursor()).toBe(other.cursor());
    expect(unasked.checkpoints.rest()).toEqual([]);
  });
});

async function checkpointsOf({ checkpoints }: Subscription): Promise<readonly Message[]> {
  return [await checkpoints.next(), ...checkpoints.rest()];
}

describe("R17, R29: when the daemon was killed", () => {
  beforeAll(ensureBuilt, 120_000);

  let daemon: MortalDaemon | undefined;
  afterEach(async () => {
    await daemon?.kill();
  });

  /** A daemon that has told a listener its place, and is started again after its death. */
  async function killed(...options: readonly string[]) {
    const running = createMortalDaemon({
      directory: temporaryDirectory(),
      services: [],
      options: ["--producer-id", "test", "--agent-grace-seconds", "600", ...options],
    });
    daemon = running;
    expect(await running.start().ready).toBe(true);
    const listener = await returnTo(running.socket, "listener", PLACED);
    await publishInLines(await listenInLines(running.socket), [started("sess_1"), progress("sess_1", 10)]);
    const { cursor } = JSON.parse(await listener.line((line) => line.includes('"aaepd.checkpoint"')));
    const published = await listenInLines(running.socket);
    await publishInLines(published, [started("sess_2"), progress("sess_2", 20)]);
    await running.kill();
    expect(await running.start().ready).toBe(true);
    return { place: String(cursor), path: running.socket };
  }

  const answerTo = ({ lines }: LineListener): Message => JSON.parse(lines[0] ?? "{}");
  const eventsOf = async (listener: LineListener, until: string): Promise<readonly Message[]> => {
    await listener.line((line) => line.includes(until));
    return listener.lines.map((line) => JSON.parse(line) as Message).filter((one) => "event_id" in one);
  };

  it("a place is good, and what was durable after it follows", async () => {
    const { place, path } = await killed();
    const back = await returnTo(path, "another", RAW, place);
    expect(answerTo(back)).toMatchObject({ honored_capabilities: { aaepd: { resumed: "all" } } });
    const events = await eventsOf(back, '"percent":20');
    expect(events.map(({ session_id, type }) => [session_id, type])).toEqual([
      ["sess_2", "aaep:agent.session.started"],
      ["sess_2", "aaep:agent.progress.updated"],
    ]);
  });

  it("a place that its run gave out and never made durable is met as gap: what the next run has follows, and sums", async () => {
    const { place, path } = await killed();
    const beyond = place.replace(/\d+$/, (epoch) => String(Number(epoch) + 1000));
    const back = await returnTo(path, "another", RAW, beyond);
    expect(answerTo(back)).toMatchObject({ honored_capabilities: { aaepd: { resumed: "gap" } } });
    await back.line((line) => line.includes("sess_1"));
    const events = await eventsOf(back, "sess_2");
    expect(new Set(events.map(({ session_id }) => session_id))).toEqual(new Set(["sess_1", "sess_2"]));
    for (const event of events)
      expect(event).toMatchObject({ type: "aaep:agent.state.changed", extensions: { aaepd: { by: "daemon" } } });
  });

  itInFull("a place of a journal in memory is unknown", async () => {
    const { place, path } = await killed("--journal", "memory");
    const back = await returnTo(path, "another", RAW, place);
    expect(answerTo(back)).toMatchObject({ honored_capabilities: { aaepd: { resumed: "unknown" } } });
  });
});
