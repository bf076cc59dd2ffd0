// The screen of the demo: the events that the chosen listeners hear, behind the names of the listeners.
import type { Envelope } from "#gen/aaep/types.js";
import { termsInWords } from "../shell/capability-options.js";
import { createReadText } from "../terminal/agent-text.js";
import { colorsFor } from "../terminal/colors.js";
import type { CommandIo } from "../terminal/command-io.js";
import { eventText } from "../terminal/event-text.js";
import { wrapText } from "../terminal/wrap-text.js";
import { createDemoLines, type DemoEntry } from "./demo-lines.js";
import { chosenListeners, demoListeners } from "./demo-listeners.js";
import { Got, type Seat } from "./demo-summary.js";

export interface DemoScreenOptions {
  readonly io: CommandIo;
  readonly write: (line: string) => Promise<void> | undefined;
  /** The language of the session. */
  readonly language: string;
  /** Names of the listeners to show. Undefined: all. */
  readonly only: readonly string[] | undefined;
}

export interface DemoScreen {
  /** All listeners: the session is the same whichever are shown. */
  readonly seats: readonly Seat[];
  readonly shown: readonly Seat[];
  readonly print: (lines: readonly string[]) => void;
  /** Prints a title and the terms that were granted. The times of what follows count from now. */
  readonly begin: (title: readonly string[]) => void;
  /** Time since `begin`, ms. */
  readonly elapsedMs: () => number;
  readonly showEvent: (seat: Seat, event: Envelope) => void;
  /** Shows an answer that was given for the person of a seat. */
  readonly showAnswer: (seat: Seat | undefined, text: string) => void;
  /** Prints what is still held back, and these lines. */
  readonly end: (lines: readonly string[]) => void;
}

export function createDemoScreen({ io, write, language, only }: DemoScreenOptions): DemoScreen {
  const { clock } = io;
  const listeners = demoListeners(language);
  const seats = listeners.map((listener): Seat => ({ listener, got: new Got(), accepted: undefined }));
  const chosen = chosenListeners(listeners, only);
  const shown = seats.filter(({ listener }) => chosen.includes(listener));
  const names = chosen.map(({ name }) => name);
  const view = createDemoLines(names, colorsFor(io));
  const readers = new Map(
    chosen.map((one) => [one, createReadText(one.lineCells === undefined ? "speech" : "braille", {})]),
  );
  let startedAt = clock.now();
  const elapsedMs = () => clock.now() - startedAt;

  function print(lines: readonly string[]): void {
    for (const line of lines) void write(line);
  }

  function show(entry: DemoEntry): void {
    print(view.show(entry, elapsedMs() / 1000));
  }

  return {
    seats,
    shown,
    print,
    begin: (title) => {
      print([...title, ""]);
      print(view.heading(shown.map(({ accepted }) => termsInWords(accepted?.honored_capabilities ?? {}))));
      startedAt = clock.now();
    },
    elapsedMs,
    showEvent: (seat, event) => {
      const listener = shown.indexOf(seat);
      const { getsPieces: quotesText, lineCells } = seat.listener;
      const read = readers.get(seat.listener);
      const told = eventText(event, { quotesText, ...(read && { read }) });
      if (listener < 0 || (told.what === "text" && told.text === "")) return;
      const isPiece = quotesText && told.what === "text";
      const lines = lineCells === undefined || told.what !== "text" ? [told.text] : wrapText(told.text, lineCells);
      for (const line of lines) show({ listener, ...told, text: line, isPiece });
    },
    showAnswer: (seat, text) => {
      const listener = seat === undefined ? -1 : shown.indexOf(seat);
      if (listener >= 0) show({ listener, what: "answer", text, isCritical: false, isPiece: false });
    },
    end: (lines) => print([...view.flush(elapsedMs() / 1000), ...lines]),
  };
}
