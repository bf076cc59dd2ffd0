// Layout of the demo: three columns side by side, or labelled lines. A printed row is final: the cursor never moves.
import type { Colors } from "picocolors/types.js";
import { counted } from "../terminal/counted.js";
import { columnsOf, padText, wrapText } from "../terminal/shown-text.js";

export interface DemoEntry {
  /** Index of the listener, from 0. */
  readonly listener: number;
  readonly what: string;
  readonly text: string;
  readonly isCritical: boolean;
  /** Whether the text is one of many small pieces. Columns put adjacent pieces into one line; plain lines count them. */
  readonly isPiece: boolean;
}

export interface DemoView {
  /** Lines to begin with; `terms` has one entry for each listener. */
  readonly heading: (terms: readonly string[]) => readonly string[];
  /** Lines to print now. Pieces are held back until a line is full, or until another entry comes. */
  readonly show: (entry: DemoEntry, seconds: number) => readonly string[];
  /** Lines for the pieces held back. */
  readonly flush: (seconds: number) => readonly string[];
}

/** Fewest terminal columns in which three columns are readable. */
export const LEAST_COLUMNS = 96;
const TIME_COLUMNS = 7;
const GAP = "  ";
const PIECE_MARK = "|";

/** Pieces of one listener that are not shown yet. */
interface Pieces {
  listener: number;
  texts: string[];
}

function timeText(seconds: number): string {
  return `${seconds.toFixed(1).padStart(TIME_COLUMNS - 2)} s`;
}

function piecesText({ texts }: Pieces): string {
  return `text: ${texts.join(PIECE_MARK)}`;
}

function entryText({ what, text, isCritical }: DemoEntry): string {
  return `${isCritical ? "critical " : ""}${what}${text === "" ? "" : `: ${text}`}`;
}

export function createColumnsView(names: readonly string[], terminalColumns: number, colors: Colors): DemoView {
  const width = Math.floor((terminalColumns - TIME_COLUMNS - GAP.length * names.length - 1) / names.length);
  const pieces: Pieces = { listener: -1, texts: [] };

  /** One row of cells, as high as its highest cell. */
  function row(time: string, cells: readonly string[], paint: (text: string, listener: number) => string): string[] {
    const wrapped = cells.map((cell) => (cell === "" ? [] : wrapText(cell, width)));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const shown = wrapped.map((lines, listener) => {
        const text = lines[line] ?? "";
        return (text === "" ? "" : paint(text, listener)) + padText("", width - columnsOf(text));
      });
      return [padText(line === 0 ? time : "", TIME_COLUMNS), ...shown].join(GAP).trimEnd();
    });
  }

  function takePieces(cells: string[]): void {
    if (pieces.texts.length === 0) return;
    cells[pieces.listener] = piecesText(pieces);
    pieces.texts = [];
  }

  const emptyCells = () => names.map(() => "");

  function flush(seconds: number): readonly string[] {
    const cells = emptyCells();
    takePieces(cells);
    return cells.every((cell) => cell === "") ? [] : row(timeText(seconds), cells, colors.dim);
  }

  return {
    heading: (terms) => [...row("", names, (text) => colors.bold(text)), ...row("", terms, colors.dim), ""],
    show: (entry, seconds) => {
      if (entry.isPiece) {
        pieces.listener = entry.listener;
        const isFull = columnsOf(piecesText(pieces)) + 1 + columnsOf(entry.text) > width;
        const lines = isFull ? flush(seconds) : [];
        pieces.texts.push(entry.text);
        return lines;
      }
      const before = pieces.listener === entry.listener ? flush(seconds) : [];
      const cells = emptyCells();
      takePieces(cells);
      cells[entry.listener] = entryText(entry);
      const lines = row(timeText(seconds), cells, (text, listener) => {
        if (listener !== entry.listener) return colors.dim(text);
        return entry.isCritical ? colors.bold(colors.red(text)) : text;
      });
      return [...before, ...lines];
    },
    flush,
  };
}

/**
 * Makes lines such as "3.2 s, Screen reader: text: A sentence.", without the name of an only listener. Pieces are counted and not shown: read aloud,
 * each would interrupt the lines of the others.
 */
export function createPlainView(names: readonly string[], colors: Colors): DemoView {
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
