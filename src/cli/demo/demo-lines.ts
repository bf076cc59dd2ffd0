// The lines of the demo. A printed line is final: the cursor never moves.
import type { Colors } from "picocolors/types.js";
import { counted } from "../terminal/counted.js";

export interface DemoEntry {
  /** Index of the listener, from 0. */
  readonly listener: number;
  readonly what: string;
  readonly text: string;
  readonly isCritical: boolean;
  /** Whether the text is one of many small pieces, which are counted. */
  readonly isPiece: boolean;
}

export interface DemoLines {
  /** Lines to begin with; `terms` has one entry for each listener. */
  readonly heading: (terms: readonly string[]) => readonly string[];
  /** Lines to print now. Pieces are held back until another entry of their listener comes. */
  readonly show: (entry: DemoEntry, seconds: number) => readonly string[];
  /** The line for the pieces held back. */
  readonly flush: (seconds: number) => readonly string[];
}

function entryText({ what, text, isCritical }: DemoEntry): string {
  return `${isCritical ? "critical " : ""}${what}${text === "" ? "" : `: ${text}`}`;
}

/**
 * Makes lines such as "3.2 s, Screen reader: text: A sentence.", without the name of an only listener. Pieces are counted and not shown: read aloud,
 * each would interrupt the lines of the others.
 */
export function createDemoLines(names: readonly string[], colors: Colors): DemoLines {
  let pieceCount = 0;
  let receiver = 0;

  function flush(seconds: number): readonly string[] {
    if (pieceCount === 0) return [];
    const text = `text in ${counted(pieceCount, "piece")}`;
    pieceCount = 0;
    return [line(receiver, text, seconds)];
  }

  function line(listener: number, text: string, seconds: number): string {
    const name = names.length === 1 ? "" : `${colors.cyan(names[listener] ?? "")}: `;
    return `${seconds.toFixed(1)} s, ${name}${text}`;
  }

  return {
    heading: (terms) => [...terms.map((term, listener) => `${names[listener]}: ${term}`), ""],
    show: (entry, seconds) => {
      if (entry.isPiece) {
        receiver = entry.listener;
        pieceCount += 1;
        return [];
      }
      const before = receiver === entry.listener ? flush(seconds) : [];
      const text = entryText(entry);
      return [...before, line(entry.listener, entry.isCritical ? colors.bold(colors.red(text)) : text, seconds)];
    },
    flush,
  };
}
