// R10: inside a fenced code block text is cut at line ends only, also for those who begin to read in the middle of one.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Journal } from "../../../src/contracts/journal.js";
import type { AgentEvent, NewEvent } from "../../../src/engine/event/event.js";
import { createJournalRing } from "../../../src/engine/journal/journal-ring.js";
import { CodeBlocks } from "../../../src/engine/views/code-blocks.js";
import { createEngineRig, type Listener, session, textOf } from "../../support/rigs/engine-rig.js";

const { started, chunk } = session();

const CODE = Array.from({ length: 60 }, (_, line) => `x = ${line}. Then y. And z\n`);

function chunkEvent(index: number, position: number, text: string, outputId: string): NewEvent {
  const event: AgentEvent = {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:agent.output.streaming",
    event_id: `evt_${index}`,
    session_id: "sess_1",
    timestamp: "2026-05-24T14:00:00Z",
    producer: { agent_id: "planner" },
    output_id: outputId,
    position,
    chunk: text,
    complete: false,
  };
  return { event, kind: "output.streaming", source: undefined, at: 0, ordinal: index + 1, made: undefined };
}

/** The mark of the block that is open after a text, told line by line. */
function openMark(text: string): string | undefined {
  let mark: string | undefined;
  const lines = text.split("\n");
  for (const [index, line] of lines.entries()) {
    const isWhole = index < lines.length - 1;
    const found = /^ *(`{3,}|~{3,})([^`]*)$/.exec(line);
    if (mark === undefined) mark = isWhole || /\s/.test(found?.[2] ?? "") ? found?.[1] : undefined;
    else if (isWhole && found?.[1]?.startsWith(mark) === true && found[2]?.trim() === "") mark = undefined;
  }
  return mark;
}

describe("R10: whether a chunk begins in a code block", () => {
  it("is found out of the journal, wherever chunks end, in any order of asking", () => {
    const line = fc.constantFrom(
      "```\n",
      "```js\n",
      "~~~~\n",
      "~~~\n",
      "prose. More\n",
      "\n",
      "  - item\n",
      "a `tick`\n",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.array(fc.nat({ max: 120 })), fc.nat(), (lines, cuts, first) => {
        const text = lines.join("");
        const places = [...new Set([0, ...cuts.filter((cut) => cut < text.length)])].sort((a, b) => a - b);
        const journal = createJournalRing({ id: "c".repeat(32), firstEpoch: 1 });
        const entries = places.map((place, index) => {
          journal.append([chunkEvent(1000 + index, 0, "```\nof another output\n", `other_${index}`)]);
          const [entry] = journal.append([
            chunkEvent(index, place, text.slice(place, places[index + 1] ?? text.length), "out_1"),
          ]).events;
          if (entry === undefined) throw new Error("not journaled");
          return entry;
        });
        const blocks = new CodeBlocks(journal);
        const order = entries.map((_, index) => entries[(index + first) % entries.length]);
        for (const entry of order) {
          if (entry === undefined) continue;
          const before = text.slice(0, Number(entry.event.position));
          // In the middle of an opening line nobody can say yet that it is one.
          const lineBegun = before.slice(before.lastIndexOf("\n") + 1);
          if (/^ *[`~]/.test(lineBegun)) continue;
          const mark = openMark(before);
          const expected = mark === undefined ? "" : `${mark}\n${lineBegun === "" ? "" : "."}`;
          expect(blocks.openingOf(entry)).toBe(expected);
        }
      }),
    );
  });
});

describe("R10: what it costs to find whether a chunk begins in a code block", () => {
  /** A journal that counts how often the event of each epoch is read. */
  const counted = (journal: Journal) => {
    const reads = new Map<number, number>();
    const at: Journal["at"] = (epoch, only) => {
      const entry = journal.at(epoch, only);
      if (entry !== undefined) reads.set(epoch, (reads.get(epoch) ?? 0) + 1);
      return entry;
    };
    return { reads, journal: { ...journal, at } };
  };
  const mostReads = (reads: ReadonlyMap<number, number>) => Math.max(0, ...reads.values());

  it("each chunk of the output is read once, whatever object asks, and no event of another", () => {
    const { journal, reads } = counted(createJournalRing({ id: "c".repeat(32), firstEpoch: 1 }));
    const ids: string[] = [];
    const others: number[] = [];
    for (let index = 0; index < 2000; index += 1) {
      const own = chunkEvent(index, index * 4, index === 0 ? "```\n" : "a b\n", "out_1");
      const apart = chunkEvent(10_000 + index, index * 4, "```\n", index % 2 === 0 ? "out_2" : "");
      const elsewhere = { ...own, event: { ...own.event, event_id: `evt_else_${index}`, session_id: "sess_2" } };
      const [, other, third] = journal.append([own, apart, elsewhere]).events;
      ids.push(own.event.event_id);
      others.push(other?.epoch ?? 0, third?.epoch ?? 0);
    }
    const blocks = new CodeBlocks(journal);
    for (const index of [1000, 1999, 1999, 5, 1500, 1998, 1999]) {
      const entry = journal.find(String(ids[index]));
      if (entry === undefined) throw new Error("not journaled");
      expect(blocks.openingOf(entry)).toBe("```\n");
    }
    expect(reads.size).toBe(1999);
    expect(mostReads(reads)).toBe(1);
    for (const epoch of others) expect(reads.has(epoch)).toBe(false);
  });
});

describe("R10: who begins in the middle of a code block", () => {
  const pieces = ({ received }: Listener) =>
    received.flatMap(({ event }) => (typeof event.chunk === "string" ? [event.chunk] : []));
  const expectLines = (listener: Listener): void => {
    const cut = pieces(listener).slice(0, -1);
    expect(cut.length).toBeGreaterThan(5);
    for (const piece of cut) expect(piece).toMatch(/\n$/);
  };

  it("gets whole lines after new terms", () => {
    const rig = createEngineRig();
    const reader = rig.listen({ maxChars: 200 });
    rig.publish(started(), chunk("```\n"));
    for (const [index, line] of CODE.entries()) {
      rig.publish(chunk(line.slice(0, 9)), chunk(line.slice(9)));
      if (index === 30) reader.subscription.retune({ ...reader.subscription.terms, maxChars: 80 });
      rig.clock.settle();
    }
    rig.publish(chunk("```\n", true));
    rig.advance(1000);
    expect(textOf(reader.received, "out_1")).toBe(`\`\`\`\n${CODE.join("")}\`\`\`\n`);
    expectLines(reader);
  });
});
