// Two agents on two transports work through the page's scenario. One of them is away for a while, and over a kill.
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { connectIpc } from "../../../transports/ipc/connect.js";
import { ensureBuilt } from "../../support/built.js";
import { type AkashikPeer, akashikAgent, unit } from "../../support/peers/akashik-peer.js";
import { AKASHIK_STREAM } from "../../support/peers/akashik-service.js";
import { createMortalDaemon } from "../../support/peers/mortal-daemon.js";
import { createGrpcClient } from "../../support/services/grpc-client.js";
import { converseStream } from "../../support/services/text-connections.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

beforeAll(ensureBuilt, 120_000);

it("tells an agent once of everything that mattered while it was away", async () => {
  const daemon = createMortalDaemon({
    directory: temporaryDirectory(),
    services: ["grpc"],
    options: ["--producer-id", "test"],
  });
  onTestFinished(() => daemon.kill());
  const start = async () => expect(await daemon.start().ready).toBe(true);
  const strategistComes = () => {
    const stream = converseStream(AKASHIK_STREAM, createGrpcClient(daemon.grpc), true);
    return akashikAgent(stream, "strategist-01", "strategist", ["market pricing", "competitor analysis"]);
  };
  const researcherComes = async () => akashikAgent(await connectIpc(daemon.socket), "researcher-01", "researcher");
  const next = async (agent: AkashikPeer) => {
    const told = await agent.notifications.next("a notification");
    return [told.event, told.memory_unit_id ?? told.conflict_id];
  };

  await start();
  let strategist = await strategistComes();
  let researcher = await researcherComes();
  const record = async (content: string, more = {}) => {
    const { memory_unit_id, conflicts_detected } = await researcher.ask("RECORD", unit(content, more));
    return { id: memory_unit_id, conflicts: conflicts_detected as readonly { readonly id: string }[] };
  };
  const subscription = { events: ["conflict.detected", "memory.recorded"], min_relevance: 0.6, debounce_ms: 2000 };
  const { subscription_id } = await strategist.ask("SUBSCRIBE", { action: "subscribe", subscription });

  const first = await record("Market pricing has risen.");
  expect(await next(strategist)).toEqual(["memory.recorded", first.id]);
  await record("It rained.");

  await strategist.close();
  const second = await record("Competitor analysis: three shops opened.");
  const third = await record("Market pricing has fallen.", {
    relations: [{ type: "contradicts", target_id: first.id }],
  });
  const [conflict] = third.conflicts;
  await daemon.kill();
  await start();
  researcher = await researcherComes();
  const fourth = await record("Market pricing: nobody knows.", { type: "decision" });

  strategist = await strategistComes();
  const toldWhileAway = [
    await next(strategist),
    await next(strategist),
    await next(strategist),
    await next(strategist),
  ];
  expect(toldWhileAway).toEqual([
    ["memory.recorded", second.id],
    ["memory.recorded", third.id],
    ["conflict.detected", conflict?.id],
    ["memory.recorded", fourth.id],
  ]);
  expect(await strategist.ask("SUBSCRIBE", { action: "list" })).toMatchObject({
    subscriptions: [{ id: subscription_id, ...subscription }],
  });
  const merged = await strategist.ask("MERGE", {
    conflict_id: conflict?.id,
    strategy: "last_write_wins",
    resolution: { rationale: "The newest price counts." },
  });
  expect(merged).toMatchObject({ conflict: { status: "resolved", resolution: { winner_id: third.id } } });

  // Everything told is acknowledged by now, so another kill repeats nothing of it.
  await daemon.kill();
  await start();
  strategist = await strategistComes();
  researcher = await researcherComes();
  const fifth = await record("Market pricing has settled.");
  expect(await next(strategist)).toEqual(["memory.recorded", fifth.id]);
  const { record: polled } = await strategist.ask("ATTUNE", {
    format: "ids_only",
    scope: { relevance_threshold: 0.6 },
  });
  expect(new Set((polled as { memory_unit: { id: string } }[]).map(({ memory_unit }) => memory_unit.id))).toEqual(
    new Set([second.id, third.id, fourth.id, fifth.id]),
  );
  expect(daemon.accidents()).toEqual([]);
}, 60_000);
