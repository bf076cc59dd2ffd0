// The screen of the demo: the events that the chosen listeners hear, behind the names of the listeners. A printed line is final: the cursor never
// moves.
import type { Envelope } from "#gen/aaep/types.js";
import { termsInWords } from "../shell/capability-options.js";
import { createReadText } from "../terminal/agent-text.js";
import { counted } from "../terminal/amounts.js";
import { colorsFor } from "../terminal/colors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { eventText } from "../terminal/event-text.js";
import { wrapText } from "../terminal/wrap-text.js";
import { demoListeners, Got, type Seat } from "./demo-listeners.js";

interface DemoScreenOptions {
  readonly io: CommandIo;
  readonly write: (line: string) => Promise<void> | undefined;
  /** The language of the session. */
  readonly language: string;
  /** Names of the listeners to show. Undefined: all. */
  readonly only: readonly string[] | undefined;
}

/**
 * Makes lines such as "3.2 s, Screen reader: text: A sentence.", without the name of an only listener. Pieces are counted and not shown: read aloud,
 * each would interrupt the lines of the others.
 */
export function createDemoScreen({ io, write, language, only }: DemoScreenOptions) {
  const { clock } = io;
  const colors = colorsFor(io);
  const listeners = demoListeners(language);
  const seats = listeners.map((listener): Seat => ({ listener, got: new Got(), accepted: undefined }));
  const chosen = listeners.filter(({ name }) => only?.includes(name) ?? true);
  const shown = seats.filter(({ listener }) => chosen.includes(listener));
  const readers = new Map(
    chosen.map((one) => [one, createReadText(one.lineCells === undefined ? "speech" : "braille", {})]),
  );
  /** Text that came in pieces, and to whom, since the last line of that listener. */
  let pieces = { seat: shown[0], count: 0 };
  let startedAt = clock.now();
  const elapsedMs = () => clock.now() - startedAt;

  function print(lines: readonly string[]): void {
    for (const line of lines) void write(line);
  }

  function say(seat: Seat | undefined, text: string): void {
    const name = shown.length === 1 ? "" : `${colors.cyan(seat?.listener.name ?? "")}: `;
    print([`${(elapsedMs() / 1000).toFixed(1)} s, ${name}${text}`]);
  }

  function sayPieces(): void {
    if (pieces.count > 0) say(pieces.seat, `text in ${counted(pieces.count, "piece")}`);
    pieces = { ...pieces, count: 0 };
  }

  return {
    /** All listeners: the session is the same whichever are shown. */
    seats,
    shown,
    print,
    /** Prints a title and the terms that were granted. The times of what follows count from now. */
    begin: (title: readonly string[]): void => {
      const terms = shown.map(
        ({ listener, accepted }) => `${listener.name}: ${termsInWords(accepted?.honored_capabilities ?? {})}`,
      );
      print([...title, "", ...terms, ""]);
      startedAt = clock.now();
    },
    /** Time since `begin`, ms. */
    elapsedMs,
    showEvent: (seat: Seat, event: Envelope): void => {
      const { getsPieces: quotesText, lineCells } = seat.listener;
      const read = readers.get(seat.listener);
      const { what, text, isCritical } = eventText(event, { quotesText, ...(read && { read }) });
      if (!shown.includes(seat) || (what === "text" && text === "")) return;
      if (quotesText && what === "text") {
        pieces = { seat, count: pieces.count + 1 };
        return;
      }
      for (const line of lineCells === undefined || what !== "text" ? [text] : wrapText(text, lineCells)) {
        if (seat === pieces.seat) sayPieces();
        const told = line === "" ? what : `${what}: ${line}`;
        say(seat, isCritical ? colors.bold(colors.red(`critical ${told}`)) : told);
      }
    },
    /** Shows an answer that was given for the person of a seat. */
    showAnswer: (seat: Seat | undefined, text: string): void => {
      if (seat !== undefined && shown.includes(seat)) say(seat, `answer: ${text}`);
    },
    /** Prints what is still held back, and these lines. */
    end: (lines: readonly string[]): void => {
      sayPieces();
      print(lines);
    },
  };
}
