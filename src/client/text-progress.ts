// How far the text of one output was received. Text that came after the last place may be void after a crash of the daemon, and other text may
// stand there; so that text is remembered, and a repeat is known by its characters (R17).

export interface TextProgress {
  /** Takes characters that stand at a position, and answers how many of them, from the first on, were received before. */
  readonly take: (characters: readonly string[], position: number) => number;
  /** Whether this is the first time that the output is said to be complete. */
  readonly completes: (isComplete: boolean) => boolean;
  /** All text so far is covered by a place: a repeat of it is known by its position alone. */
  readonly keep: () => void;
}

/** At least so many characters of an output are remembered, and at most twice as many. */
const REMEMBERED_CHARACTERS = 16_384;

export function createTextProgress(): TextProgress {
  let end = 0;
  let isOver = false;
  // The characters directly before the end.
  let recent: string[] = [];

  /** The first position, from `position` on, at which other text stands now; the end of the text where there is none. */
  const differsAt = (characters: readonly string[], position: number): number => {
    const recentStart = end - recent.length;
    const to = Math.min(end, position + characters.length);
    for (let at = Math.max(position, recentStart); at < to; at += 1)
      if (recent[at - recentStart] !== characters[at - position]) return at;
    return to;
  };

  return {
    take: (characters, position) => {
      const known = position >= end ? position : differsAt(characters, position);
      const repeatedCount = known - position;
      if (repeatedCount === characters.length) return repeatedCount;
      // Text beyond the first difference was void.
      if (known < end) {
        recent.length -= end - known;
        isOver = false;
      } else if (known > end) recent = [];
      for (let index = repeatedCount; index < characters.length; index += 1) recent.push(characters[index] ?? "");
      if (recent.length > 2 * REMEMBERED_CHARACTERS) recent = recent.slice(-REMEMBERED_CHARACTERS);
      end = position + characters.length;
      return repeatedCount;
    },
    completes: (isComplete) => {
      const isNews = isComplete && !isOver;
      isOver ||= isComplete;
      return isNews;
    },
    keep: () => {
      recent = [];
    },
  };
}
