// What the Field promises whatever happens: windows, the last state of everything, thresholds, and pushes that a poll confirms.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Notification } from "../../../../src/protocols/akashik/field/field-types.js";
import { listenerOf, relevanceScore } from "../../../../src/protocols/akashik/field/relevance.js";
import { wordsOf } from "../../../../src/protocols/akashik/field/words.js";
import { casesOf } from "../../../support/extent.js";
import { codeOf, createFieldStage, relation } from "./field-stage.js";

const WRITERS = ["writer-1", "writer-2"] as const;
const READERS = ["reader-1", "reader-2"] as const;
const EVENTS = ["memory.recorded", "memory.superseded", "memory.contested"] as const;
const TOPICS = ["prices", "weather", "travel plans", "prices and weather"];

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("record" as const),
      by: fc.constantFrom(...WRITERS, ...READERS),
      topic: fc.nat(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("supersede" as const, "contest" as const),
      by: fc.constantFrom(...WRITERS, ...READERS),
      at: fc.nat(20),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat(3000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom("leave" as const, "come" as const, "fill" as const, "empty" as const),
      who: fc.constantFrom(...READERS),
    }),
  },
);

test("at most one notification of an entity in a window, and the last state of each is told", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4000 }), (steps, windowMs) => {
      const stage = createFieldStage();
      const { clock } = stage;
      const field = stage.field();
      const pushed = new Map<string, { readonly at: number; readonly notification: Notification }[]>();
      const there = new Set<string>(READERS);
      const full = new Set<string>();
      const come = (id: string): void => {
        there.add(id);
        const push = (notification: Notification): boolean => {
          if (full.has(id)) return false;
          const list = pushed.get(id) ?? [];
          pushed.set(id, [...list, { at: clock.now(), notification }]);
          return true;
        };
        field.register({ id, role: "reader", interests: [] }, push);
      };
      for (const id of WRITERS) stage.agent(id);
      for (const id of READERS) {
        come(id);
        field.subscribe(id, { events: EVENTS, minRelevance: null, debounceMs: windowMs });
      }
      // A witness without a window hears every event, in order.
      const witness = stage.agent("witness");
      field.subscribe("witness", { events: EVENTS, minRelevance: null, debounceMs: null });
      const units: string[] = [];
      const superseded = new Set<string>();
      for (const one of steps) {
        field.receive(0);
        if (one.do === "record") units.push(stage.record(one.by, TOPICS[one.topic] ?? "").unit.id);
        else if (one.do === "supersede" || one.do === "contest") {
          const target = units[one.at];
          if (target === undefined || (one.do === "supersede" && superseded.has(target))) continue;
          if (one.do === "supersede") superseded.add(target);
          const type = one.do === "supersede" ? "supersedes" : "contradicts";
          units.push(stage.record(one.by, "news", { relations: [relation(type, target)] }).unit.id);
        } else if (one.do === "wait") clock.advance(one.ms);
        else if (one.do === "leave" && there.delete(one.who)) field.left(one.who);
        else if (one.do === "come" && !there.has(one.who)) come(one.who);
        else if (one.do === "fill") full.add(one.who);
        else if (one.do === "empty") full.delete(one.who);
      }
      full.clear();
      for (const id of READERS) if (!there.has(id)) come(id);
      clock.advance(20_000);

      const events = witness.take();
      for (const id of READERS) {
        const mine = pushed.get(id) ?? [];
        const expected = new Map<string, Notification>();
        for (const event of events)
          if (!event.summary.startsWith(`${id} `)) expected.set(String(event.memory_unit_id), event);
        const last = new Map<string, Notification>();
        const at = new Map<string, number>();
        for (const { at: now, notification } of mine) {
          const unit = String(notification.memory_unit_id);
          expect(now - (at.get(unit) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(windowMs);
          at.set(unit, now);
          last.set(unit, notification);
        }
        const told = (all: ReadonlyMap<string, Notification>) =>
          [...all].map(([unit, { event, epoch, summary }]) => [unit, event, epoch, summary]).sort();
        expect(told(last)).toEqual(told(expected));
      }
      expect(field.counts().waiting).toBe(0);
    }),
    { numRuns: casesOf(1000) },
  );
});

test("nothing below the threshold is pushed, and what is pushed is what a poll finds, superseded units aside", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 40 }),
      fc.constantFrom(0, 0.1, 0.2, 0.4, 0.6, 0.7, 0.9, 1),
      fc.constantFrom("prices", "weather", "plans", "prices weather"),
      async (steps, threshold, interest) => {
        const stage = createFieldStage();
        const field = stage.field();
        for (const id of [...WRITERS, "reader-2"]) stage.agent(id);
        const reader = stage.agent("reader-1", "reader", [interest]);
        field.receive(0);
        const since = field.epoch();
        field.subscribe("reader-1", { events: ["memory.recorded"], minRelevance: threshold, debounceMs: null });
        const units: string[] = [];
        for (const one of steps) {
          field.receive(0);
          if (one.do === "record") units.push(stage.record(one.by, TOPICS[one.topic] ?? "").unit.id);
          else if (one.do === "supersede" && units[one.at] !== undefined) {
            const relations = [relation("supersedes", units[one.at] ?? "")];
            codeOf(() => units.push(stage.record(one.by, "prices again", { relations }).unit.id));
          } else if (one.do === "wait") stage.clock.advance(one.ms);
        }
        const pushed = reader.take();
        for (const { relevance_score: score } of pushed) expect(score).toBeGreaterThanOrEqual(threshold);
        const answer = field.attune("reader-1", { since_epoch: since, scope: { relevance_threshold: threshold } });
        stage.clock.settle();
        const polled = (await answer).record;
        const listener = listenerOf({ role: "reader", interests: [interest] });
        for (const { memory_unit: unit, relevance_score: score } of polled)
          expect(score).toBe(
            relevanceScore(
              { kind: unit.type ?? "finding", words: wordsOf("To test.", "", unit.content ?? "") },
              listener,
            ),
          );
        const superseded = new Set(
          stage.memory.read().units.flatMap(({ id, status }) => (status === "superseded" ? [id] : [])),
        );
        const ids = pushed.flatMap(({ memory_unit_id: id }) => (id === null || superseded.has(id) ? [] : [id]));
        expect(polled.map(({ memory_unit: { id } }) => id).sort()).toEqual(ids.sort());
      },
    ),
    { numRuns: casesOf(1000) },
  );
});
