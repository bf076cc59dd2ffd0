/** Lines shown later, so that they do not interrupt. */
export interface HeldLines {
  /** Holds a line. A function is called when the line is shown, for text that is true only then; it returns undefined to show nothing. */
  readonly add: (line: string | (() => string | undefined)) => void;
  /** Returns the held lines in order and forgets them. If lines were dropped, the first line gives their number. */
  readonly take: () => readonly string[];
}

/** `maxCount`: most lines held; the oldest are dropped and counted. */
export function createHeldLines(maxCount: number): HeldLines {
  let lines: (string | (() => string | undefined))[] = [];
  let droppedCount = 0;
  return {
    add: (line) => {
      lines.push(line);
      if (lines.length <= maxCount) return;
      lines.shift();
      droppedCount += 1;
    },
    take: () => {
      const missing = droppedCount === 0 ? [] : [`(${droppedCount} earlier lines are not shown)`];
      const shown = lines.map((line) => (typeof line === "string" ? line : line()));
      const taken = [...missing, ...shown.filter((line) => line !== undefined)];
      lines = [];
      droppedCount = 0;
      return taken;
    },
  };
}
