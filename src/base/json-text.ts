// Steps through the text of JSON. No step recurses with the nesting, and each is linear. In a text that is not JSON every step still ends, and none
// throws.

/** Between the values of JSON no other characters than white space are as low as a blank. */
const BLANK = 0x20;

/**
 * Returns the index of the quote that closes the string beginning at `opening`. The search jumps from quote to quote, because most of a message is
 * within strings.
 */
export function closingQuote(text: string, opening: number): number {
  let at = text.indexOf('"', opening + 1);
  while (text.charCodeAt(at - 1) === 0x5c && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at < 0 ? text.length : at;
}

function isEscaped(text: string, quote: number): boolean {
  let backslashes = 1;
  while (text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes += 1;
  return backslashes % 2 === 1;
}

/** Returns the index of the next character that is no white space. */
export function skipSpace(text: string, from: number): number {
  let index = from;
  while (text.charCodeAt(index) <= BLANK) index += 1;
  return index;
}

/** Returns the index behind the value that begins at `start`. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === 0x22) return closingQuote(text, start) + 1;
  if (first === 0x7b || first === 0x5b) return endOfContainer(text, start);
  let index = start;
  while (index < text.length && !isDelimiter(text.charCodeAt(index))) index += 1;
  return index;
}

function endOfContainer(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    switch (text.charCodeAt(index)) {
      case 0x22:
        index = closingQuote(text, index);
        break;
      case 0x7b:
      case 0x5b:
        depth += 1;
        break;
      case 0x7d:
      case 0x5d:
        depth -= 1;
        if (depth === 0) return index + 1;
        break;
    }
  }
  return text.length;
}

/** Returns the name between two quotes, unescaped if it can be. */
export function nameBetween(text: string, opening: number, closing: number): string {
  const raw = text.slice(opening + 1, closing);
  const unescaped = raw.includes("\\") ? scalarIn(`"${raw}"`) : raw;
  return typeof unescaped === "string" ? unescaped : raw;
}

/** Returns the value that a text is; undefined for an object or a list, and for what is no JSON. */
export function scalarIn(text: string): unknown {
  const first = text.charCodeAt(0);
  if (first === 0x7b || first === 0x5b) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isDelimiter(unit: number): boolean {
  return unit === 0x2c || unit === 0x7d || unit === 0x5d || unit <= BLANK;
}
