// R12, R17: a subscriber hears once what an engine sends it over returns: to any earlier place, by other terms, and after a kill.
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { Received } from "../../src/client/listener/received.js";
import { Subscriber } from "../../src/client/listener/subscriber.js";
import { casesOf } from "../support/extent.js";
import { createEngineRig, type EngineRig, type Listener, session } from "../support/rigs/engine-rig.js";
import { createRuns } from "../support/rigs/restart-rig.js";
import { createVirtualClock, settle } from "../support/rigs/virtual-clock.js";
import { createFakeProducer } from "./fake-producer.js";

const SENTENCES = { coalesceBoundaries: ["sentence" as const] };
const one = session();

/** Hands a subscriber what an engine's listener is given, connection by connection. */
function stage() {
  const timers = createVirtualClock();
  const producer = createFakeProducer();
  const heard: Envelope[] = [];
  const subscriber = new Subscriber({
    connect: producer.connect,
    request: { subscriber_id: "reader", capabilities: {} },
    onEvent: (event) => void heard.push(event as Envelope),
    timers,
    chance: () => 0,
  });
  onTestFinished(() => subscriber.close());
  let side = -1;
  return {
    heard,
    textOf: (output: string) => heard.flatMap(({ output_id, chunk }) => (output_id === output ? [chunk] : [])).join(""),
    subscribe: async (rig: EngineRig): Promise<Listener> => {
      producer.sides[side]?.sever();
      await settle();
      await timers.advanceSettled(250);
      side += 1;
      const listener = rig.listen(SENTENCES, "listener", subscriber.cursor);
      producer.sides[side]?.accept(`sub_${side}`, { resumed: listener.subscription.resumed });
      return listener;
    },
    relay: async ({ received, subscription }: Listener): Promise<void> => {
      producer.sides[side]?.say(...received.splice(0).map(({ event }) => event));
      const cursor = subscription.cursor();
      if (cursor !== undefined) producer.sides[side]?.reach(cursor);
      await settle();
    },
  };
}

it("where a kill takes back the last of what it heard, and the rest of it comes again", async () => {
  const { heard, textOf, subscribe, relay } = stage();
  const runs = createRuns();
  const first = runs.start();
  const listener = await subscribe(first);
  first.publish(one.started());
  // What is held keeps the place before it, and so all that follows behind the place.
  first.publish(one.chunk("Held", false, "out_held"));
  first.publish(one.chunk("One. Two. Th", false, "out_heard"));
  await first.flush();
  first.publish(one.chunk("ree. Four. Fi", false, "out_heard"));
  await relay(listener);
  expect(textOf("out_heard")).toBe("One. Two. Three. ");

  const back = await subscribe(runs.start());
  await relay(back);
  expect(back.subscription.resumed).toBe("all");
  expect(textOf("out_heard")).toBe("One. Two. Three. ");
  expect(heard.filter(({ type }) => type === "aaep:agent.session.started")).toHaveLength(1);
});

/** Text of an output, another event, or a return: to one of the places that were told, by other terms. */
type Step =
  | { readonly kind: "text"; readonly output: number; readonly words: string }
  | { readonly kind: "progress" }
  | { readonly kind: "wait" }
  | { readonly kind: "return"; readonly place: number; readonly terms: number };

const TERMS = [["none"], ["word"], ["sentence"], ["completion"], ["sentence", "completion"]] as const;

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("text" as const), output: fc.nat(2), words: wordsOf() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("progress" as const, "wait" as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("return" as const), place: fc.nat(), terms: fc.nat(TERMS.length - 1) }),
    },
  ),
  { minLength: 3, maxLength: 30 },
);

function wordsOf(): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom("One", " two", ". ", "\n\n", "🙂", "日本。", " Three", "e\u0301", "."), {
      minLength: 1,
      maxLength: 6,
    })
    .map((words) => words.join(""));
}

it("however often it returns to a place that was told, by whatever terms", () => {
  fc.assert(
    fc.property(steps, (all: readonly Step[]) => {
      const rig = createEngineRig();
      const received = new Received();
      const heard = new Map<unknown, { text: string; completions: number }>();
      const ids = new Set<string>();
      const said = ["", "", ""];
      let places: readonly string[] = [];
      let listener = rig.listen(SENTENCES);
      let relayed = 0;

      const relay = (): void => {
        for (const { event } of listener.received.slice(relayed)) {
          const news = received.accept(event as Envelope);
          if (news?.type === "aaep:agent.output.streaming") {
            const output = heard.get(news.output_id) ?? { text: "", completions: 0 };
            heard.set(news.output_id, output);
            expect(news.position).toBe([...output.text].length);
            output.text += news.chunk;
            if (news.complete === true) output.completions += 1;
          } else if (news !== undefined) {
            expect(ids).not.toContain(news.event_id);
            ids.add(news.event_id);
          }
        }
        relayed = listener.received.length;
        const cursor = listener.subscription.cursor();
        if (cursor !== undefined) places = [...places, cursor];
      };
      const come = (place: number, terms: number): void => {
        listener.subscription.close();
        received.reconnected();
        const coalesceBoundaries = [...(TERMS[terms] ?? [])];
        listener = rig.listen({ coalesceBoundaries }, "listener", places[place % places.length]);
        expect(listener.subscription.resumed).toBe("all");
        relayed = 0;
        relay();
      };
      relay();
      rig.publish(one.started());
      for (const step of all) {
        if (step.kind === "return") come(step.place, step.terms);
        else if (step.kind === "wait") rig.advance(6000);
        else if (step.kind === "progress") rig.publish(one.progress(1));
        else {
          said[step.output] += step.words;
          rig.publish(one.chunk(step.words, false, `out_${step.output}`));
        }
        relay();
      }
      for (const output of said.keys()) rig.publish(one.chunk(".", true, `out_${output}`));
      rig.publish(one.completed());
      relay();
      come(0, 0);
      for (const [output, text] of said.entries())
        expect(heard.get(`out_${output}`)).toEqual({ text: `${text}.`, completions: 1 });
    }),
    { numRuns: casesOf(400) },
  );
});
