// Text as roff reads it, in the macros of man(7).

/** Longest line of the source, which style checks ask for. */
const COLUMNS = 80;

/** Text with nothing that roff would obey. */
export function escaped(text) {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(
      /[^ -~\n]/gu,
      (character) => `\\[u${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}]`,
    )
    .replaceAll(/^(?=[.'])/gm, "\\&");
}

/** Text in the font "B" or "I". */
export function font(name, text) {
  return `\\f${name}${escaped(text)}\\fR`;
}

export function bold(text) {
  return font("B", text);
}

/** The lines of a paragraph. Each sentence begins on a line of its own, so that every formatter finds the ends of sentences. */
export function paragraph(text) {
  const sentences = text.replaceAll("\n", " ").split(/(?<=[.:]) (?=[A-Z])/);
  return sentences.flatMap((sentence) => {
    const lines = [];
    for (const word of sentence.split(" ")) {
      const longer = lines.length === 0 ? undefined : `${lines.at(-1)} ${word}`;
      if (longer !== undefined && escaped(longer).length <= COLUMNS) lines.splice(-1, 1, longer);
      else lines.push(word);
    }
    return lines.map(escaped);
  });
}

/** The lines of a block that is not filled. */
export function verbatim(text) {
  return [".nf", ...escaped(text).split("\n"), ".fi"];
}

/** Paragraphs and blocks one behind the other. */
export function separated(parts) {
  return parts.flatMap((lines, index) => (index === 0 ? lines : [".PP", ...lines]));
}

/** A list of terms, which are roff already, each with its text. */
export function termList(entries) {
  return entries.flatMap(([term, text]) => [".TP", term, ...paragraph(text)]);
}
