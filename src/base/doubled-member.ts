import { pointerStep } from "./json-pointer.js";
import { closingQuote, nameBetween, skipSpace } from "./json-text.js";

export interface DoubledMember {
  /** Unescaped. */
  readonly name: string;
  /** JSON pointer of the second of the two. */
  readonly pointer: string;
}

/** An object or a list that is being read. */
interface Open {
  /** Of an object: what stood in it so far. Undefined: it is a list. */
  readonly names: Set<string> | undefined;
  /** The step from it to what is being read in it. */
  name: string;
  index: number;
}

/**
 * The first member of a text, in its order, whose name stood in its object before. For text that a parser has accepted, and in which there is one: it
 * takes its time, and memory for every name.
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
  // Only if this and the parser disagreed, which a test rules out.
  return { name: "", pointer: "" };
}

function pointerOf(open: readonly Open[]): string {
  return open.map(({ names, name, index }) => `/${names === undefined ? index : pointerStep(name)}`).join("");
}
