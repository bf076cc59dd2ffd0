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
 * Finds the first member, in the order of the text, whose object already has a member of that name. The text must be one that a parser has accepted
 * and that contains such a member. The search is linear in the text and remembers every name.
 */
export function doubledMember(text: string): DoubledMember {
  const open: Open[] = [];
  for (let index = 0; index < text.length; index += 1) {
    const inside = open.at(-1);
    switch (text.charCodeAt(index)) {
      case 0x22: {
        const closing = closingQuote(text, index);
        if (inside?.names !== undefined && text.charCodeAt(skipSpace(text, closing + 1)) === 0x3a) {
          inside.name = nameBetween(text, index, closing);
          if (inside.names.has(inside.name)) return { name: inside.name, pointer: pointerOf(open) };
          inside.names.add(inside.name);
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
  // Reached only if this function and the parser disagreed; a test rules that out.
  return { name: "", pointer: "" };
}

function pointerOf(open: readonly Open[]): string {
  return open.map(({ names, name, index }) => `/${names === undefined ? index : pointerStep(name)}`).join("");
}
