// Joins the sentences about several mistakes into one text (R20).
import { MOST_FAULTS } from "../../../base/schema/schema-faults.js";
import { shortenedText } from "../../../engine/text/shortened-text.js";

/** Separates the first mistake from the others in the sentence of a fault. */
const ALSO = " Also: ";
/** Most mistakes named one by one; the rest are counted, so that an answer does not grow with the mistakes. */
const MAX_TOLD = 8;
const LONGEST_FURTHER = 400;

/**
 * Joins all mistakes into one text, so that the reader can correct them at once (R20): the first in full, then the others cut to 400 characters each,
 * at most eight in all, and the number of the rest. Only the sentences in the result are made.
 */
export function severalSentences(sentences: readonly (() => string)[]): string {
  const [first = "", ...further] = sentences.slice(0, MAX_TOLD).map((sentence) => sentence());
  const leftCount = sentences.length - MAX_TOLD;
  const others = further.map((sentence) => shortenedText(sentence, LONGEST_FURTHER));
  // The search for more ended there.
  const atLeast = sentences.length < MOST_FAULTS ? "" : "At least ";
  if (leftCount > 0) others.push(`${atLeast}${leftCount} more ${leftCount === 1 ? "place is" : "places are"} wrong.`);
  return others.length === 0 ? first : `${first}${ALSO}${others.join(" ")}`;
}
