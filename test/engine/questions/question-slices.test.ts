// What one connection's end leads to is done in slices over turns of the event loop, so that nobody else waits for all of it (R6, R7, R8, R8a).
import { describe, expect, it, test } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { localizedMessages } from "../../../src/engine/messages/localized-messages.js";
import { everyLanguage } from "../../../src/engine/notices/daemon-events.js";
import { applyShape } from "../../../src/engine/terms/shape.js";
import { shapeVariants } from "../../../src/engine/terms/shape-languages.js";
import { COST_PER_TURN, createTurnSlices } from "../../../src/engine/time/turn-slices.js";
import { createEngineRig, type EngineRig, type RigOptions, session } from "../../support/rigs/engine-rig.js";
import { ABLE, audited, fates, give, questionsIn } from "../../support/rigs/question-rig.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";

const SESSION_COUNT = 5;
const PER_SESSION = 40;
const ALL = SESSION_COUNT * PER_SESSION;

const tokens = Array.from({ length: ALL }, (_, index) => `rpl_${index}`);

/** Questions of one agent in several sessions, all with the same deadline, put to one subscription. */
function askedMany(options: RigOptions = {}) {
  const rig = createEngineRig(options);
  const able = rig.listen(ABLE, "able");
  const resumeTokens: string[] = [];
  for (let s = 0; s < SESSION_COUNT; s += 1) {
    const { started, confirmation } = session(`sess_${s}`);
    const { resumeToken } = rig.agent.publish([{ fields: started() }], false);
    resumeTokens.push(String(resumeToken));
    for (const token of tokens.slice(s * PER_SESSION, (s + 1) * PER_SESSION))
      rig.publish(confirmation(token, { action: `Do ${token}.` }));
  }
  rig.clock.settle();
  return { rig, able, resumeTokens };
}

const outcomeTokens = (rig: EngineRig) => audited(rig, "outcome").map(({ reply_token: token }) => token);

/** How many outcomes each turn brings from now on, until no turn brings one. */
function outcomesByTurn(rig: EngineRig): readonly number[] {
  const counts = [outcomeTokens(rig).length];
  for (;;) {
    const before = outcomeTokens(rig).length;
    rig.clock.turn();
    const more = outcomeTokens(rig).length - before;
    if (more === 0) return counts;
    counts.push(more);
  }
}

const FULL = Array.from({ length: Math.floor(ALL / COST_PER_TURN) }, () => COST_PER_TURN);
const REST = ALL % COST_PER_TURN;
const BY_TURN = REST === 0 ? FULL : [...FULL, REST];

describe("R7: the last subscription that can answer ends", () => {
  it("so many defaults a turn, in the order in which they were asked, one each", () => {
    const { rig, able } = askedMany();
    able.subscription.close();
    expect(outcomesByTurn(rig)).toEqual(BY_TURN);
    expect(outcomeTokens(rig)).toEqual(tokens);
    expect(rig.agent.outcomes.map(({ question, result }) => [question.token, result.resolvedBy])).toEqual(
      tokens.map((token) => [token, "subscription_ended"]),
    );
  });

  it("what waits for its turn is decided: nobody is asked it, answers it, hears it again or takes it back", () => {
    const { rig, able } = askedMany();
    const last = tokens.at(-1) ?? "";
    const id = String(questionsIn(able).at(-1)?.event.event_id);
    able.subscription.close();
    expect(outcomeTokens(rig)).not.toContain(last);
    const late = rig.engine.subscribe({
      subscriberId: "late",
      terms: able.subscription.terms(),
      resumeAfter: undefined,
      outlet: { wake: () => undefined, ended: () => undefined },
    });
    expect(late.openQuestions().events).toEqual([]);
    expect(() => late.repeat(id)).toThrow("event");
    expect(rig.agent.cancel(last)).toBe(false);
    expect(rig.agent.outcomeOf(last)).toBe("open");
    const taken = late.take();
    expect(taken.kind === "batch" ? taken.batch.deliveries.map(({ event }) => event.reply_token) : []).not.toContain(
      last,
    );
    rig.clock.settle();
    expect(outcomeTokens(rig)).toEqual(tokens);
    expect(rig.agent.outcomes.every(({ result }) => result.resolvedBy === "subscription_ended")).toBe(true);
  });

  it("what its agent says next in a session comes after that session's outcomes", () => {
    const { rig, able } = askedMany();
    able.subscription.close();
    const ofLast = tokens.slice(-PER_SESSION);
    const before = outcomeTokens(rig).length;
    // It takes back whatever is open; nothing is.
    rig.agent.publish([{ fields: session(`sess_${SESSION_COUNT - 1}`).state("awaiting_input", "deciding") }], false);
    expect(outcomeTokens(rig).slice(before)).toEqual(ofLast);
    rig.clock.settle();
    expect(new Set(outcomeTokens(rig)).size).toBe(ALL);
    expect(rig.agent.outcomes).toHaveLength(ALL);
    expect(rig.agent.outcomes.some(({ result }) => result.resolvedBy === "cancelled")).toBe(false);
  });
});

describe("many deadlines at once", () => {
  it("so many a turn; a reply to one that waits for its turn is too late", () => {
    const { rig, able } = askedMany();
    const seen: number[] = [];
    const { afterTurn } = rig.clock;
    rig.clock.wakeAt(60_000, () => afterTurn(() => seen.push(outcomeTokens(rig).length)));
    rig.clock.wakeAt(60_000, () => {
      expect(able.subscription.reply(replyTo(tokens.at(-1) ?? ""), {})).toBe(false);
    });
    rig.advance(60_000);
    expect(seen[0]).toBeLessThanOrEqual(2 * COST_PER_TURN);
    expect(outcomeTokens(rig)).toEqual(tokens);
    expect(fates(rig)).toEqual(["expired"]);
    expect(rig.agent.outcomes.every(({ result }) => result.resolvedBy === "timeout")).toBe(true);
  });
});

function replyTo(token: string) {
  return {
    kind: "confirmation",
    token,
    timestamp: "2026-05-24T14:00:30.000Z",
    decision: "accept",
    decidedBy: undefined,
    rationale: undefined,
    modifiedAction: undefined,
  } as const;
}

describe("R8: an agent vanishes with many sessions", () => {
  it.each([0, 5000])("a session a turn, after a grace of %d ms", (agentGraceMs) => {
    const ended: string[] = [];
    const { rig } = askedMany({
      engine: { agentGraceMs },
      journaled: ({ kind, event }) => kind === "session.errored" && ended.push(event.session_id),
    });
    const atTurns: number[] = [];
    const watch = (): void => {
      atTurns.push(ended.length);
      if (ended.length < SESSION_COUNT) rig.clock.afterTurn(watch);
    };
    rig.agent.close();
    if (agentGraceMs === 0) watch();
    else rig.clock.wakeAt(agentGraceMs, watch);
    rig.advance(agentGraceMs);
    // A session with its 40 questions is more than a turn's worth, and not divided.
    const steps = atTurns.map((count, index) => count - (atTurns[index - 1] ?? 0));
    expect(Math.max(...steps)).toBe(1);
    expect(ended).toEqual(["sess_0", "sess_1", "sess_2", "sess_3", "sess_4"]);
    expect(outcomeTokens(rig)).toEqual(tokens);
  });

  it("until its turn comes, a session can be taken over", () => {
    const { rig, able, resumeTokens } = askedMany({ engine: { agentGraceMs: 0 } });
    rig.agent.close();
    const heir = rig.openAgent();
    const last = SESSION_COUNT - 1;
    expect(heir.resumeSession(`sess_${last}`, String(resumeTokens[last])).openQuestions).toHaveLength(PER_SESSION);
    rig.clock.settle();
    expect(rig.engine.status()).toMatchObject({ openSessionCount: 1, openQuestionCount: PER_SESSION });
    expect(give(rig, able, tokens.at(-1) ?? "", "accept")).toBe(true);
    expect(heir.outcomes).toHaveLength(1);
  });

  it("R8a, R34: a stop ends sessions in slices, after what waits for its turn, and takes nothing new", async () => {
    const { rig, able } = askedMany();
    able.subscription.close();
    const ended = rig.engine.endSessions();
    expect(outcomeTokens(rig)).toHaveLength(COST_PER_TURN);
    expect(() => rig.publish(session("sess_late").started())).toThrow("stopping");
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    let most = 0;
    while (!isOver) {
      const before = outcomeTokens(rig).length;
      rig.clock.turn();
      most = Math.max(most, outcomeTokens(rig).length - before);
      await Promise.resolve();
    }
    expect(most).toBeLessThanOrEqual(COST_PER_TURN + PER_SESSION);
    rig.clock.settle();
    expect(rig.engine.status()).toMatchObject({ openSessionCount: 0, openQuestionCount: 0 });
    expect(new Set(outcomeTokens(rig)).size).toBe(ALL);
    expect(rig.errors).toEqual([]);
  });
});

test("a task that fails holds nothing up but itself", () => {
  const clock = createVirtualClock();
  const failures: unknown[] = [];
  const slices = createTurnSlices(clock, (caught) => void failures.push(caught), 2);
  const done: number[] = [];
  const accident = new Error("an accident");
  slices.add(1, () => done.push(1));
  slices.add(1, () => {
    throw accident;
  });
  expect(failures).toEqual([accident]);
  for (const index of [2, 3, 4]) slices.add(1, () => done.push(index));
  expect([done, slices.waitingCount()]).toEqual([[1], 3]);
  clock.turn();
  expect(done).toEqual([1, 2, 3]);
  clock.settle();
  expect([done, slices.waitingCount()]).toEqual([[1, 2, 3, 4], 0]);
});

describe("R14, R31: the daemon's texts are shaped without a search for variants", () => {
  const wanted = [[], ["en"], ["de"], ["de-AT", "en"], ["yo", "fr-CA"], ["yo"], ["en-GB"], ["zh", "ja"], ["ar"]];
  const cases = ["en-US", "de", "yo", "ja"].flatMap((defaultLanguage) =>
    wanted.map((languages) => [defaultLanguage, languages] as const),
  );
  it.each(cases)("default language %s, wanted %j: the same as with one", (defaultLanguage, languages) => {
    const { summaries, hints } = localizedMessages(everyLanguage(defaultLanguage), "countdown", (language, form) => ({
      passed: "half",
      remainingSeconds: 30,
      asking: `${language} ${form}`,
    }));
    for (const type of ["aaep:agent.state.changed", "aaep:agent.session.errored"])
      for (const withHints of [{ localization_hints: hints }, {}])
        for (const verbosity of ["terse", "normal", "detailed"] as const) {
          const event = {
            type,
            event_id: "evt_1",
            session_id: "sess_1",
            timestamp: "2026-05-24T14:00:00.000Z",
            producer: { agent_id: "planner" },
            urgency: "critical",
            ...withHints,
            ...summaries,
            extensions: { aaepd: { by: "daemon" } },
          } as unknown as AgentEvent;
          const shape = { verbosity, languages };
          // An event of before the daemon's texts said their language is in the one that it has no variant of.
          expect(applyShape(event, shape, "xx")).toEqual(shapeVariants(event, shape, hints.primary_language));
        }
  });
});
