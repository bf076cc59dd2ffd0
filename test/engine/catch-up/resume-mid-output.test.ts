// A listener that comes back in the middle of a long output is given what follows, and not the output again (R17).
import { describe, expect, it } from "vitest";
import type { Terms } from "../../../src/engine/terms/terms.js";
import { createEngineRig, type Listener, session } from "../../support/rigs/engine-rig.js";

const BEFORE = 300;
const textOf = ({ received }: Listener): string => received.map(({ event }) => String(event.chunk ?? "")).join("");
const words = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `w${from + index}. `).join("");

function createStage() {
  const rig = createEngineRig();
  rig.publish(session().started());
  let next = 0;
  let position = 0;
  return {
    rig,
    /** So many more chunks, each a sentence. */
    speak: (count: number): void => {
      for (const end = next + count; next < end; next += 1) {
        const chunk = `w${next}. `;
        rig.publish({ ...session().chunk(chunk, false), position });
        position += chunk.length;
        rig.clock.settle();
      }
      rig.advance(2000);
    },
    finish: (): void => {
      rig.publish({ ...session().chunk("", true), position });
      rig.advance(2000);
    },
    rejoin: (terms: Partial<Terms>, place: string | undefined): Listener => {
      const back = rig.listen(terms, "reader", place);
      rig.advance(2000);
      return back;
    },
  };
}

describe.each([[["none"]], [["word"]], [["sentence"]]] as const)(
  "R17: with %j, in the middle of an output",
  (coalesceBoundaries) => {
    const terms: Partial<Terms> = { coalesceBoundaries };

    it("a listener that joined late is given only what it has not had", () => {
      const { rig, speak, finish, rejoin } = createStage();
      speak(BEFORE);
      const late = rig.listen(terms, "reader");
      speak(10);
      late.subscription.close();
      const back = rejoin(terms, late.subscription.cursor());
      speak(3);
      finish();
      expect(textOf(late) + textOf(back)).toBe(words(BEFORE, BEFORE + 13));
    });

    it("one that lost the last events of its connection is given those again that its place does not cover, and not what came before", () => {
      const { rig, speak, finish, rejoin } = createStage();
      const listener = rig.listen(terms, "reader");
      speak(BEFORE);
      finish();
      listener.subscription.close();
      for (const lost of [1, 5, 16]) {
        const told = listener.places.findLast(({ received }) => received <= listener.received.length - lost);
        const back = rejoin(terms, told?.cursor);
        back.subscription.close();
        const known = listener.received.slice(0, told?.received);
        const heard = known.map(({ event }) => String(event.chunk ?? "")).join("") + textOf(back);
        expect(heard).toBe(textOf(listener));
      }
    });

    it("one that comes back again and again is given everything once", () => {
      const { rig, speak, finish, rejoin } = createStage();
      let listener = rig.listen(terms, "reader");
      let heard = "";
      for (let turn = 0; turn < 20; turn += 1) {
        speak(7);
        listener.subscription.close();
        heard += textOf(listener);
        listener = rejoin(terms, listener.subscription.cursor());
      }
      speak(7);
      finish();
      expect(heard + textOf(listener)).toBe(words(0, 147));
    });
  },
);
