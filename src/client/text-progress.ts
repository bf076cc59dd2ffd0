// How far the text of one output was received. A crash of the daemon may void text after the last place, and other text may then stand there.
// Therefore recent text is remembered, and a repeat is recognised by its characters (R17).

export interface TextProgress {
  /** Takes characters at a position. Returns how many of them, counted from the first, were received before. */
  readonly take: (characters: readonly string[], position: number) => number;
  /** Whether the output is reported complete for the first time. */
  readonly completes: (isComplete: boolean) => boolean;
  /** Reports that a place covers all text so far: repeats of it are recognised by position alone. */
  readonly keep: () => void;
}

/** Fewest characters of an output that are remembered; at most twice as many are. */
const REMEMBERED_CHARACTERS = 16_384;

export function createTextProgress(): TextProgress {
  let end = 0;
  let isOver = false;
  // The characters directly before `end`.
  let recent: string[] = [];

  /** The first position, from `position` on, at which other text stands now; the end of the known text if there is none. */
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
      // Text behind the first difference was void.
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
