// A speech is a row of parts. Types only.

/** A stretch of a speech in one language. */
export interface Part {
  readonly text: string;
  /** Its words on a braille display. Default: `text`. */
  readonly braille?: string;
  readonly language: string;
  /** Whether the daemon says it, in place of an agent. */
  readonly isOwn: boolean;
}

export interface Speech {
  /** Speeches of one source are hushed and skipped together: those of an output, of a question. */
  readonly source: string;
  /**
   * `answer`: to a key, said before everything else. `critical`: questions and errors, said over text, and again until they were said whole.
   * `reading`: a text that a key reads, which those interrupt. `text`: in its turn. `passing`: progress, said into silence or dropped.
   */
  readonly rank: "answer" | "critical" | "reading" | "text" | "passing";
  /** Its source is an output, whose next sentences may follow later. */
  readonly isOutput?: boolean;
  /** A few words that begin a critical speech at once, also while others speak. */
  readonly opening?: Part;
  readonly parts: readonly Part[];
  /** Called when its first words are said, and when it was said to its end. Not called for a speech that is hushed, skipped or dropped before. */
  readonly onBegun?: () => void;
  readonly onSaid?: () => void;
}
