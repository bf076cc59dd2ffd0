// Where outputs begin and end, held against a list of all of them (R17).
import fc from "fast-check";
import { expect, it } from "vitest";
import type { JournaledEvent } from "../../../src/engine/event/event.js";
import { NOTHING_KEPT } from "../../../src/engine/journal/nothing-kept.js";
import { createOutputSpans } from "../../../src/engine/resume/output-spans.js";

interface Noted {
  readonly session: string;
  readonly output: string;
  readonly start: number;
  end: number | undefined;
}

const SESSIONS = ["sess_1", "sess_2", "sess_3"];

function createStage() {
  const spans = createOutputSpans({
    journal: { oldest: () => 0 },
    kept: NOTHING_KEPT,
    log: { error: () => undefined },
    isBefore: () => false,
  });
  const all: Noted[] = [];
  let epoch = 0;
  const publish = (session: string, output: string, position: number, complete: boolean): void => {
    epoch += 1;
    const event = { session_id: session, output_id: output, producer: { agent_id: "agent" }, position, complete };
    spans.published({ kind: "output.streaming", epoch, event } as unknown as JournaledEvent);
  };
  /** The oldest output that was open at `at`, by looking at every one. */
  const expected = (at: number, session: string | undefined, isPart: boolean): number =>
    all
      .filter((one) => session === undefined || one.session === session)
      .filter(({ start, end }) => start <= at && (end === undefined || end > at || (isPart && end === at)))
      .reduce((lowest, { start }) => Math.min(lowest, start - 1), at);
  return {
    spans,
    expected,
    last: () => epoch,
    /** The next chunk of an output: it begins, goes on, ends, or has ended and begins anew. */
    say: (session: string, output: string, complete: boolean): void => {
      const open = all.find((one) => one.session === session && one.output === output && one.end === undefined);
      publish(session, output, open === undefined ? 0 : 5, complete);
      if (open !== undefined) {
        if (complete) open.end = epoch;
        return;
      }
      // An id that is used again is the newer output's.
      const before = all.findIndex((one) => one.session === session && one.output === output);
      if (before >= 0) all.splice(before, 1);
      all.push({ session, output, start: epoch, end: complete ? epoch : undefined });
    },
    forget: (session: string): void => {
      spans.forgetSession(session);
      for (let index = all.length - 1; index >= 0; index -= 1)
        if (all[index]?.session === session) all.splice(index, 1);
    },
    count: () => all.length,
  };
}

it("R17: the epoch before the oldest output that was open is that of the list, for every place, session and part", () => {
  const session = fc.constantFrom(...SESSIONS);
  const step = fc.oneof(
    { weight: 30, arbitrary: fc.tuple(session, fc.integer({ min: 1, max: 6 }), fc.boolean()) },
    { weight: 1, arbitrary: session },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const stage = createStage();
      for (const one of steps) {
        if (typeof one === "string") stage.forget(one);
        else stage.say(one[0], `out_${one[1]}`, one[2]);
      }
      expect(stage.spans.count()).toBe(stage.count());
      for (let at = 0; at <= stage.last(); at += 1)
        for (const name of [undefined, ...SESSIONS])
          for (const isPart of [false, true])
            expect(stage.spans.beforeOpen(at, name, isPart)).toBe(stage.expected(at, name, isPart));
    }),
    { seed: 7, numRuns: 300 },
  );
});

it("R17: what other sessions had, and what ended before, is not looked at", () => {
  const stage = createStage();
  for (let output = 0; output < 3000; output += 1) {
    stage.say("sess_1", `out_${output}`, true);
    stage.say("sess_2", `out_${output}`, false);
  }
  stage.say("sess_1", "out_open", false);
  const comparisons: number[] = [];
  // What is compared with the place asks it for its value.
  const place = { valueOf: () => comparisons.push(0) * 0 + stage.last() } as unknown as number;
  stage.spans.beforeOpen(place, "sess_1", false);
  expect(comparisons.length).toBeLessThan(10);
});
