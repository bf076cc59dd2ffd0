// The row "attack" times a critical event from its scheduled instant, and ends whatever becomes of the daemon (R34).
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { createStage } from "../../bench/children.mjs";
import { ensureBuilt } from "../support/built.js";

const stages: { close: (options: object) => Promise<void> }[] = [];
beforeAll(ensureBuilt);
afterEach(async () => {
  await Promise.all(stages.splice(0).map((stage) => stage.close({ patienceMs: 0 })));
});

async function bystanderOfDaemon() {
  const stage = createStage();
  stages.push(stage);
  const [daemon, bystander] = await Promise.all([stage.daemon(), stage.role("bystander")]);
  await bystander.call("open", { path: daemon.socket });
  return { stage, daemon, bystander };
}

describe("a bystander", () => {
  test("hears each of its events, once for each that was scheduled", async () => {
    const { bystander } = await bystanderOfDaemon();
    for (let turn = 0; turn < 2; turn += 1) {
      const figures = await bystander.call("measure", { count: 20, everyMs: 1, limitMs: 60_000 });
      expect(figures.missing).toBe(0);
      expect(figures.p50).toBeLessThanOrEqual(figures.p99);
      expect(figures.p99).toBeLessThanOrEqual(figures.worst);
    }
  }, 120_000);

  test("counts from the scheduled instant what a held up daemon never gave, and waits no longer than it may", async () => {
    const { daemon, bystander } = await bystanderOfDaemon();
    process.kill(daemon.pid, "SIGSTOP");
    const figures = await bystander.call("measure", { count: 21, everyMs: 10, limitMs: 300 });
    expect(figures.missing).toBe(21);
    // The first was due 200 ms before the last, and the one in the middle 100 ms.
    expect(figures.worst).toBeCloseTo(500);
    expect(figures.p50).toBeCloseTo(400);
  }, 120_000);

  test("does not wait for a daemon that has gone, and says so", async () => {
    const { daemon, bystander } = await bystanderOfDaemon();
    process.kill(daemon.pid, "SIGKILL");
    const figures = await bystander.call("measure", { count: 20, everyMs: 1, limitMs: 3_600_000 });
    expect(figures.missing).toBe(20);
    expect(figures.lastWords).toBeDefined();
  }, 120_000);
});

describe("an attacker", () => {
  const small = { scale: 0.001, grpcPath: "" };

  test("repeats its attack, and nothing of it is refused", async () => {
    const { stage, daemon } = await bystanderOfDaemon();
    const attacker = await stage.role("attacker");
    await attacker.call("prepare", { ...small, name: "questions", path: daemon.socket });
    await attacker.call("begin");
    const told = await attacker.call("tell", { waitMs: 60_000 });
    expect(told.repeats).toBeGreaterThan(0);
    expect(told).toMatchObject({ refused: 0 });
    expect(told.failure).toBeUndefined();
  }, 120_000);

  test("says that the daemon has closed its connection", async () => {
    const { stage, daemon } = await bystanderOfDaemon();
    const attacker = await stage.role("attacker");
    await attacker.call("prepare", { ...small, name: "go-on", path: daemon.socket });
    process.kill(daemon.pid, "SIGKILL");
    await attacker.call("begin");
    await expect
      .poll(() => attacker.call("tell", { waitMs: 0 }), { timeout: 60_000 })
      .toMatchObject({ failure: expect.stringContaining("has closed the attacker's connection") });
  }, 120_000);
});

test("every attack has a name of its own, says what it is, and can be prepared", async () => {
  const { ATTACKS } = await import("../../bench/attacks.mjs");
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length);
  expect(new Set(ATTACKS.map(({ what }) => what)).size).toBe(ATTACKS.length);
  for (const { name, what, prepare } of ATTACKS) {
    expect(name).toMatch(/^[a-z]+(-[a-z0-9]+)*$/);
    expect(what.length, name).toBeGreaterThan(10);
    expect(prepare, name).toBeTypeOf("function");
  }
});

test("the texts fill a chunk, and are no longer than a chunk may be", async () => {
  const { CHUNK_CHARACTERS, TEXTS, nested, repeated } = await import("../../bench/attacks/texts.mjs");
  for (const { name, unit } of TEXTS) {
    const { length } = repeated(unit, CHUNK_CHARACTERS);
    expect(length, name).toBeGreaterThan(CHUNK_CHARACTERS - unit.length);
    expect(length, name).toBeLessThanOrEqual(16_384);
  }
  expect(nested(8000).length).toBeLessThanOrEqual(16_384);
});
