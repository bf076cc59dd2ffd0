/**
 * Cuts text the way its language does. Stateless: equal arguments give equal answers.
 * All offsets are UTF-16 units from the start of `text`; the answers are the ends of the pieces, ascending, the last one `text.length`.
 */
export interface Segmenter {
  /** Ends of sentences (R10). `language` is an RFC 5646 tag. */
  readonly sentenceEnds: (text: string, language: string) => readonly number[];
  /** Ends of word-like runs and what is between them, as `Intl.Segmenter` with granularity "word" gives them. */
  readonly wordEnds: (text: string, language: string) => readonly number[];
  /** Ends of grapheme clusters. */
  readonly clusterEnds: (text: string) => readonly number[];
}
