// The Field: recording, contesting, merging, polling, and telling.
import { describe, expect, it } from "vitest";
import { codeOf, createFieldStage, mergeOf, recordOf, relation } from "./field-stage.js";

const ALL_EVENTS = [
  "memory.recorded",
  "memory.superseded",
  "memory.contested",
  "conflict.detected",
  "conflict.resolved",
  "agent.joined",
] as const;
const TERMS = { events: ALL_EVENTS, minRelevance: null, debounceMs: null };

describe("registration", () => {
  it("is told to others, once, and not to the agent itself", () => {
    const stage = createFieldStage();
    const watcher = stage.agent("watcher");
    stage.field().subscribe("watcher", TERMS);
    const late = stage.agent("late", "analyst");
    late.leave();
    late.register();
    expect(watcher.take().map(({ event, summary }) => [event, summary])).toEqual([
      ["agent.joined", "late has joined as analyst."],
    ]);
  });
});

describe("units", () => {
  it("supersede and contradict others, which is told to whoever did not do it", () => {
    const stage = createFieldStage();
    const [first, second] = [stage.agent("a"), stage.agent("b")];
    for (const { id } of [first, second]) stage.field().subscribe(id, TERMS);
    const old = stage.record("a", "The price is 10.").unit;
    const other = stage.record("a", "The price is stable.").unit;
    second.take();
    const { unit, conflicts } = stage.record("b", "The price is 12.", {
      relations: [relation("supersedes", old.id), relation("contradicts", other.id), relation("contradicts", other.id)],
    });
    expect(unit.status).toBe("contested");
    expect(conflicts).toMatchObject([{ status: "open", unit_a: unit.id, unit_b: other.id }]);
    expect(first.take().map(({ event, memory_unit_id: id, requires_action: acts }) => [event, id, acts])).toEqual([
      ["memory.recorded", unit.id, false],
      ["memory.superseded", old.id, false],
      ["memory.contested", unit.id, false],
      ["memory.contested", other.id, false],
      ["conflict.detected", null, true],
    ]);
    expect(second.take()).toEqual([]);
    expect(stage.field().conflicts()).toEqual(conflicts);
  });

  it("refer to committed units that are there, and supersede each once", () => {
    const stage = createFieldStage();
    stage.agent("a");
    const { unit } = stage.record("a", "old");
    const draft = stage.record("a", "draft", { mode: "draft" }).unit;
    const ask = (type: "supersedes" | "supports", target: string) =>
      codeOf(() => stage.field().record("a", null, recordOf("new", { relations: [relation(type, target)] })));
    expect(ask("supports", "mem-none")).toBe("UNIT_NOT_FOUND");
    expect(ask("supports", draft.id)).toBe("UNIT_NOT_FOUND");
    expect(ask("supersedes", unit.id)).toBeUndefined();
    expect(ask("supersedes", unit.id)).toBe("INVALID_TRANSITION");
  });

  it("are at most as many as the limit; a draft counts, and is told to nobody", async () => {
    const stage = createFieldStage({ maxUnits: 2 });
    const [, watcher] = [stage.agent("a"), stage.agent("watcher")];
    stage.field().subscribe("watcher", TERMS);
    stage.record("a", "one");
    stage.record("a", "two", { mode: "draft" });
    expect(codeOf(() => stage.field().record("a", null, recordOf("three")))).toBe("STORAGE_FULL");
    expect(watcher.take()).toHaveLength(1);
    expect((await stage.field().attune("watcher", {})).record).toHaveLength(1);
  });

  it.each([
    ["finding", false],
    ["question", true],
    ["human_directive", true],
  ] as const)("of the type %s need somebody to act: %s", (type, needsAction) => {
    const stage = createFieldStage();
    const watcher = stage.agent("watcher");
    stage.agent("a");
    stage.field().subscribe("watcher", TERMS);
    stage.record("a", "Which year?", { type });
    expect(watcher.take()).toMatchObject([{ event: "memory.recorded", requires_action: needsAction }]);
  });
});

describe("MERGE", () => {
  function contested(scores: readonly [number, number] = [0.5, 0.5]) {
    const stage = createFieldStage();
    const [first, second] = [stage.agent("a"), stage.agent("b")];
    const early = stage.record("a", "early", { confidence: { score: scores[0], reasoning: "r" } }).unit;
    stage.field().receive(0);
    const { unit: late, conflicts } = stage.record("b", "late", {
      confidence: { score: scores[1], reasoning: "r" },
      relations: [relation("contradicts", early.id)],
    });
    const [{ id = "" } = {}] = conflicts;
    stage.field().subscribe("a", TERMS);
    return { stage, first, second, early, late, id };
  }

  it.each([
    [[0.9, 0.1], "early"],
    [[0.1, 0.9], "late"],
    [[0.5, 0.5], "late"],
  ] as const)("confidence_weighted: of %j the %s unit wins", (scores, winner) => {
    const { stage, id, ...units } = contested(scores);
    const { conflict } = stage.field().merge("b", mergeOf(id, { strategy: "confidence_weighted" }));
    expect(conflict.resolution?.winner_id).toBe(units[winner].id);
  });

  it("human_escalation waits for a person's winner, and nothing else decides then", () => {
    const { stage, first, early, id } = contested();
    const escalate = mergeOf(id, { strategy: "human_escalation" });
    expect(stage.field().merge("b", escalate).conflict.status).toBe("escalated");
    expect(first.take()).toMatchObject([{ event: "conflict.detected", requires_action: true, conflict_id: id }]);
    expect(codeOf(() => stage.field().merge("b", mergeOf(id)))).toBe("INVALID_TRANSITION");
    const { conflict } = stage.field().merge("b", { ...escalate, resolution: { winner_id: early.id } });
    expect(conflict.resolution?.winner_id).toBe(early.id);
  });

  it("refuses a winner that is none, or that the strategy does not choose, and a conflict that is none", () => {
    const { stage, early, id } = contested();
    expect(codeOf(() => stage.field().merge("b", mergeOf("conf-none")))).toBe("CONFLICT_NOT_FOUND");
    expect(codeOf(() => stage.field().merge("b", mergeOf(id, { resolution: { winner_id: "mem-none" } })))).toBe(
      "INVALID_TRANSITION",
    );
    expect(codeOf(() => stage.field().merge("b", mergeOf(id, { resolution: { winner_id: early.id } })))).toBe(
      "INVALID_TRANSITION",
    );
  });

  it("a winner that another conflict contests stays contested", () => {
    const { stage, late, id } = contested();
    stage.record("a", "third", { relations: [relation("contradicts", late.id)] });
    expect(stage.field().merge("a", mergeOf(id)).sideEffects).toHaveLength(1);
  });
});

describe("ATTUNE", () => {
  it("orders by score, the newest first among equals, and leaves out own and superseded units", async () => {
    const stage = createFieldStage();
    stage.agent("reader", "analyst", ["prices"]);
    stage.agent("a");
    const contents = ["prices one", "weather", "prices two"];
    const [one, , two] = contents.map((content) => stage.record("a", content).unit);
    stage.record("reader", "prices of my own");
    const old = stage.record("a", "prices old").unit;
    stage.record("a", "prices new", { relations: [relation("supersedes", old.id)] });
    const { record, budget } = await stage.field().attune("reader", {});
    expect(record.map(({ memory_unit: { content } }) => content)).toEqual([
      "prices new",
      "prices two",
      "prices one",
      "weather",
    ]);
    expect(budget).toMatchObject({ units_returned: 4, units_available: 4, tokens_budget: null });
    const cut = await stage
      .field()
      .attune("reader", { scope: { max_units: 2, relevance_threshold: 0.2 }, format: "ids_only" });
    expect(cut.budget).toMatchObject({ units_returned: 2, units_available: 3 });
    expect(cut.record[1]?.memory_unit).toEqual({ id: two?.id });
    const asked = await stage.field().attune("reader", { scope: { interests: ["weather"], max_units: 1 } });
    expect(asked.record[0]?.memory_unit.content).toBe("weather");
    const few = await stage.field().attune("reader", { scope: { max_tokens: 100 } });
    expect(few.budget.tokens_used).toBeLessThanOrEqual(100);
    expect(few.budget.units_returned).toBeLessThan(4);
    expect(one).toBeDefined();
  });

  it("R34: scores so many units a turn", async () => {
    const stage = createFieldStage();
    stage.agent("reader");
    stage.agent("a");
    for (let index = 0; index < 1000; index += 1) stage.record("a", `unit ${index}`);
    stage.clock.settle();
    let answer: unknown;
    void stage
      .field()
      .attune("reader", { format: "ids_only" })
      .then((value) => {
        answer = value;
      });
    const turn = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      stage.clock.turn();
    };
    for (let count = 0; count < 3; count += 1) await turn();
    expect(answer).toBeUndefined();
    for (let count = 0; count < 10; count += 1) await turn();
    expect(answer).toMatchObject({ budget: { units_returned: 1000 } });
  });

  it("R34: polls take their turns one after another, and one whose agent has gone takes none", async () => {
    const stage = createFieldStage();
    stage.agent("reader");
    stage.agent("a");
    for (let index = 0; index < 1000; index += 1) stage.record("a", `unit ${index}`);
    stage.clock.settle();
    const answered: string[] = [];
    const poll = (name: string, isGone?: () => boolean) =>
      stage
        .field()
        .attune("reader", { format: "ids_only" }, isGone)
        .then(
          () => void answered.push(`${name} done`),
          () => void answered.push(`${name} refused`),
        );
    const others = Array.from({ length: 50 }, (_, index) => poll(`gone ${index}`, () => true));
    const polls = [poll("first"), ...others, poll("last")];
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        stage.clock.turn();
      }
      await new Promise((resolve) => setImmediate(resolve));
    };
    await turns(10);
    expect(new Set(answered)).toEqual(new Set(["first done", ...others.map((_, index) => `gone ${index} refused`)]));
    await turns(10);
    expect(answered.at(-1)).toBe("last done");
    await Promise.all(polls);
  });
});

describe("a subscription", () => {
  it("is for the agent alone where an event is for one", () => {
    const stage = createFieldStage();
    const [one, two] = [stage.agent("one"), stage.agent("two")];
    for (const { id } of [one, two])
      stage.field().subscribe(id, { events: ["handoff.incoming"], minRelevance: null, debounceMs: null });
    stage.field().tell({
      kind: "handoff.incoming",
      entity: "task t",
      causedBy: undefined,
      onlyFor: "two",
      subject: { kind: "handoff.incoming", words: new Set() },
      summary: "A task is handed to two.",
      requiresAction: true,
    });
    expect([one.take().length, two.take().length]).toEqual([0, 1]);
  });

  it("debounces by entity: the first at once, the newest at the window's end, none in between", () => {
    const stage = createFieldStage();
    const [reader, full] = [stage.agent("reader"), stage.agent("full")];
    stage.agent("a");
    const terms = { events: ["memory.contested", "memory.superseded"], minRelevance: null, debounceMs: 2000 } as const;
    for (const { id } of [reader, full]) stage.field().subscribe(id, terms);
    const { unit } = stage.record("a", "first");
    const contest = () => stage.record("a", "other", { relations: [relation("contradicts", unit.id)] }).conflicts[0];
    const conflict = contest();
    const ofUnit = (agent = reader) =>
      agent
        .take()
        .filter(({ memory_unit_id: id }) => id === unit.id)
        .map(({ event }) => event);
    expect(ofUnit()).toEqual(["memory.contested"]);
    stage.clock.advance(500);
    stage.field().merge("a", mergeOf(conflict?.id ?? "", { strategy: "last_write_wins" }));
    expect(ofUnit()).toEqual([]);
    stage.clock.advance(1499);
    expect(ofUnit()).toEqual([]);
    full.setFull(true);
    stage.clock.advance(1);
    expect(ofUnit()).toEqual(["memory.superseded"]);
    full.setFull(false);
    stage.clock.advance(1000);
    expect(ofUnit(full)).toEqual(["memory.contested", "memory.superseded"]);
    stage.clock.advance(10_000);
    expect(ofUnit()).toEqual([]);
  });

  it("begins with the events after it", () => {
    const stage = createFieldStage();
    stage.agent("a");
    for (let index = 0; index < 200; index += 1) {
      const id = `watcher ${index}`;
      stage.agent(id);
      stage.field().subscribe(id, TERMS);
    }
    stage.clock.settle();
    stage.record("a", "before");
    const late = stage.agent("late");
    stage.field().subscribe("late", TERMS);
    stage.clock.settle();
    expect(late.take()).toEqual([]);
  });

  it("R34: is told in one turn, however many agents hear nothing of it", () => {
    const stage = createFieldStage();
    stage.agent("a");
    const watcher = stage.agent("watcher");
    for (let index = 0; index < 1000; index += 1) {
      stage.agent(`idle ${index}`);
      stage.field().subscribe(`idle ${index}`, { ...TERMS, events: ["task.completed", "handoff.incoming"] });
    }
    stage.field().subscribe("watcher", { ...TERMS, events: ["memory.recorded"] });
    const { id } = stage.field().subscribe("idle 0", { ...TERMS, events: [...ALL_EVENTS, "handoff.incoming"] });
    stage.field().unsubscribe("idle 0", id);
    stage.record("a", "news");
    const subject = { kind: "handoff.incoming", words: new Set<string>() } as const;
    const handoff = { kind: subject.kind, entity: "handoff 1", causedBy: "a", summary: "Take over.", subject };
    stage.field().tell({ ...handoff, onlyFor: "idle 999" });
    expect(stage.field().settled()).toBeUndefined();
    expect([watcher.received.length, ...stage.received("idle 0", "idle 998", "idle 999")]).toEqual([1, 0, 0, 1]);
    stage.field().tell(handoff);
    stage.clock.settle();
    expect(stage.received("idle 0", "idle 998", "idle 999")).toEqual([1, 1, 2]);
  });

  it("is settled when it and all before it are told, and not those behind it", async () => {
    const stage = createFieldStage();
    stage.agent("a");
    for (let index = 0; index < 200; index += 1) {
      stage.agent(`r${index}`);
      stage.field().subscribe(`r${index}`, { ...TERMS, events: ["memory.recorded"] });
    }
    const settled: string[] = [];
    const told = (name: string): void => {
      stage.record("a", name);
      void stage
        .field()
        .settled()
        ?.then(() => settled.push(`${name} ${stage.received("r199")}`));
    };
    for (const name of ["first", "second", "third"]) told(name);
    while (stage.field().settled() !== undefined) {
      stage.clock.turn();
      await Promise.resolve();
    }
    expect(settled).toEqual(["first 1", "second 2", "third 3"]);
  });

  it("R34: thousands that match are told over several turns, each once", () => {
    const stage = createFieldStage();
    stage.agent("a");
    const readers = Array.from({ length: 500 }, (_, index) => stage.agent(`r${index}`));
    for (const { id } of readers) stage.field().subscribe(id, { ...TERMS, events: ["memory.recorded"] });
    stage.clock.settle();
    const count = (): number => readers.reduce((sum, { received }) => sum + received.length, 0);
    stage.record("a", "news");
    expect(count()).toBeLessThanOrEqual(64);
    expect(stage.field().settled()).toBeInstanceOf(Promise);
    const before = count();
    stage.clock.turn();
    expect(count() - before).toBeLessThanOrEqual(64);
    stage.clock.settle();
    expect(readers.map(({ received }) => received.length)).toEqual(Array(500).fill(1));
    expect(stage.field().settled()).toBeUndefined();
  });
});

describe("what is kept", () => {
  it("is all there after a kill: units, conflicts, subscriptions, what waits, and the clock", async () => {
    const stage = createFieldStage();
    const reader = stage.agent("reader", "analyst", ["prices"]);
    stage.agent("a");
    stage.field().subscribe("reader", TERMS);
    const ofFailures = { events: ["agent.failed"], minRelevance: 0.6, debounceMs: 2000 } as const;
    const failures = stage.field().subscribe("a", ofFailures);
    const { unit } = stage.record("a", "The prices rose.");
    reader.take();
    reader.leave();
    const { conflicts } = stage.record("a", "The prices fell.", { relations: [relation("contradicts", unit.id)] });
    stage.field().receive(100);
    stage.clock.settle();
    const before = await stage.field().attune("reader", {});
    const counts = stage.field().counts();
    stage.restart();
    expect(stage.field().list("a")).toMatchObject([{ id: failures.id, ...ofFailures }]);
    expect(stage.field().epoch()).toBeGreaterThan(101);
    expect(stage.field().counts()).toEqual(counts);
    expect(stage.field().conflicts()).toEqual(conflicts);
    expect(await stage.field().attune("reader", {})).toEqual(before);
    reader.register("analyst", ["prices"]);
    // The newest of each entity: that the second unit is contested tells that it was recorded.
    expect(reader.take().map(({ event }) => event)).toEqual([
      "memory.contested",
      "memory.contested",
      "conflict.detected",
    ]);
    stage.restart();
    reader.register("analyst", ["prices"]);
    expect(reader.take()).toEqual([]);
  });

  it("is told by what it registered last", () => {
    const stage = createFieldStage();
    const reader = stage.agent("reader", "cook", ["soup"]);
    stage.agent("a");
    stage.field().subscribe("reader", { ...TERMS, minRelevance: 0.5 });
    stage.record("a", "The soup is ready.");
    const [asCook] = reader.take();
    reader.leave();
    reader.register("analyst", ["prices"]);
    stage.record("a", "The soup is ready again.");
    stage.record("a", "The prices of soup fell.");
    expect([asCook, ...reader.take()].map((one) => one?.summary)).toEqual([
      expect.stringContaining("The soup is ready."),
      expect.stringContaining("The prices of soup fell."),
    ]);
  });

  it("goes with what it belongs to", () => {
    const stage = createFieldStage();
    const reader = stage.agent("reader");
    stage.agent("a");
    stage.field().subscribe("reader", TERMS);
    reader.leave();
    stage.record("a", "waits");
    stage.clock.settle();
    stage.field().deregister("reader");
    stage.field().deregister("a");
    expect(stage.memory.read()).toMatchObject({ agents: [], subscriptions: [], waiting: [] });
  });
});
