import wrapAnsi from "wrap-ansi";

/** Cuts text into lines of at most `columns` of a terminal, at spaces if there are any. Never returns an empty list. */
export function wrapText(text: string, columns: number): readonly string[] {
  return wrapAnsi(text, columns, { hard: true }).split("\n");
}
