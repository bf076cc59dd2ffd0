// How agents are told when rooms are full, readers slow and subscriptions go.
import { describe, expect, it } from "vitest";
import { bytesOf, createSharedRoom } from "../../../../src/base/shared-room.js";
import { MOST_WAITING_BYTES_IN_ALL, type Notification } from "../../../../src/protocols/akashik/field/field-types.js";
import { Mailbox, type Waiting } from "../../../../src/protocols/akashik/field/mailbox.js";
import { codeOf, createFieldStage, mergeOf, recordOf, relation } from "./field-stage.js";

const ALL = {
  events: ["memory.recorded", "agent.joined", "conflict.detected"] as const,
  minRelevance: null,
  debounceMs: null,
};

function waitingOf(entity: string, subscription = "sub-1", epoch = 1): Waiting {
  const notification: Notification = {
    subscription_id: subscription,
    event: "memory.recorded",
    epoch,
    relevance_score: 1,
    summary: entity,
    memory_unit_id: null,
    conflict_id: null,
    requires_action: false,
  };
  return { entity, notification };
}

describe("the notice to poll", () => {
  it("goes over to another subscription when its own is ended", () => {
    const stage = createFieldStage();
    const reader = stage.agent("reader");
    stage.agent("a");
    const first = stage.field().subscribe("reader", { ...ALL, events: ["memory.recorded"] });
    const second = stage.field().subscribe("reader", { ...ALL, events: ["agent.joined"] });
    reader.leave();
    for (let index = 0; index < 1001; index += 1) stage.record("a", `unit ${index}`);
    stage.clock.settle();
    expect(stage.field().unsubscribe("reader", first.id)).toBe(true);
    reader.register();
    expect(reader.take()).toMatchObject([{ subscription_id: second.id, requires_action: true }]);
  });

  it("replaces what waits for an agent when the room of all is full, and the room is given back", () => {
    const [a, b, c] = [waitingOf("a"), waitingOf("b"), waitingOf("c", "sub-2", 7)];
    const most = bytesOf(["one", a]) + bytesOf(["one", b]) + bytesOf(["other", c]);
    const room = createSharedRoom(() => most);
    const store = { put: () => {}, remove: () => {} };
    const [one, other] = [new Mailbox("one", store, room), new Mailbox("other", store, room)];
    for (const waiting of [a, b]) one.put(waiting);
    other.put(c);
    expect(room.isRoom()).toBe(false);
    // A newer one of an entity needs no further place.
    other.put(waitingOf("c", "sub-2", 8));
    expect(other.keys()).toEqual(["sub-2 c"]);
    other.put(waitingOf("d", "sub-2", 9));
    expect(other.keys()).toEqual(["sub-2 poll"]);
    expect(other.get("sub-2 poll")?.notification.epoch).toBe(8);
    expect(one.size()).toBe(2);
    for (const key of one.keys()) one.take(key);
    expect(room.isRoom()).toBe(true);
  });
});

describe("memory", () => {
  it("of what waits is bounded in bytes, for each agent and for all together", () => {
    const stage = createFieldStage();
    const writer = "w".repeat(256);
    stage.agent(writer);
    const readers = Array.from({ length: 40 }, (_, index) => stage.agent(`${index}`.padStart(256, "r")));
    for (const reader of readers)
      for (let count = 0; count < 64; count += 1)
        stage.field().subscribe(reader.id, { ...ALL, events: ["memory.recorded"] });
    for (const reader of readers) reader.leave();
    for (let count = 0; count < 7; count += 1) stage.record(writer, `${count}${"x".repeat(1000)}`);
    while (stage.field().settled() !== undefined) stage.clock.settle();
    const { waiting } = stage.memory.read();
    const bytes = waiting.map((one) => bytesOf([one.agentId, { entity: one.entity, notification: one.notification }]));
    expect(bytes.reduce((all, one) => all + one, 0)).toBeLessThanOrEqual(MOST_WAITING_BYTES_IN_ALL + 40 * 4096);
    const notices = waiting.filter(({ notification }) => notification.requires_action);
    expect(notices.length).toBeGreaterThan(0);
    expect(new Set(waiting.map(({ agentId }) => agentId)).size).toBe(40);
  });

  it("of what is kept is bounded in bytes, and given back by what goes", () => {
    const stage = createFieldStage({ maxUnits: 10 });
    const agent = stage.agent("a");
    const large = recordOf("c".repeat(16_384), { confidence: { score: 1, reasoning: "r".repeat(4096) } });
    const outcomes = Array.from({ length: 3 }, () => codeOf(() => stage.field().record("a", null, large)));
    expect(outcomes).toEqual([undefined, "STORAGE_FULL", "STORAGE_FULL"]);
    agent.leave();
    const interests = Array.from({ length: 64 }, () => "i".repeat(256));
    // Whoever is away without a subscription loses nothing by being forgotten.
    for (let count = 0; count < 1200; count += 1) stage.agent(`away-${count}`, "worker", interests).leave();
    expect(stage.field().counts().agents).toBeLessThan(1000);
    expect(stage.field().has("away-1199")).toBe(true);
  });
});

describe("a reader that takes nothing", () => {
  it("is tried again, however often something else is held back by a window", () => {
    const stage = createFieldStage();
    const reader = stage.agent("reader");
    stage.agent("a");
    stage.agent("b");
    stage.field().subscribe("reader", { ...ALL, events: ["conflict.detected"], debounceMs: 86_400_000 });
    stage.field().subscribe("reader", { ...ALL, events: ["memory.recorded"] });
    const { unit } = stage.record("a", "first");
    const contradict = () => stage.record("b", "no", { relations: [relation("contradicts", unit.id)] });
    contradict();
    reader.take();
    reader.setFull(true);
    stage.record("a", "waits");
    reader.setFull(false);
    for (let round = 0; round < 10; round += 1) {
      contradict();
      stage.clock.advance(300);
    }
    expect(reader.take().map(({ summary }) => summary)).toContain("a recorded: waits");
  });
});

describe("windows", () => {
  it("of an agent are at most 4,096: what needs none is told beside them, and other agents have their own", () => {
    const stage = createFieldStage();
    const [reader, other] = [stage.agent("reader"), stage.agent("other")];
    stage.agent("a");
    const windowed = { ...ALL, events: ["memory.recorded"] as const, debounceMs: 60_000 };
    stage.field().subscribe("reader", windowed);
    stage.field().subscribe("reader", { ...ALL, events: ["agent.joined"] });
    for (let count = 0; count < 4097; count += 1) stage.record("a", `unit ${count}`);
    expect(reader.take()).toHaveLength(4096);
    stage.field().subscribe("other", windowed);
    stage.record("a", "one more");
    expect(other.take()).toHaveLength(1);
    reader.setFull(true);
    stage.agent("late");
    reader.setFull(false);
    stage.clock.advance(1000);
    expect(reader.take().map(({ event }) => event)).toEqual(["agent.joined"]);
    stage.clock.advance(60_000);
    expect(reader.take().map(({ summary }) => summary)).toEqual(["a recorded: unit 4096", "a recorded: one more"]);
  });
});

describe("conflicts", () => {
  const contested = () => {
    const stage = createFieldStage();
    const watcher = stage.agent("watcher");
    stage.agent("a");
    const { unit } = stage.record("a", "The prices rose.");
    const { unit: other, conflicts } = stage.record("a", "The prices fell.", {
      relations: [relation("contradicts", unit.id)],
    });
    stage.field().subscribe("watcher", { ...ALL, events: ["conflict.detected"] });
    return { stage, watcher, unit, other, id: conflicts[0]?.id ?? "" };
  };

  it("that a person decides are told of once", () => {
    const { stage, watcher, id } = contested();
    for (let round = 0; round < 3; round += 1)
      expect(stage.field().merge("a", mergeOf(id, { strategy: "human_escalation" })).conflict.status).toBe("escalated");
    expect(watcher.take()).toHaveLength(1);
  });

  it("are listed unresolved ones first, each kind the last first, and a unit is contested until its last one is resolved", () => {
    const stage = createFieldStage();
    stage.agent("a");
    const { unit } = stage.record("a", "The prices rose.");
    const ids = ["1st", "2nd", "3rd", "4th"].map((content) => {
      stage.field().receive(0);
      const { conflicts } = stage.record("a", content, { relations: [relation("contradicts", unit.id)] });
      return conflicts[0]?.id ?? "";
    });
    const [first = "", second = "", third = "", fourth = ""] = ids;
    const statuses = [first, third, second, fourth].map((id) => {
      stage.field().receive(0);
      stage.field().merge("a", mergeOf(id, { strategy: "human_escalation" }));
      const strategy = "human_escalation";
      stage.field().merge("a", mergeOf(id, { strategy, resolution: { winner_id: unit.id } }));
      const listed = stage.field().conflicts();
      stage.restart();
      expect(stage.field().conflicts()).toEqual(listed);
      const kept = stage.memory.read().units.find(({ id: one }) => one === unit.id)?.status;
      return [kept, ...listed.map((one) => ids.indexOf(one.id) + 1)];
    });
    expect(statuses).toEqual([
      ["contested", 4, 3, 2, 1],
      ["contested", 4, 2, 3, 1],
      ["contested", 4, 2, 3, 1],
      ["active", 4, 2, 3, 1],
    ]);
  });

  it("are won by the unit that is not superseded", () => {
    const { stage, unit, other, id } = contested();
    stage.record("a", "The prices stood still.", { relations: [relation("supersedes", other.id)] });
    const byPerson = mergeOf(id, { strategy: "human_escalation", resolution: { winner_id: other.id } });
    expect(codeOf(() => stage.field().merge("a", byPerson))).toBe("INVALID_TRANSITION");
    const { conflict } = stage.field().merge("a", mergeOf(id, { strategy: "last_write_wins" }));
    expect(conflict.resolution?.winner_id).toBe(unit.id);
  });
});
