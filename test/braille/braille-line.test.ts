// The line of a braille display: what was shown stays, and nothing is lost, whatever comes and whatever is pressed.
import { describe, expect, it } from "vitest";
import { BrailleLine, type Move, OWN_MARK } from "../../src/braille/braille-line.js";
import type { Part, Speech } from "../../src/speak/speech.js";
import { createChance } from "../support/chance.js";

const MOVES: readonly Move[] = ["left", "right", "before", "next", "first", "last", "new"];

function part(text: string, isOwn = false): Part {
  return { text, language: "en", isOwn };
}

function speech(text: string, more: Partial<Speech> = {}): Speech {
  return { source: "test", rank: "text", parts: [part(text)], ...more };
}

function lineOf(cells: number, ...texts: readonly string[]): BrailleLine {
  const line = new BrailleLine(cells);
  for (const text of texts) line.add(speech(text));
  return line;
}

/** The rows from here to the end, as far as none is like the one before. */
function rowsFrom(line: BrailleLine, isLast = (row: string, before: string) => row === before): readonly string[] {
  const rows = [line.show()];
  for (;;) {
    line.move("right");
    const row = line.show();
    if (isLast(row, rows.at(-1) ?? "")) return rows;
    rows.push(row);
  }
}

describe("the line", () => {
  it("shows no text that is blank, and one of which a part is", () => {
    const line = lineOf(20, " ", "\n");
    line.add(speech("Go.", { opening: part(" ", true) }));
    line.move("last");
    expect(line.show()).toBe(" Go.                ");
  });

  it("shows a text row by row, cut at blanks, with the count of unread texts at the end", () => {
    const line = lineOf(20, "The books are sorted by their colour.", "Done.");
    expect(line.show()).toBe(`${OWN_MARK}aaepd begins      2`);
    line.move("new");
    expect(rowsFrom(line)).toEqual([
      " The books are     1",
      " sorted by their   1",
      " colour.           1",
      " Done.              ",
    ]);
  });

  it("marks the daemon's own words, which never share a row with an agent's, and an open question in the count", () => {
    const line = lineOf(24, "Wait.");
    line.add(
      speech("", {
        rank: "critical",
        opening: part("Ann asks.", true),
        parts: [part("⡇ Go"), part("on?"), part("1 or 2.", true)],
      }),
    );
    line.move("new");
    expect(rowsFrom(line)).toEqual([
      " Wait.                !1",
      `${OWN_MARK}Ann asks.              `,
      " ⡇ Go on?               ",
      `${OWN_MARK}1 or 2.                `,
    ]);
  });

  it("goes back through what was read, and on to what is new", () => {
    const line = lineOf(40, "One.", "Two.", "Three.");
    const at = (move: Move): string => {
      line.move(move);
      return line.show().slice(1, -3).trim();
    };
    expect(
      ["next", "before", "new", "left", "new", "new", "first", "last", "new"].map((move) => at(move as Move)),
    ).toEqual([
      "One.",
      "aaepd begins here.",
      "Two.",
      "One.",
      "Three.",
      "Three.",
      "aaepd begins here.",
      "Three.",
      "Three.",
    ]);
  });

  it("an answer to a key is shown at once, and the texts before it stay unread", () => {
    const line = lineOf(20, "One.");
    line.answer(speech("Paused."));
    expect(line.show()).toBe(" Paused.           1");
    line.move("new");
    expect(line.show()).toBe(" One.               ");
  });

  it("keeps its place in a text when the display has another size", () => {
    const line = lineOf(12, "alpha beta gamma delta");
    line.move("new");
    line.move("right");
    line.move("right");
    expect(line.show()).toBe(" gamma      ");
    line.resize(20);
    expect(line.show()).toBe(" alpha beta gamma   ");
    line.resize(80);
    expect(line.show().trim()).toBe("alpha beta gamma delta");
  });

  it("a word that is longer than a row goes on in the next; control characters are blanks; blank texts are none", () => {
    const line = lineOf(12, "  \n ", "Donaudampfschiff\n\nA\tB\u0007C\r\n😀😀");
    line.move("new");
    expect(rowsFrom(line).map((row) => row.slice(1).trim())).toEqual(["Donaudam", "pfschiff", "A B C", "😀😀"]);
  });

  it("of very many unread texts the oldest are left out, which their place tells, and never the one that is read", () => {
    const line = lineOf(60, "Read before.", "The first.");
    for (const _ of [1, 2]) {
      line.move("new");
      line.show();
    }
    for (let number = 0; number < 1200; number += 1) line.add(speech(`Text ${number}.`));
    expect(line.show()).toBe(` The first.${" ".repeat(46)} 99`);
    line.move("before");
    expect(line.show()).toContain("Unread texts that were left out here: 202.");
    line.move("next");
    line.move("next");
    expect(line.show()).toContain("Text 202.");
  });

  it("keeps a text of any length whole", () => {
    const line = lineOf(80, "x".repeat(5_000_000), "After it.");
    line.move("last");
    expect(line.show()).toContain("After it.");
  });
});

it.each([1, 2, 3, 4, 5, 6, 7, 8])("a walk loses nothing and overwrites nothing (seed %i)", (seed) => {
  const chance = createChance(seed);
  let cells = chance.between(12, 80);
  const line = new BrailleLine(cells);
  const told: { readonly text: string; begun: number; said: number }[] = [];
  for (let step = 0; step < 600; step += 1) {
    const before = line.show();
    if (chance.isLikely(0.3)) {
      const words = Array.from({ length: chance.between(1, 30) }, () =>
        chance.pick(["a", "go", "😀", "über", "x".repeat(90), "\n"]),
      );
      const entry = { text: words.join(" "), begun: 0, said: 0 };
      if (entry.text.trim() === "") continue;
      told.push(entry);
      line.add(speech(entry.text, { onBegun: () => void entry.begun++, onSaid: () => void entry.said++ }));
      // It stays until the person moves on, apart from the count.
      expect([...line.show()].slice(0, -3)).toEqual([...before].slice(0, -3));
    } else if (chance.isLikely(0.1)) {
      cells = chance.between(12, 80);
      line.resize(cells);
    } else line.move(chance.pick(MOVES));
    const row = line.show();
    const unread = told.filter(({ begun }) => begun === 0).length;
    expect([...row]).toHaveLength(cells);
    expect([...row].slice(-3).join("")).toBe(unread === 0 ? "   " : ` ${String(Math.min(unread, 99)).padStart(2)}`);
    expect(told.every(({ begun, said }) => said <= begun && begun <= 1)).toBe(true);
  }
  line.add(speech("The end."));
  line.move("first");
  const rows = rowsFrom(line, (row) => row.includes("The end.")).map((row) => [...row].slice(1, -3).join(""));
  const bare = (text: string): string => text.replaceAll(/\s/g, "");
  expect(bare(rows.join(""))).toContain(bare(told.map(({ text }) => text).join("")));
  expect(told.every(({ begun, said }) => begun === 1 && said === 1)).toBe(true);
});
