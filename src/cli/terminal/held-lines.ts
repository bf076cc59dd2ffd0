/** Lines that are shown later, so that nobody is talked over. */
export interface HeldLines {
  /** A function is asked when it is shown, for what is true only now; undefined is nothing to show. */
  readonly add: (line: string | (() => string | undefined)) => void;
  /** What was held, in order; it is held no more. Where there was too much, the first line says how much is missing. */
  readonly take: () => readonly string[];
}

/** `maxCount`: of more lines the oldest are dropped, and counted. */
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
