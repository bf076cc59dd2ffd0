// The smallest lives in which a property once failed.
import { describe, expect, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { audienceFaults } from "../../support/oracles/audience-oracle.js";
import { expectNoFaults, judgedOf, publishedIn } from "../../support/oracles/delivery-facts.js";
import { criticalFaults, eventFaults } from "../../support/oracles/event-oracle.js";
import { resumeFaults } from "../../support/oracles/return-oracle.js";
import { textFaults, timeFaults } from "../../support/oracles/text-oracle.js";
import type { Operation } from "../../support/rigs/delivery-plans.js";
import type { World } from "../../support/rigs/delivery-world.js";
import { createEngineRig, session, textOf, typesOf } from "../../support/rigs/engine-rig.js";
import { ask, chunk, join, progress, retune, state, world } from "../../support/rigs/small-lives.js";

const sentences: Partial<Terms> = { coalesceBoundaries: ["sentence", "completion"] };
const none = undefined;

function expectWhole(lived: World): void {
  const published = publishedIn(lived.entries);
  for (const connection of lived.connections) {
    const judged = judgedOf(lived, connection, published);
    expectNoFaults(...textFaults(judged), ...eventFaults(judged), ...timeFaults(judged));
    expectNoFaults(...criticalFaults(lived, connection, published));
  }
}

describe("R4", () => {
  it("A5: a question does not wait behind a text that is being spoken", () => {
    const burst: Operation = { op: "batch", items: [chunk("One two "), ask(false), chunk("Three ")] };
    expectWhole(world([{ ...sentences, paceWpm: 600 }], [burst, chunk("Four ")], { viewWindowCount: 16 }));
  });

  it("R17: who resumes after what went ahead gets what it overtook, although the last event was lost", () => {
    const lived = world(
      [sentences],
      [
        join({ ...sentences, maxEventsPerSecond: 1 }, 0),
        chunk("One two ", { complete: true }),
        chunk("One two ", { o: 1 }),
        ask(false),
        join(sentences, 1),
        { op: "tool", s: 0, a: 0 },
      ],
    );
    expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
  });

  it("R17: who resumes in the middle of what was flushed ahead of a critical event gets the rest of it", () => {
    const lived = world(
      [sentences],
      [
        { op: "leave", l: 0 },
        chunk("One two "),
        chunk("One two ", { s: 1 }),
        join({ ...sentences, maxEventsPerSecond: 1 }, 0),
        { op: "end", s: 1, how: "errored" },
        ask(false),
        join(sentences, 5),
      ],
    );
    expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
  });
});

describe("AAEP §5.7, renegotiation", () => {
  it("R10: gives back text that its queue had taken before it fell behind", () => {
    const lived = world(
      [{ ...sentences, maxEventsPerSecond: 20 }],
      [
        chunk("One two "),
        chunk("One two ", { language: "en-US" }),
        { op: "batch", items: [chunk("One two ", { o: 1, complete: true }), state(0, "idle")] },
        chunk("One two ", { complete: true }),
        retune({ coalesceBoundaries: ["none"], maxEventsPerSecond: none }),
        state(0, "idle"),
      ],
    );
    expectWhole(lived);
  });

  it("R10: completes an output once, however often terms change in mid-reading", () => {
    const lived = world(
      [{ ...sentences, maxEventsPerSecond: 1 }],
      [
        chunk("a"),
        chunk("One two ", { s: 1, hint: "sentence", complete: true }),
        chunk(`${"long ".repeat(30)}. `),
        retune({ coalesceBoundaries: ["word", "completion"], maxEventsPerSecond: none, paceWpm: 600 }),
        retune({ ...sentences, maxEventsPerSecond: none, paceWpm: none }),
        { op: "tool", s: 0, a: 0 },
      ],
    );
    expectWhole(lived);
  });

  it("R26: nothing leaves by the old max_chars", () => {
    const rig = createEngineRig();
    const { started, chunk: say, completed } = session();
    const reader = rig.listen({ maxEventsPerSecond: 1 });
    rig.publish(started());
    for (let index = 0; index < 5; index += 1) rig.publish(say("A sentence of thirty letters. "));
    rig.publish(say("", true));
    reader.subscription.retune({ ...reader.subscription.terms(), maxChars: 80 });
    rig.publish(completed());
    rig.advance(20_000);
    expect(textOf(reader.received, "out_1")).toBe("A sentence of thirty letters. ".repeat(5));
    for (const { event } of reader.received) expect(String(event.chunk ?? "").length).toBeLessThanOrEqual(80);
  });

  it("R28: asks once although the subscriber was for a while unable to answer", () => {
    const able = { supportsClarificationReply: true };
    const lived = world(
      [able, able],
      [ask(true), retune({ supportsClarificationReply: false }), retune(able), { op: "reply", l: 1, accept: false }],
    );
    expectNoFaults(...audienceFaults(lived));
    expect(
      lived.connections.map(
        ({ listener }) => typesOf(listener.received).filter((type) => type === "awaiting.clarification").length,
      ),
    ).toEqual([1, 1]);
  });

  it("R6: does not ask a blocked subscriber that can no longer answer when it takes again", () => {
    const able = { supportsConfirmationReply: true };
    const lived = world(
      [{ supportsConfirmationReply: false }, able],
      [ask(false), { op: "block", l: 0, on: true }, retune(able), retune({ supportsConfirmationReply: false })],
    );
    expectNoFaults(...audienceFaults(lived));
  });
});

describe("R17, resuming", () => {
  it("after a part of a chunk that was cut, gives the rest of it", () => {
    const lived = world(
      [sentences],
      [
        chunk(`${"long ".repeat(30)}. One two `, { complete: true }),
        chunk("One two ", { o: 1, complete: true }),
        join(sentences, 2),
      ],
    );
    expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
  });

  it("after text that a chunk in another language released, gives that chunk", () => {
    const lived = world(
      [sentences],
      [
        chunk("One two ", { s: 1, complete: true }),
        join({ ...sentences, maxEventsPerSecond: 2 }, 0),
        { op: "wait", ms: 1000 },
        chunk("One two ", { s: 1, o: 2 }),
        chunk("One two ", { s: 1, o: 2, language: "en-US" }),
        join(sentences, 0),
      ],
    );
    expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
  });

  it("after the sum of one session, gives what was held of another", () => {
    const lived = world(
      [sentences],
      [
        chunk("One two ", { s: 1 }),
        chunk("One two ", { complete: true }),
        join(sentences, 2),
        join(sentences, 0),
        progress(),
      ],
      { journalCount: 6 },
    );
    expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
  });

  it("R27: after the first of two declared gaps, declares the other", () => {
    const lived = world(
      [{ ...sentences, supportsClarificationReply: true }],
      [
        chunk("One two ", { s: 1, complete: true }),
        ask(false),
        join({ ...sentences, maxEventsPerSecond: 5 }, 5),
        join(sentences, 0),
        progress(),
      ],
      { journalCount: 6 },
    );
    expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
  });

  it("R27: declares no loss of a session that was given whole, and its end only once", () => {
    const end: Operation = { op: "end", s: 0, how: "errored" };
    const lived = world(
      [sentences],
      [
        chunk("One two "),
        chunk("One two ", { s: 1 }),
        end,
        { op: "block", l: 0, on: true },
        chunk("One two ", { s: 1, complete: true }),
        ...Array.from({ length: 8 }, () => chunk("One two. ", { s: 1, o: 1 })),
      ],
      { journalCount: 6 },
    );
    expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
    const received = lived.connections[0]?.listener.received.map(({ event }) => event) ?? [];
    const [started] = received;
    const ofFirst = received.filter(({ session_id }) => session_id === started?.session_id);
    expect(ofFirst.map(({ type }) => type)).toEqual([
      "aaep:agent.session.started",
      "aaep:agent.output.streaming",
      "aaep:agent.session.errored",
    ]);
    expect(received.filter(({ extensions }) => extensions?.aaepd?.gap !== undefined)).toHaveLength(1);
  });

  it.each([0])(
    "R17, R27: %i takes before: a client that names a place that the journal let go of is told what is missing",
    (before) => {
      const idle = state(0, "idle");
      const asked: Operation = { ...ask(true), seconds: 1 } as Operation;
      const told: Operation = {
        op: "batch",
        items: [asked, chunk("One two ", { complete: true }), chunk("One two ", { s: 1, complete: true })],
      };
      const terms = { ...sentences, supportsClarificationReply: true };
      const lived = world([terms], [idle, told, join(terms, 5, before), idle], { journalCount: 6 });
      expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
      const gaps = lived.connections[1]?.listener.received.filter(
        ({ event }) => event.extensions?.aaepd?.gap !== undefined,
      );
      expect(gaps?.length).toBeGreaterThan(0);
    },
  );

  it("R6, R17, H2: asks a newcomer, behind the sum of its session, although the journal has let go of the question", () => {
    const rig = createEngineRig({ journal: { maxEvents: 4 } });
    const { started, confirmation, progress: report } = session();
    rig.listen({ supportsConfirmationReply: true });
    rig.publish(started(), confirmation("rpl_1"));
    for (let percent = 0; percent < 10; percent += 1) rig.publish(report(percent));
    const late = rig.listen({ supportsConfirmationReply: true });
    // Directly behind its session's sum (R17).
    expect(typesOf(late.received).slice(0, 2)).toEqual(["state.changed", "awaiting.confirmation"]);
  });
});

describe("R26, skipping", () => {
  it("tells no end again that went ahead before", () => {
    const lived = world(
      [{ ...sentences, maxEventsPerSecond: 2 }],
      [
        chunk("One two ", { s: 1 }),
        { op: "batch", items: [chunk("One two "), { op: "end", s: 0, how: "errored" }] },
        ...[0, 2, 1].map((o) => chunk("One two ", { o, complete: true })),
        chunk("One two ", { s: 1, complete: true }),
        { op: "skipAll", l: 0 },
        chunk("One two "),
      ],
    );
    expectWhole(lived);
  });

  it("A3: completes a skipped output before its session ends", () => {
    const rig = createEngineRig();
    const { started, chunk: say, completed } = session();
    const reader = rig.listen({ maxEventsPerSecond: 1 });
    rig.publish(started());
    rig.publish(say("One. Two. Three. "), say("", true), completed());
    reader.subscription.skip("sess_1", "out_1");
    rig.advance(10_000);
    expect(typesOf(reader.received)).toEqual(["session.started", "output.streaming", "session.completed"]);
    expect(reader.received[1]?.event).toMatchObject({ chunk: "", complete: true, position: 17 });
  });
});

describe("R30", () => {
  it("a subscription that fell behind keeps the instants in order", () => {
    const lived = world(
      [sentences],
      [
        { op: "batch", items: [chunk("One two ", { s: 1 }), chunk("One two ")] },
        { op: "block", l: 0, on: true },
        { op: "wait", ms: 6000 },
        chunk(". FiveOne two "),
        { op: "wait", ms: 1 },
        chunk("code line\n- item\n", { complete: true }),
      ],
    );
    expectWhole(lived);
  });

  it("R10: a chunk that carries a supported extension ends its segment, with the set's smallest hint", () => {
    const rig = createEngineRig();
    const { started, chunk: say } = session();
    const vocabulary = "https://example.org/vocabulary/v1";
    const reader = rig.listen({ ...sentences, supportedExtensions: [vocabulary] });
    rig.publish(started());
    rig.publish({
      ...say("One two "),
      "@context": ["https://aaep-protocol.org/context/v1", vocabulary],
      extensions: { example: { mark: true } },
    });
    expect(reader.received[1]?.event).toMatchObject({
      coalesce_hint: "sentence",
      extensions: { example: { mark: true } },
    });
  });
});

describe("R10, hints", () => {
  it("an agent's own hint counts on a chunk without text", () => {
    const rig = createEngineRig();
    const { started, chunk: say } = session();
    const reader = rig.listen(sentences);
    rig.publish(started());
    rig.publish(say("No end in sight"), { ...say(""), coalesce_hint: "paragraph" });
    expect(reader.received[1]?.event).toMatchObject({ chunk: "No end in sight", coalesce_hint: "paragraph" });
  });
});

describe("R6", () => {
  it("a question whose session ends in the same publish is never open", () => {
    const rig = createEngineRig();
    const { started, confirmation, errored } = session();
    rig.listen({ supportsConfirmationReply: true });
    rig.publish(started(), confirmation("rpl_1", { timeout_seconds: 5 }), errored());
    expect(rig.engine.status().openQuestionCount).toBe(0);
    rig.advance(10_000);
    expect(rig.engine.status().openSessionCount).toBe(0);
  });
});

describe("R10, R11, merging for all that held back equally long", () => {
  it("texts of two outputs are not joined where one ends at the position at which the other begins", () => {
    const rig = createEngineRig();
    const { started, chunk: say } = session();
    const reader = rig.listen({ coalesceBoundaries: ["none"], maxEventsPerSecond: 5 });
    rig.publish(started());
    rig.publish(say("", false, "out_1"), say("One two ", false, "out_2"));
    rig.advance(1000);
    const chunks = reader.received.filter(({ event }) => event.chunk !== undefined);
    expect(chunks.map(({ event }) => [event.output_id, event.chunk])).toEqual([
      ["out_1", ""],
      ["out_2", "One two "],
    ]);
  });
});

describe("R10, R34, an output that is completed in steps", () => {
  it("is complete once for a subscription that joins its view in between", () => {
    const lived = world(
      [sentences],
      [
        chunk("x".repeat(95), { s: 1 }),
        join({ ...sentences, maxChars: 80, supportsClarificationReply: true }, 0),
        { op: "end", s: 1, how: "errored" },
        { op: "leave", l: 0 },
      ],
      { turns: "late" },
    );
    expectNoFaults(...resumeFaults(lived, publishedIn(lived.entries)));
  });
});
