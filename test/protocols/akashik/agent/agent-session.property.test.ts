// Whatever agents say, and however late things become durable: each message has exactly one answer, in order, and no notification comes before the answer
// that announces its subscription.
import fc from "fast-check";
import { expect, it } from "vitest";
import { casesOf } from "../../../support/extent.js";
import { type AkashikPeer, createAkashikStage, type Document, envelope, RECORD, subscribe } from "../akashik-stage.js";
import { isPush, type Message } from "../wire-check.js";

type Said = readonly [operation: string, payload: Document];

type Step =
  | { readonly kind: "say"; readonly peer: number; readonly message: Said }
  | { readonly kind: "broken"; readonly peer: number; readonly message: unknown }
  | { readonly kind: "flush"; readonly nth: number }
  | { readonly kind: "full"; readonly peer: number; readonly isFull: boolean }
  | { readonly kind: "hangUp"; readonly peer: number }
  | { readonly kind: "pass"; readonly ms: number };

const PEERS = 3;
const EVENTS = ["memory.recorded", "memory.superseded", "memory.contested", "conflict.detected"];
const peer = fc.nat({ max: PEERS - 1 });
const relation = fc.record({
  type: fc.constantFrom("supports", "contradicts", "supersedes"),
  target_id: fc.nat({ max: 12 }).map((id) => `mem-${id}`),
});
const message: fc.Arbitrary<Said> = fc.oneof(
  peer.map((id): Said => ["REGISTER", { id: `agent-${id}`, role: "reader" }]),
  fc.array(relation, { maxLength: 2 }).map((relations): Said => ["RECORD", { ...RECORD, relations }]),
  fc.subarray(EVENTS, { minLength: 1 }).map((events): Said => ["SUBSCRIBE", subscribe(events, { debounce_ms: 50 })]),
  fc.constantFrom<Said>(
    ["RECORD", { type: "rumour" }],
    ["ATTUNE", {}],
    ["ATTUNE", { format: "ids_only" }],
    ["DETECT", {}],
    ["SUBSCRIBE", { action: "list" }],
    ["DEREGISTER", {}],
    ["HANDOFF", {}],
  ),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("say" as const), peer, message }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("broken" as const), peer, message: fc.constantFrom([], 5, {}, null) }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("flush" as const), nth: fc.nat({ max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("full" as const), peer, isFull: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("hangUp" as const), peer }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.nat({ max: 1500 }) }) },
);

interface Line {
  readonly peer: AkashikPeer;
  readonly agentId: string;
  /** Ids of what was said, in order; null for a message without one. */
  readonly said: (string | null)[];
}

function say({ peer: one, agentId, said }: Line, operation: string, payload: Document): void {
  const id = `${agentId} ${said.length}`;
  said.push(id);
  one.say(envelope(operation, payload, { id, agent_id: agentId }));
}

function check({ peer: { received }, said }: Line, isWhole: boolean): void {
  const answers = received.filter((one) => !isPush(one));
  expect(answers.map(({ id }) => id)).toEqual(isWhole ? said : said.slice(0, answers.length));
  received.forEach((one, place) => {
    if (!isPush(one)) return;
    const announces = ({ payload }: Message): boolean => payload.subscription_id === one.payload.subscription_id;
    // A subscription of an earlier connection is announced by none of these answers.
    expect(received.findIndex((other) => !isPush(other) && announces(other))).toBeLessThan(place);
    expect(received.slice(0, place).some(({ payload }) => payload.status === "registered")).toBe(true);
  });
}

async function play(steps: readonly Step[]): Promise<void> {
  const flushes: (() => void)[] = [];
  const stage = createAkashikStage({ whenDurable: () => new Promise((resolve) => void flushes.push(resolve)) });
  const open = (number: number): Line => {
    const line: Line = { peer: stage.connect(), agentId: `agent-${number}`, said: [] };
    say(line, "REGISTER", { id: line.agentId, role: "reader" });
    return line;
  };
  const lines = Array.from({ length: PEERS }, (_, number) => open(number));
  const past: Line[] = [];
  const take = (one: Step): void => {
    if (one.kind === "flush") flushes.splice(one.nth, 1)[0]?.();
    else if (one.kind === "pass") stage.clock.advance(one.ms);
    else {
      const line = lines[one.peer];
      if (line === undefined) return;
      if (one.kind === "say") say(line, ...one.message);
      else if (one.kind === "full") line.peer.setFull(one.isFull);
      else if (one.kind === "broken") {
        line.said.push(null);
        line.peer.say(one.message);
      } else {
        line.peer.session.ended();
        past.push(line);
        lines[one.peer] = open(one.peer);
      }
    }
  };
  for (const one of steps) {
    take(one);
    await stage.quiet();
  }
  for (const line of lines) line.peer.setFull(false);
  await stage.quiet();
  while (flushes.length > 0) {
    for (const flush of flushes.splice(0)) flush();
    await stage.quiet();
  }
  stage.clock.advance(5000);
  await stage.quiet();
  for (const line of past) check(line, false);
  for (const line of lines) check(line, true);
  expect(stage.errors).toEqual([]);
}

it("each message has one answer, in order, and notifications follow what announces them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 50 }), (steps) => play(steps)),
    { numRuns: casesOf(300) },
  );
});
