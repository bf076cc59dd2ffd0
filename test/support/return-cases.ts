// R12: what comes over the connections of one listener, and what of it is news. The same for every client that comes back, whatever its language.

/** Text of the case's output, at a position. */
interface TextCame {
  readonly text: string;
  readonly at: number;
  readonly complete?: true;
  /** Default: another one for each text. */
  readonly id?: string;
}

/** Another event, or a question. */
export type Came = TextCame | { readonly event: string } | { readonly question: string };

export interface ReturnCase {
  readonly name: string;
  /** In the order of the connections. */
  readonly came: readonly (readonly Came[])[];
  readonly news: readonly Came[];
}

const text = (words: string, at: number, complete?: true): TextCame => ({
  text: words,
  at,
  ...(complete && { complete }),
});
const event = (id: string): Came => ({ event: id });
const question = (id: string): Came => ({ question: id });

export const RETURN_CASES: readonly ReturnCase[] = [
  {
    name: "an event by its id",
    came: [[event("a")], [event("a"), event("b")], [event("b"), event("a"), event("c")]],
    news: [event("a"), event("b"), event("c")],
  },
  {
    name: "a question that comes again is open",
    came: [[question("a")], [event("b"), question("a")]],
    news: [question("a"), event("b"), question("a")],
  },
  {
    name: "text that is merged now",
    came: [
      [text("One. ", 0), text("Two. ", 5)],
      [text("One. Two. ", 0), text("Three.", 10)],
    ],
    news: [text("One. ", 0), text("Two. ", 5), text("Three.", 10)],
  },
  {
    name: "text that is cut into smaller pieces now",
    came: [[text("One. Two. ", 0)], [text("One", 0), text(". T", 3), text("wo. Th", 6), text("ree.", 12)]],
    news: [text("One. Two. ", 0), text("Th", 10), text("ree.", 12)],
  },
  {
    name: "an overlap that begins before what was heard last, and ends behind it",
    came: [[text("One. ", 0), text("Two. ", 5)], [text("ne. Two. Three.", 1, true)]],
    news: [text("One. ", 0), text("Two. ", 5), text("Three.", 10, true)],
  },
  {
    name: "text of which the rest came on another connection",
    came: [[text("One. ", 0)], [text("One. Two. ", 0)], [text("Two. Three. ", 5)], [text("One. Two. Three. ", 0)]],
    news: [text("One. ", 0), text("Two. ", 5), text("Three. ", 10)],
  },
  {
    name: "text of other planes, whose positions are code points (R13)",
    came: [[text("🙂é🙂", 0)], [text("🙂!", 2)]],
    news: [text("🙂é🙂", 0), text("!", 3)],
  },
  {
    name: "a completion that was not heard with the text",
    came: [[text("All", 0)], [text("All", 0, true)], [text("All", 0, true), text("", 3, true)]],
    news: [text("All", 0), text("", 3, true)],
  },
  {
    name: "a completion that was heard",
    came: [[text("All", 0, true)], [text("ll", 1, true), text("", 3, true)]],
    news: [text("All", 0, true)],
  },
  {
    name: "other text in the place of text that a crash took back",
    came: [[text("One two three", 0)], [text("One two four", 0), text(" five", 12)]],
    news: [text("One two three", 0), text("four", 8), text(" five", 12)],
  },
  {
    name: "other text under the same id, as merged text has it",
    came: [[{ ...text("One two", 0), id: "same" }], [{ ...text("One, so", 0), id: "same" }]],
    news: [text("One two", 0), text(", so", 3)],
  },
  {
    name: "text behind other text that came in the place of text",
    came: [[text("One two three", 0)], [text("six", 4)], [text("One six three", 0)]],
    news: [text("One two three", 0), text("six", 4), text(" three", 7)],
  },
  {
    name: "text behind a completion that a crash took back",
    came: [[text("One.", 0, true)], [text("One. Two.", 0, true)]],
    news: [text("One.", 0, true), text(" Two.", 4, true)],
  },
  {
    name: "a completion before text that a crash took back",
    came: [[text("One two", 0, true)], [text("One", 0, true)], [text("One", 0, true)]],
    news: [text("One two", 0, true), text("", 3, true)],
  },
  {
    name: "text behind a gap",
    came: [[text("One. ", 0)], [text("Nine. ", 40)], [text("Nine. Ten.", 40)]],
    news: [text("One. ", 0), text("Nine. ", 40), text("Ten.", 46)],
  },
];
