// A listener that comes back in the middle of a long output is given what follows, and not the output again (R17).
import { describe, expect, it } from "vitest";
import { readCursor } from "../../../src/engine/event/cursor.js";
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

describe("R26: an output that was skipped", () => {
  const chunks = ({ received }: Listener) =>
    received.flatMap(({ event }) => (typeof event.chunk === "string" ? [[event.output_id, event.chunk]] : []));

  it.each([["none"], ["sentence"], ["completion"]] as const)(
    "with %s, stays skipped for one that comes back, and is completed; other outputs go on",
    (boundary) => {
      const rig = createEngineRig();
      const terms: Partial<Terms> = { coalesceBoundaries: [boundary] };
      rig.publish(session().started());
      const listener = rig.listen(terms, "reader");
      rig.publish(session().chunk("It is long. It goes"), session().chunk("Another. It too", false, "out_2"));
      listener.subscription.skip("sess_1", "out_1");
      rig.publish(session().chunk(" on. And on"));
      rig.advance(20_000);
      const place = listener.subscription.cursor();
      listener.subscription.close();
      const back = rig.listen(terms, "reader", place);
      rig.publish(session().chunk(" and on. ", true), session().chunk(" goes on.", true, "out_2"));
      rig.advance(20_000);
      const all = [...chunks(listener), ...chunks(back)];
      expect(chunks(back).filter(([output]) => output === "out_1")).toEqual([["out_1", ""]]);
      expect(back.received.find(({ event }) => event.output_id === "out_1")?.event.complete).toBe(true);
      expect(
        all
          .filter(([output]) => output === "out_2")
          .map(([, text]) => text)
          .join(""),
      ).toBe("Another. It too goes on.");
    },
  );

  it("R17: what is skipped holds no place back", () => {
    const rig = createEngineRig();
    rig.publish(session().started());
    const listener = rig.listen({ coalesceBoundaries: ["completion"] }, "reader");
    rig.publish(session().chunk("It is held until the output is complete."), session().progress(5));
    const before = readCursor(String(listener.subscription.cursor()))?.after ?? 0;
    listener.subscription.skip("sess_1", "out_1");
    const { after = 0, outputs } = readCursor(String(listener.subscription.cursor())) ?? {};
    expect([after - before, [...(outputs?.values() ?? [])].map(({ to }) => to)]).toEqual([2, ["end"]]);
  });
});
