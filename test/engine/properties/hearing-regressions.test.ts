// The smallest lives in which somebody once heard what is not so (hearing.test.ts).
import { describe, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { expectNoFaults, judgedOf, publishedIn } from "../../support/oracles/delivery-facts.js";
import { eventFaults } from "../../support/oracles/event-oracle.js";
import { chainFaults, countFaults, hintFaults, overtakingFaults } from "../../support/oracles/hearing-oracle.js";
import { envelopeFaults, sequenceFaults } from "../../support/oracles/sequence-oracle.js";
import { textFaults, timeFaults } from "../../support/oracles/text-oracle.js";
import { type Operation, VOCABULARY } from "../../support/rigs/delivery-plans.js";
import type { World } from "../../support/rigs/delivery-world.js";
import { ask, chunk, progress, retune, state, world } from "../../support/rigs/small-lives.js";

const sentences = {
  coalesceBoundaries: ["sentence", "completion"],
  maxEventsPerSecond: undefined,
  supportsConfirmationReply: false,
  supportsClarificationReply: false,
  supportedExtensions: [],
} satisfies Partial<Terms>;
const able = { ...sentences, supportsConfirmationReply: true };
const unable = sentences;
const answering = { ...sentences, supportsClarificationReply: true };
const extended = { ...sentences, supportedExtensions: [VOCABULARY] };
const wait = (ms: number): Operation => ({ op: "wait", ms });
const block = (on: boolean): Operation => ({ op: "block", l: 0, on });
const helpers = (to: string): Operation => ({ op: "state", s: 0, a: 1, to, background: false });
const helperAsks = (clarify: boolean): Operation => ({ op: "ask", s: 0, a: 1, clarify, seconds: 1 });

/** Not that it was everything: terms change on the way. */
function expectHeard(lived: World): void {
  const published = publishedIn(lived.entries);
  for (const connection of lived.connections) {
    const judged = judgedOf(lived, connection, published);
    expectNoFaults(...textFaults(judged), ...timeFaults(judged), ...chainFaults(lived, connection, published));
    expectNoFaults(...hintFaults(connection), ...overtakingFaults(lived, connection, published));
    expectNoFaults(...countFaults(lived, connection, published), ...envelopeFaults(connection));
    expectNoFaults(...sequenceFaults(lived, connection, published));
  }
}

describe("AAEP §4.2.1, R4, R6, chains of states", () => {
  it("R17: a notice that waits is not told after how its question ended", () => {
    const operations: readonly Operation[] = [
      { op: "block", l: 1, on: true },
      ask(false),
      chunk("One two "),
      chunk("One two ", { a: 1 }),
      { op: "retune", l: 1, terms: { ...unable, maxEventsPerSecond: 2 } },
      chunk("One two ", { s: 1, complete: true }),
    ];
    expectHeard(world([able, able], operations));
  });

  it("R34: nor one that its view takes late, where the question itself was asked", () => {
    const operations: readonly Operation[] = [
      ask(false, 1),
      { op: "batch", items: [{ op: "end", s: 1, how: "completed" }, chunk("One two "), { op: "tool", s: 0, a: 0 }] },
      retune({ ...unable, maxEventsPerSecond: undefined }),
      { op: "end", s: 0, how: "errored" },
    ];
    expectHeard(world([able, sentences, sentences], operations, { turns: "late" }));
  });

  it("P14: a notice that overtook a state in the journal begins where that did", () => {
    const operations: readonly Operation[] = [
      chunk("One two "),
      chunk("One two ", { language: "en-US" }),
      chunk(`${"long ".repeat(30)}. One two `, { s: 1 }),
      state(0, "calling_tool"),
      ask(false),
      progress(),
    ];
    expectHeard(
      world([{ coalesceBoundaries: ["word"], maxEventsPerSecond: 20, maxChars: 100 }, sentences], operations),
    );
  });

  it("P2: what went ahead is not counted as overtaken where the backlog tells it as ordinary", () => {
    const operations: readonly Operation[] = [
      chunk("One two "),
      state(0, "idle"),
      ask(false, 1),
      ask(false, 1),
      progress(),
      chunk("One two ", { a: 1 }),
    ];
    expectHeard(world([able, { ...sentences, maxEventsPerSecond: 1 }], operations));
  });

  it("R3a, P14: a state that the notice behind a question overtook too begins where the question left its agent", () => {
    const operations: readonly Operation[] = [
      progress(1),
      chunk("One two "),
      state(0, "idle"),
      chunk("One two "),
      helperAsks(true),
      helperAsks(false),
      retune(unable),
      helpers("idle"),
    ];
    expectHeard(world([{ ...answering, maxEventsPerSecond: 20 }, answering, able], operations));
  });

  it("P14: where the end of a question overtook a state, the next one goes on from that end", () => {
    const operations: readonly Operation[] = [
      helperAsks(false),
      helperAsks(true),
      { op: "join", l: 0, terms: { ...unable, maxEventsPerSecond: 20 }, resume: "none", lost: 0 },
      state(0, "idle"),
      retune({ ...answering, maxEventsPerSecond: 20 }),
      helpers("idle"),
      { op: "reply", l: 0, accept: false },
      helperAsks(false),
      chunk("One two "),
    ];
    expectHeard(world([sentences, answering, able], operations));
  });

  it("P14: where a notice began with a state that it overtook, so does the next state of an agent that goes on by itself", () => {
    const operations: readonly Operation[] = [
      chunk("One two "),
      { op: "state", s: 1, a: 1, to: "thinking", background: false },
      {
        op: "batch",
        items: [
          { op: "ask", s: 1, a: 1, clarify: false, seconds: 1 },
          { op: "state", s: 1, a: 1, to: "idle", background: false },
          ask(true),
        ],
      },
      wait(6000),
    ];
    expectHeard(world([{ ...answering, maxEventsPerSecond: 5 }, able], operations));
  });

  it.each([
    ["that waited", [block(true), ask(false), retune(unable), ask(false)], able],
    ["that was to be asked", [block(true), ask(true), retune(answering), ask(false), retune(unable)], unable],
  ] satisfies [string, readonly Operation[], Partial<Terms>][])(
    "R6: the notice of a question %s goes ahead of what is said of the next one",
    (_, operations, terms) => {
      expectHeard(world([terms, { ...able, supportsClarificationReply: true }], operations));
    },
  );

  it("R4, R11: states that come back to where they began follow a notice that began with one before them", () => {
    const lived = world(
      [{ ...answering, maxEventsPerSecond: 2 }],
      [
        helpers("writing_output"),
        retune({ paused: true }),
        helperAsks(false),
        helpers("idle"),
        helpers("writing_output"),
        { op: "extra", s: 0, a: 0, critical: false },
      ],
    );
    const [connection] = lived.connections;
    if (connection === undefined) throw new Error("Somebody listened.");
    expectNoFaults(...eventFaults(judgedOf(lived, connection)));
  });
});

describe("AAEP §3.2.5, R30, instants after several renegotiations", () => {
  it("P1: text stands no later than what waits before it, although it once stood behind that", () => {
    const operations: readonly Operation[] = [
      chunk("One two "),
      state(0, "idle"),
      wait(1),
      {
        op: "batch",
        items: [
          chunk("One two ", { s: 1, complete: true }),
          helpers("idle"),
          chunk("Three ", { language: "en-US", complete: true }),
        ],
      },
      chunk("One two ", { o: 1, complete: true }),
      progress(),
      chunk("One two ", { o: 2, complete: true }),
      retune(sentences),
      chunk("One two "),
    ];
    expectHeard(
      world([{ ...sentences, coalesceBoundaries: ["completion"], maxEventsPerSecond: 1 }], operations, {
        agentCount: 3,
      }),
    );
  });

  it("P1: text that a timer releases stands with the last event that was sent by other terms", () => {
    const operations: readonly Operation[] = [
      chunk("One two "),
      wait(20),
      chunk("One two "),
      wait(16_000),
      retune(sentences),
      chunk("One two "),
      wait(16_000),
    ];
    expectHeard(world([{ ...sentences, coalesceBoundaries: ["word", "completion"] }, sentences], operations));
  });
});

describe("R10, chunks that carry what their listener implements", () => {
  it("one without text is told once, also where it is read back for the text behind it", () => {
    const operations: readonly Operation[] = [
      chunk("One two "),
      chunk("\ud83d", { s: 1, extended: true }),
      progress(),
      { op: "progress", s: 0, a: 1, percent: 0 },
    ];
    expectHeard(
      world([{ ...extended, coalesceBoundaries: ["word", "completion"], maxEventsPerSecond: 1 }], operations),
    );
  });

  it("P4: text before one that only completes is not called complete", () => {
    expectHeard(
      world(
        [sentences, extended],
        [chunk("One two "), chunk("", { extended: true, complete: true }), chunk("Three ", { s: 1 })],
      ),
    );
  });

  it("P2: what was given by other terms is not counted as overtaken, nor given again", () => {
    const operations: readonly Operation[] = [
      chunk("One two ", { extended: true }),
      retune(sentences),
      retune({ ...extended, maxEventsPerSecond: 1 }),
      ask(false),
    ];
    expectHeard(world([extended, sentences], operations));
  });
});

describe("R4, P2, counts after renegotiations", () => {
  it("R34: text of which all was given is not counted, however little of the journal a turn has room to read", () => {
    const operations: readonly Operation[] = [
      { op: "batch", items: [chunk("One two "), chunk("One two ")] },
      retune({ ...sentences, coalesceBoundaries: ["none"] }),
      retune(sentences),
      retune({ paused: true }),
      retune(able),
      ask(false),
    ];
    expectHeard(world([sentences], operations, { turns: "sliced" }));
  });

  it("a question that is asked because replies were negotiated says what waits as well", () => {
    const operations: readonly Operation[] = [
      {
        op: "batch",
        items: [
          { op: "tool", s: 1, a: 0 },
          chunk("One two ", { s: 1 }),
          chunk("One two ", { s: 1, language: "en-US" }),
          progress(1),
          ask(true, 1),
        ],
      },
      retune({ supportsClarificationReply: true }),
    ];
    expectHeard(world([{ ...sentences, maxEventsPerSecond: 1 }, answering], operations, { queueLimitCount: 32 }));
  });
});

describe("R27, R4, gaps that a critical event finds", () => {
  it("an end that goes ahead of a gap is not told behind it again", () => {
    const operations: readonly Operation[] = [
      { op: "few", l: 0, runs: 1 },
      { op: "tool", s: 0, a: 0 },
      { op: "end", s: 0, how: "errored" },
      { op: "tool", s: 0, a: 0 },
      chunk("One two "),
      chunk("One two "),
      chunk("One two ", { s: 1 }),
    ];
    expectHeard(world([answering], operations, { journalCount: 6 }));
  });
});
