// Finds the places of a text of JSON that a fault names. The text must be one that a parser has accepted.
import { pointerStep } from "./json-pointer.js";
import { closingQuote, nameBetween, skipSpace } from "./json-text.js";

export interface DoubledMember {
  /** The name, unescaped. */
  readonly name: string;
  /** JSON pointer of the second member of that name. */
  readonly pointer: string;
}

/** An object or a list whose end has not been reached. */
interface Open {
  /** The names found so far in an object; undefined for a list. */
  readonly names: Set<string> | undefined;
  /** The current step of the pointer: the name in an object, the index in a list. */
  name: string;
  index: number;
}

/**
 * Finds the first member, in the order of the text, whose object already has a member of that name. The text must contain such a member. The search
 * is linear in the text and remembers every name.
 */
export function doubledMember(text: string): DoubledMember {
  let found: DoubledMember | undefined;
  walk(text, text.length, (open, inside) => {
    if (inside.names?.has(inside.name)) found = { name: inside.name, pointer: pointerOf(open) };
    else inside.names?.add(inside.name);
    return found === undefined;
  });
  // Undefined only if this function and the parser disagreed; a test rules that out.
  return found ?? { name: "", pointer: "" };
}

/** The JSON pointer of the value that begins at `place`. */
export function pointerAt(text: string, place: number): string {
  return pointerOf(walk(text, place, () => true));
}

/** Walks up to `until`, or until `onName` returns false. Returns the objects and lists that are open there. */
function walk(text: string, until: number, onName: (open: readonly Open[], inside: Open) => boolean): readonly Open[] {
  const open: Open[] = [];
  for (let index = 0; index < until; index += 1) {
    const inside = open.at(-1);
    switch (text.charCodeAt(index)) {
      case 0x22: {
        const closing = closingQuote(text, index);
        if (inside?.names !== undefined && text.charCodeAt(skipSpace(text, closing + 1)) === 0x3a) {
          inside.name = nameBetween(text, index, closing);
          if (!onName(open, inside)) return open;
        }
        index = closing;
        break;
      }
      case 0x2c:
        if (inside !== undefined) inside.index += 1;
        break;
      case 0x7b:
        open.push({ names: new Set(), name: "", index: 0 });
        break;
      case 0x5b:
        open.push({ names: undefined, name: "", index: 0 });
        break;
      case 0x7d:
      case 0x5d:
        open.pop();
        break;
    }
  }
  return open;
}

function pointerOf(open: readonly Open[]): string {
  return open.map(({ names, name, index }) => `/${names === undefined ? index : pointerStep(name)}`).join("");
}
