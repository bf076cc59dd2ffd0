// Chapter 5: the boundaries of streamed text. Texts may be cut in scripts with spaces and without.
import { fail, skip } from "../../findings/finding.js";
import { type Arrived, evidenceOf } from "../../wire/conversation.js";
import { wordsOf } from "../../wire/message-text.js";
import { isTerminal } from "../hearing.js";
import { type ActiveCase, active, recommended } from "../producer-case.js";
import { heardBy, textOf } from "../session-on.js";
import { isType, type ProducerStage } from "../stage.js";

/** The units of text, as boundaries name them (AAEP §5.3.1.6). */
export type TextUnit = "word" | "sentence" | "paragraph";

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Scripts whose sentences may end without a mark, by a space alone. */
const UNMARKED = /[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const CLOSING = /[\p{Pe}\p{Pf}"']/u;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/**
 * Whether a cut between two pieces of one text is surely within a unit. Producers find the ends of sentences by different rules, so a cut behind
 * anything but a letter, a digit or a comma passes.
 */
export function cutsWithin(unit: TextUnit, before: string, after: string): boolean {
  if (before === "" || after === "") return false;
  const [first = ""] = after;
  // A mark belongs to the letter before it, in every unit.
  if (/[\p{M}\u200d]/u.test(first)) return true;
  const characters = [...before.trimEnd()];
  const space = before.slice(before.trimEnd().length) + after.slice(0, after.length - after.trimStart().length);
  if (unit === "paragraph") return !space.includes("\n");
  if (unit === "word")
    return space === "" && LETTER.test(characters.at(-1) ?? "") && LETTER.test(first) && !UNSPACED.test(first);
  while (CLOSING.test(characters.at(-1) ?? "")) characters.pop();
  const last = characters.at(-1) ?? "";
  const isPhrase = space !== "" && UNMARKED.test(last);
  return (LETTER.test(last) || /[,;،、]/u.test(last)) && !space.includes("\n") && !isPhrase;
}

/** Boundaries, the weakest first. Text that ends on a stronger one ends on the weaker ones too. */
const RANKS: readonly string[] = ["none", "word", "sentence", "paragraph", "completion"];
const UNITS: readonly TextUnit[] = ["word", "sentence", "paragraph"];

/** The scenario "text", as subscriptions with these boundaries hear it. */
async function heardWith(stage: ProducerStage, wishes: readonly (readonly string[])[]) {
  const heard = await heardBy(
    stage,
    "text",
    wishes.map((coalesce_boundaries) => ({ coalesce_boundaries })),
  );
  if (heard.some(({ events }) => !isTerminal(events.at(-1)?.message ?? {}))) skip("The session did not end.");
  return heard.map(({ listener, events }) => ({
    listener,
    chunks: events.filter(({ message }) => isType(message, "output.streaming")),
  }));
}

/** The chunks that end within a unit of their text, by the output and the place where they do. */
function cutsOf(unit: TextUnit, chunks: readonly Arrived[]): ReadonlyMap<string, Arrived> {
  const outputs = [...new Set(chunks.map(({ message }) => message.output_id))];
  return new Map(
    chunks.flatMap((one) => {
      const { output_id: output, position, chunk } = one.message;
      const next = chunks.find(({ place, message }) => place > one.place && message.output_id === output);
      if (next === undefined || !cutsWithin(unit, wordsOf(chunk), wordsOf(next.message.chunk))) return [];
      return [[`${outputs.indexOf(output)} ${Number(wordsOf(position)) + [...wordsOf(chunk)].length}`, one]];
    }),
  );
}

/** A text that comes slowly may be let go of before its boundary, and seldom at one place each time. */
const TRIES = 3;

export const BOUNDARY_CASES: readonly ActiveCase[] = [
  active(
    "P3-text-whole",
    "The chunks of an output, joined, are its text, whatever the boundaries.",
    ["AAEP §5.6.3", "AAEP §4.3.3", "AAEP §8.2.4"],
    async (stage) => {
      const wishes = [["none"], ["completion"], ...UNITS.map((unit) => [unit, "completion"])];
      const texts = (await heardWith(stage, wishes)).map(({ chunks }) => textOf(chunks));
      if (texts.every((text) => text === "")) skip("No text came.");
      if (new Set(texts).size > 1)
        fail(
          "Each subscription gets the same text.",
          "The texts differ.",
          texts.map((text, index) => ({ note: `boundaries ${wishes[index]?.join()}`, text })),
        );
    },
  ),
  recommended(
    // §4.3.3 lets a producer leave the merging to the subscriber, and §9.5.1 does not.
    "P3-boundary-sentence",
    "A subscriber of words, sentences or paragraphs does not get pieces of them, in any script.",
    ["AAEP §5.3.1.6", "AAEP §5.6.3", "AAEP §9.5.1"],
    async (stage) => {
      const wishes = UNITS.map((unit) => [unit, "completion"]);
      const cuts = new Map<TextUnit, ReadonlyMap<string, Arrived>>();
      for (let tries = 0; tries < TRIES; tries += 1) {
        for (const [index, { listener, chunks }] of (await heardWith(stage, wishes)).entries()) {
          const unit = UNITS[index] ?? "sentence";
          const { coalesce_boundaries: honored } = listener.honored;
          if (chunks.length === 0 || (Array.isArray(honored) && !honored.includes(unit))) continue;
          const found = cutsOf(unit, chunks);
          cuts.set(unit, new Map([...(cuts.get(unit) ?? found)].filter(([place]) => found.has(place))));
          const hinted = chunks.find(
            ({ message: { coalesce_hint: hint } }) =>
              hint !== undefined && RANKS.indexOf(wordsOf(hint)) < RANKS.indexOf(unit),
          );
          if (hinted !== undefined)
            fail("The hint of each chunk is no weaker than the honored boundaries.", "One is.", [evidenceOf(hinted)]);
        }
        if ([...cuts.values()].every(({ size }) => size === 0)) break;
      }
      for (const [unit, found] of cuts)
        for (const cut of found.values())
          fail(`No chunk ends within a ${unit}.`, "One does, each time that the text is shown.", [evidenceOf(cut)]);
      if (cuts.size === 0) skip("No text came, or the producer honors none of these boundaries.");
    },
  ),
  recommended(
    "P3-boundary-completion",
    "A subscriber of completions gets each output once, when it is complete.",
    ["AAEP §5.3.1.6"],
    async (stage) => {
      const [heard] = await heardWith(stage, [["completion"]]);
      if (heard === undefined || heard.chunks.length === 0) skip("No text came.");
      const open = heard.chunks.find(({ message }) => message.complete !== true);
      if (open !== undefined) fail("Every chunk completes its output.", "One does not.", [evidenceOf(open)]);
    },
  ),
];
