// Chunks that say something of themselves beside their text (R2, AAEP §9.3.1).
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { createEngineRig, type Received, session, textOf } from "../../support/rigs/engine-rig.js";

const { started, chunk } = session();
const WORDS = ["One ", "more ", "sentence. ", "And ", "another ", "one", "."];

const chunksOf = (received: readonly Received[]): readonly AgentEvent[] =>
  received.flatMap(({ event }) => (event.chunk === undefined ? [] : [event]));

const spoken = (text: string) => ({
  summary_terse: text.trim(),
  summary_normal: `Says ${text.trim()}`,
  summary_detailed: `Says in detail ${text.trim()}`,
  "summary_normal_pt-BR": `Diz ${text.trim()}`,
});

describe("R2: an agent that sets summaries on every chunk", () => {
  it("streams, coalesced as without them, and merged text has none of them", () => {
    const rigs = [createEngineRig(), createEngineRig()];
    const heard = rigs.map((rig, index) => {
      const readers = [rig.listen(), rig.listen({ maxEventsPerSecond: 1 }), rig.listen({ languages: ["pt-BR"] })];
      rig.publish(started());
      for (const [place, word] of WORDS.entries()) {
        const complete = place === WORDS.length - 1;
        rig.publish({ ...chunk(word, complete), ...(index === 0 ? {} : spoken(word)) });
        rig.advance(10);
      }
      rig.advance(5000);
      for (const { received } of readers) expect(textOf(received, "out_1")).toBe(WORDS.join(""));
      return readers.map(({ received }) => chunksOf(received));
    });
    expect(heard[0]?.[0]).toHaveLength(2);
    const bare = heard.map((readers) =>
      readers.map((events) => events.map(({ chunk: text, position, coalesce_hint: hint }) => [text, position, hint])),
    );
    expect(bare[1]).toEqual(bare[0]);
    for (const event of heard[1]?.flat() ?? [])
      expect(Object.keys(event).filter((name) => /^summary/.test(name))).toEqual([]);
    expect(heard[1]?.flat().filter(({ verbosity }) => verbosity !== undefined)).toEqual([]);
  });

  it("is heard with them, at the listener's level and in its language, where a chunk goes out as it is", () => {
    const rig = createEngineRig();
    const terse = rig.listen({ coalesceBoundaries: ["none"], preferredVerbosity: "terse" });
    const normal = rig.listen({ coalesceBoundaries: ["none"], languages: ["pt-BR"] });
    const reader = rig.listen();
    rig.publish(started());
    rig.publish({ ...chunk("One. ", true), ...spoken("One."), coalesce_hint: "completion" });
    const [event] = chunksOf(terse.received);
    expect(event).toMatchObject({ chunk: "One. ", summary_terse: "One.", verbosity: "terse" });
    expect(event).not.toHaveProperty("summary_normal");
    expect(chunksOf(normal.received)[0]).toMatchObject({ summary_normal: "Diz One." });
    expect(chunksOf(reader.received)[0]).toMatchObject({ chunk: "One. ", summary_normal: "Says One." });
  });
});
