// Whatever agents, providers and people do, and whatever dies: no more requests of a session are under way than it may have, they are forwarded in the
// order in which they came, and each has exactly one final answer.
import fc from "fast-check";
import { expect, it } from "vitest";
import { casesOf } from "../../support/extent.js";
import { ABLE, give } from "../../support/rigs/question-rig.js";
import { type A2eDocument, type A2ePeer, answerTo, base, createA2eStage, toolCall } from "./a2e-stage.js";

const MAX_PARALLEL = 3;

type Step =
  | { readonly kind: "call"; readonly agent: number; readonly isIrreversible: boolean; readonly timeout: number }
  | { readonly kind: "answer"; readonly provider: number; readonly nth: number; readonly isError: boolean }
  | { readonly kind: "event"; readonly provider: number; readonly nth: number }
  | { readonly kind: "repeat"; readonly provider: number; readonly nth: number }
  | { readonly kind: "decide"; readonly nth: number; readonly accept: boolean }
  | { readonly kind: "full"; readonly peer: number; readonly isFull: boolean }
  | { readonly kind: "die" | "comeBack"; readonly provider: number }
  | { readonly kind: "leave"; readonly agent: number; readonly how: "shutdown" | "hangUp" | "inputEnded" }
  | { readonly kind: "pass"; readonly ms: number };

const small = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      agent: small,
      isIrreversible: fc.boolean(),
      timeout: fc.integer({ min: 1, max: 5 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      provider: small,
      nth: fc.nat({ max: 5 }),
      isError: fc.boolean(),
    }),
  },
  fc.record({ kind: fc.constant("event" as const), provider: small, nth: fc.nat({ max: 5 }) }),
  fc.record({ kind: fc.constant("repeat" as const), provider: small, nth: fc.nat({ max: 9 }) }),
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("decide" as const), nth: fc.nat({ max: 5 }), accept: fc.boolean() }),
  },
  fc.record({ kind: fc.constant("full" as const), peer: fc.nat({ max: 5 }), isFull: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("die" as const, "comeBack" as const), provider: small }),
  fc.record({
    kind: fc.constant("leave" as const),
    agent: small,
    how: fc.constantFrom("shutdown" as const, "hangUp" as const, "inputEnded" as const),
  }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 4000 }) }) },
);

interface Asked {
  readonly id: string;
  /** What a provider tells it by. */
  readonly correlation: string;
  readonly isIrreversible: boolean;
}

function play(steps: readonly Step[]): void {
  const stage = createA2eStage({
    options: { maxParallel: () => MAX_PARALLEL, isIrreversible: (tool) => tool === "irreversible" },
  });
  const reader = stage.listen(ABLE);
  const providers: (A2ePeer | undefined)[] = [0, 1, 2].map((priority) => stage.provider(["tools"], { priority }));
  const all: A2ePeer[] = providers.flatMap((one) => one ?? []);
  const agents = ["a", "b", "c"].map((name) => ({
    peer: stage.agent(["tools"], name),
    asked: [] as Asked[],
    hasLeft: false,
    isGone: false,
    isLost: false,
  }));
  const open = new Map<A2ePeer, A2eDocument[]>();
  const seen = new Map<A2ePeer, number>();

  /** Requests that a provider has and has not answered. */
  const openOf = (provider: A2ePeer): A2eDocument[] => {
    const mine = open.get(provider) ?? [];
    open.set(provider, mine);
    for (const message of provider.received.slice(seen.get(provider) ?? 0))
      if (message.type === "tool/call/req") mine.push(message);
    seen.set(provider, provider.received.length);
    return mine;
  };

  const take = (one: Step): void => {
    switch (one.kind) {
      case "call": {
        const agent = agents[one.agent];
        if (agent === undefined || agent.isGone || agent.peer.isClosed()) return;
        // Agents use the same ids; only the daemon's own tell their requests apart.
        const id = `c${agent.asked.length}`;
        const correlation = `${one.agent} ${id}`;
        agent.asked.push({ id, correlation, isIrreversible: one.isIrreversible });
        const tool = one.isIrreversible ? "irreversible" : "plain";
        agent.peer.say(
          toolCall(id, tool, { timeout: one.timeout, correlation_id: correlation, arguments: { agent: one.agent } }),
        );
        return;
      }
      case "answer":
      case "event":
      case "repeat": {
        const provider = providers[one.provider];
        if (provider === undefined) return;
        const mine = openOf(provider);
        if (one.kind === "repeat") {
          const earlier = provider.received.filter(({ type }) => type === "tool/call/req")[one.nth];
          if (earlier !== undefined && !mine.includes(earlier)) provider.say(answerTo(earlier, "again"));
          return;
        }
        const request = mine[one.nth];
        if (request === undefined) return;
        if (one.kind === "event") {
          provider.say(
            base("invoke/event", "e", { req_id: request.id, kind: "status", data: { message: "x" }, seq: 0 }),
          );
          return;
        }
        mine.splice(one.nth, 1);
        if (one.isError) provider.say(base("error", "x", { req_id: request.id, code: "sandbox_crash", message: "" }));
        else provider.say(answerTo(request));
        return;
      }
      case "decide": {
        const questions = reader.received.filter(({ event }) => event.type === "aaep:agent.awaiting.confirmation");
        const question = questions[questions.length - 1 - one.nth]?.event;
        if (question !== undefined)
          give(stage.rig, reader, String(question.reply_token), one.accept ? "accept" : "reject");
        return;
      }
      case "full":
        [...agents.map(({ peer }) => peer), ...providers][one.peer]?.setFull(one.isFull);
        return;
      case "die":
        providers[one.provider]?.hangUp();
        providers[one.provider] = undefined;
        return;
      case "comeBack": {
        if (providers[one.provider] !== undefined) return;
        const provider = stage.provider(["tools"], { priority: one.provider });
        providers[one.provider] = provider;
        all.push(provider);
        return;
      }
      case "leave": {
        const agent = agents[one.agent];
        if (agent === undefined || agent.hasLeft) return;
        agent.hasLeft = true;
        if (one.how === "shutdown") agent.peer.say(base("shutdown", "s", { timeout: 2 }));
        else if (one.how === "inputEnded") agent.peer.session.inputEnded();
        else {
          agent.peer.hangUp();
          agent.isLost = true;
        }
        if (one.how !== "shutdown") agent.isGone = true;
        return;
      }
      case "pass":
        stage.advance(one.ms);
    }
  };

  const finalsOf = (peer: A2ePeer): readonly unknown[] =>
    peer.received.filter(({ type }) => type === "tool/call/resp" || type === "error").map(({ req_id: id }) => id);

  for (const one of steps) {
    take(one);
    for (const agent of agents) {
      const answered = new Set(finalsOf(agent.peer));
      const forwarded = new Set(
        all.flatMap(({ received }) => received.map(({ correlation_id: id }) => id)).filter((id) => id !== undefined),
      );
      const underWay = agent.asked.filter(({ id, correlation }) => forwarded.has(correlation) && !answered.has(id));
      if (!agent.isGone && !agent.peer.isClosed()) expect(underWay.length).toBeLessThanOrEqual(MAX_PARALLEL);
    }
  }
  // Everything has ended by now: questions, calls, graces.
  stage.advance(400_000);
  for (const agent of agents) {
    const finals = finalsOf(agent.peer);
    expect(new Set(finals).size).toBe(finals.length);
    // A connection that broke takes no answers. Every other end has answered everything.
    if (!agent.isLost) expect([...finals].sort()).toEqual(agent.asked.map(({ id }) => id).sort());
    // Of calls that nobody has to confirm, none overtakes another on its way to a provider.
    const plain = agent.asked.filter(({ isIrreversible }) => !isIrreversible).map(({ correlation }) => correlation);
    for (const provider of all) {
      const got = provider.received.map(({ correlation_id: id }) => String(id)).filter((id) => plain.includes(id));
      expect(got).toEqual(plain.filter((id) => got.includes(id)));
    }
  }
  expect(stage.warnings).toEqual([]);
}

it("max_parallel, the order of requests, and one final answer to each", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80, size: "max" }), (steps) => {
      play(steps);
    }),
    { numRuns: casesOf(1000) },
  );
});
