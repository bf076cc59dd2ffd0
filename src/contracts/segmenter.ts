/**
 * Cuts text by the rules of its language. Stateless: equal arguments give equal answers.
 * All offsets are UTF-16 units from the start of `text`. The answers are the ends of the pieces, ascending; the last one is `text.length`.
 */
export interface Segmenter {
  /** Ends of sentences (R10). `language` is an RFC 5646 tag. */
  readonly sentenceEnds: (text: string, language: string) => readonly number[];
  /** Ends of words and of the pieces between words, as `Intl.Segmenter` returns them with granularity "word". */
  readonly wordEnds: (text: string, language: string) => readonly number[];
  /** Ends of grapheme clusters. */
  readonly clusterEnds: (text: string) => readonly number[];
}
