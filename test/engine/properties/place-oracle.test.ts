// The oracle of places finds what it is there for (R17, R27): a history that is right, and the same with one thing wrong.
import { describe, expect, it } from "vitest";
import { STREAMING } from "../../support/oracles/delivery-facts.js";
import {
  type Arrived,
  type ClientConnection,
  type ClientEvent,
  type PublishedEvent,
  publishedRecord,
} from "../../support/oracles/place-facts.js";
import { type PlaceFault, placeFaults } from "../../support/oracles/place-oracle.js";

const sessionId = "sess_1";
const TOOL = "aaep:agent.tool.invoked";

const tool = (id: string, epoch: number): PublishedEvent => ({ id, type: TOOL, sessionId, epoch });
const text = (id: string, epoch: number, from: number, chunk: string, completes = false): PublishedEvent => ({
  id,
  type: STREAMING,
  sessionId,
  epoch,
  text: { output: "out", from, chunk, completes },
});

const PUBLISHED = [
  tool("evt_1", 1),
  text("evt_2", 2, 0, "One. And "),
  tool("evt_3", 3),
  text("evt_4", 4, 9, "two.", true),
  tool("evt_5", 5),
];

const came = (id: string, more: Partial<ClientEvent> = {}): ClientEvent => ({
  kind: "event",
  id,
  type: TOOL,
  sessionId,
  ...more,
});
const said = (position: number, chunk: string, completes = false): ClientEvent =>
  came(`evt_text${position}`, { type: STREAMING, output: "out", position, chunk, completes });
const gap = (events: number): ClientEvent => came("evt_gap", { type: "aaep:agent.state.changed", gap: events });
const cursor = (after: number): string => `c1.${"a".repeat(32)}.${after}`;
const place = (after: number): Arrived => ({ kind: "place", cursor: cursor(after) });

interface History {
  readonly published: PublishedEvent[];
  readonly first: ClientConnection;
  readonly back: ClientConnection;
}

/** Cut off in the middle of a text, with an event behind its last place; on the next connection the text anew, and all the rest. */
function right(): History {
  const first = [place(0), came("evt_1"), said(0, "One. "), place(1), came("evt_3")];
  const back = [
    place(1),
    said(0, "One. And "),
    came("evt_3"),
    place(3),
    said(9, "two.", true),
    came("evt_5"),
    place(5),
  ];
  return {
    published: [...PUBLISHED],
    first: { named: undefined, resumed: undefined, head: 0, items: first },
    back: { named: cursor(1), resumed: "all", head: 4, items: back },
  };
}

function faultsOf({ published, first, back }: History, isWhole = true): readonly string[] {
  return placeFaults(publishedRecord(published), [first, back], (_, hasCome) => !hasCome, isWhole);
}

/** Skips a text after so many events, of which a piece is missing that is the third to come. */
function skipped(back: ClientConnection, output: string, received: number): void {
  Object.assign(back, { skips: [{ output: `${sessionId}/${output}`, received }] });
  back.items.splice(4, 1, said(10, "wo.", true));
}

const WRONGS: readonly (readonly [string, PlaceFault | "misdeclared", (history: History) => void])[] = [
  ["text has a hole", "lost", ({ back }) => void back.items.splice(1, 1, said(1, "ne. And "))],
  ["a text never ended", "lost", ({ back }) => void back.items.splice(4, 1, said(9, "two."))],
  [
    "a cursor covers an event that never came",
    "lost",
    ({ first, back }) => {
      first.items.splice(4, 1, place(3));
      Object.assign(back, { named: cursor(3) });
      back.items.splice(0, 4, place(3));
    },
  ],
  ["more is missing than was declared lost", "lost", ({ back }) => void back.items.splice(4, 2, gap(1))],
  ["an event came again that the place covered", "again", ({ back }) => void back.items.splice(1, 0, came("evt_1"))],
  [
    "text came again that the place covered",
    "again",
    ({ first, back }) => {
      first.items.splice(2, 3, said(0, "One. And "), came("evt_3"), place(3));
      Object.assign(back, { named: cursor(3) });
      back.items.splice(0, 4, place(3), said(5, "And "));
    },
  ],
  ["an event came after a place that covers it", "ranAhead", ({ back }) => void back.items.splice(5, 0, place(5))],
  ["text came after a place that covers it", "ranAhead", ({ back }) => void back.items.splice(4, 0, place(4))],
  [
    "the end of a text that is skipped came after a place that covers it",
    "ranAhead",
    ({ back }) => {
      Object.assign(back, { skips: [{ output: `${sessionId}/out`, received: 3 }] });
      back.items.splice(4, 4, said(9, "two."), came("evt_5"), place(5), said(13, "", true));
    },
  ],
  ["a place fell", "fell", ({ back }) => void back.items.push(place(4))],
  ["a place fell below the one that was named", "fell", ({ back }) => void back.items.splice(0, 1, place(0))],
  ["a text ended twice", "duplicated", ({ back }) => void back.items.splice(5, 0, said(13, "", true))],
  ["a text ended too early", "invented", ({ back }) => void back.items.splice(1, 1, said(0, "One. And ", true))],
  ["a text that is not skipped has a hole", "reordered", ({ back }) => skipped(back, "other", 0)],
  ["a text has a hole before it is skipped", "reordered", ({ back }) => skipped(back, "out", 3)],
  ["more is declared lost than was published", "misdeclared", ({ back }) => void back.items.splice(4, 2, gap(5))],
  ["nobody can say how much is lost", "misdeclared", ({ back }) => void back.items.splice(4, 2, gap(Infinity))],
  ["a loss has no number", "misdeclared", ({ back }) => void back.items.splice(4, 2, gap(0))],
  [
    "a loss is declared where the journal has everything",
    "misdeclared",
    ({ back }) => {
      Object.assign(back, { isJournalWhole: true });
      back.items.splice(4, 2, gap(2));
    },
  ],
  ["a good place got a sum", "summed", ({ back }) => void back.items.splice(1, 0, came("evt_s", { isSummary: true }))],
];

describe("the oracle of places", () => {
  it("has nothing to say against a history that is right, however far it goes", () => {
    const history = right();
    expect(faultsOf(history)).toStrictEqual([]);
    history.back.items.splice(5);
    expect(faultsOf(history, false)).toStrictEqual([]);
    expect(faultsOf(history)).not.toStrictEqual([]);
  });

  it.each(WRONGS)("finds that %s", (_, kind, spoil) => {
    const history = right();
    spoil(history);
    expect(faultsOf(history)).toContainEqual(expect.stringMatching(`^${kind}: `));
  });

  it("R27: takes for given what was declared lost on the same connection", () => {
    const history = right();
    history.back.items.splice(4, 2, gap(2));
    expect(faultsOf(history)).toStrictEqual([]);
  });

  it("R17: owes a newcomer nothing of what was before, and text without a hole from where it begins", () => {
    const history = right();
    const newcomer = { named: undefined, resumed: undefined, head: 3, items: [said(5, "And "), said(9, "two.", true)] };
    Object.assign(history, { back: { ...newcomer, items: [...newcomer.items, came("evt_5")] } });
    expect(faultsOf(history)).toStrictEqual([]);
    Object.assign(history, { back: { ...newcomer, items: [said(5, "An"), said(9, "two.", true), came("evt_5")] } });
    expect(faultsOf(history)).toContainEqual(expect.stringMatching(/^lost: .* evt_2 /));
  });

  it("R17: owes other text in place of what a kill took back, and does not hold that against the place", () => {
    const history = right();
    const { published, first, back } = history;
    published.splice(0, 5, ...PUBLISHED.slice(0, 3).map((event) => ({ ...event, isVoid: true })));
    published.push(tool("evt_6", 11), text("evt_7", 12, 0, "Two.", true));
    Object.assign(first, { until: 3 });
    Object.assign(back, { resumed: "gap", head: 10 });
    back.items.splice(0, 7, place(1), came("evt_6"), place(11), said(0, "Two.", true), place(12));
    expect(faultsOf(history)).toStrictEqual([]);
    back.items.splice(3, 1);
    expect(faultsOf(history)).toStrictEqual([expect.stringMatching(/^lost: .* evt_7 /)]);
  });

  it("R17: reads no cursor that names outputs", () => {
    const history = right();
    history.back.items.splice(0, 1, { kind: "place", cursor: `${cursor(1)}.${"0".repeat(16)}-5-1` });
    expect(() => faultsOf(history)).toThrow(/is no cursor/);
  });

  it("R27: takes one gap for all sessions", () => {
    const history = right();
    history.published.push({ ...tool("evt_6", 6), sessionId: "sess_2" });
    history.back.items.splice(4, 2, gap(3));
    expect(faultsOf(history)).toStrictEqual([]);
  });
});
