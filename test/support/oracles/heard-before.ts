// What a listener has heard, over all its connections, and what it drops as a repeat (R12).
import { type ClientEvent, isQuestion, outputKey } from "./place-facts.js";

export interface HeardBefore {
  readonly knowsEvent: (event: ClientEvent) => boolean;
  readonly knowsCharacter: (output: string, at: number, text: string) => boolean;
  readonly knowsEnd: (output: string) => boolean;
  readonly hear: (event: ClientEvent) => void;
}

export function createHeardBefore(): HeardBefore {
  const ids = new Set<string>();
  /** By outputs and positions. */
  const characters = new Map<string, Map<number, Set<string>>>();
  const ends = new Set<string>();
  return {
    // A question that comes on a new connection is open.
    knowsEvent: ({ id, type }) => ids.has(id) && !isQuestion(type),
    knowsCharacter: (output, at, text) => characters.get(output)?.get(at)?.has(text) === true,
    knowsEnd: (output) => ends.has(output),
    hear: ({ id, sessionId, output, chunk, position = 0, completes }) => {
      if (chunk === undefined) {
        ids.add(id);
        return;
      }
      const key = outputKey(sessionId, output ?? "");
      const known = characters.get(key) ?? new Map<number, Set<string>>();
      characters.set(key, known);
      for (const [index, text] of [...chunk].entries())
        known.set(position + index, (known.get(position + index) ?? new Set()).add(text));
      if (completes === true) ends.add(key);
    },
  };
}
