// The row "agent-tokens" hands every token to a session, and counts what the session dropped.
import { afterEach, beforeAll, expect, test } from "vitest";
import { createStage } from "../../bench/children.mjs";
import { ensureBuilt } from "../support/built.js";

const stages: { close: (options: object) => Promise<void> }[] = [];
beforeAll(ensureBuilt);
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close({ patienceMs: 0 })));
});

test("tokens are taken by a daemon, dropped beside one that is stopped, and cost something either way", async () => {
  const stage = createStage();
  stages.push(stage);
  const [daemon, agent] = await Promise.all([stage.daemon(), stage.role("agent")]);
  expect(await agent.call("open", { socket: daemon.socket })).toBe("connected");
  const taken = await agent.call("say", { count: 1000, turnEvery: 8, isTaken: true });
  expect(taken.dropped).toBe(0);
  const skipped = await agent.call("skip", { count: 1000, turnEvery: 8 });
  expect(taken.micros).toBeGreaterThan(0);
  expect(skipped.micros).toBeGreaterThan(0);
  process.kill(daemon.pid, "SIGSTOP");
  const { dropped } = await agent.call("say", { count: 100_000, turnEvery: 1000 });
  // 262,144 of 500,000 characters wait.
  expect(dropped).toBeCloseTo(1 - 262_144 / 500_000, 2);
  expect(await agent.call("open", {})).toBe("silent");
}, 120_000);
