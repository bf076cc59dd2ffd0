import { describe, expect, it } from "vitest";
import { openJournalReader } from "../../src/storage/journal-reader.js";
import { newEvent, openRig } from "../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

describe("R29: what was published is there after a restart", () => {
  it("by epoch, by id, in order, with all that is known of it", async () => {
    const directory = temporaryDirectory();
    const first = await openRig({ directory });
    const { events, durable } = first.journal.append([
      newEvent("a", { text: "grüße 語 🎉" }, { ordinal: 1 }),
      newEvent("b", { output_id: "out_1" }, { kind: "output.streaming", ordinal: 2, sent: '{"as":"sent"}' }),
      newEvent("c", {}, { made: "resolution", ordinal: 3 }),
    ]);
    await durable;
    await first.journal.close();

    const { journal } = await openRig({ directory });
    const [a, b, c] = events;
    expect(journal.oldest()).toBe(a?.epoch);
    expect(journal.head()).toBe((c?.epoch ?? 0) + 2 ** 32 - 1);
    const read = await journal.read((a?.epoch ?? 0) - 1, 10);
    expect(read).toMatchObject({
      kind: "events",
      events: [a, b, c].map((event) => ({ ...event, at: expect.any(Number) })),
    });
    expect(journal.find("evt_b")?.epoch).toBe(b?.epoch);
    expect(journal.find("evt_z")).toBeUndefined();
    expect(journal.at(c?.epoch ?? 0)?.made).toBe("resolution");
    expect(journal.at(b?.epoch ?? 0, { sessionId: "sess_1", outputId: "out_1" })?.event.event_id).toBe("evt_b");
    expect(journal.at(b?.epoch ?? 0, { sessionId: "sess_1", outputId: "" })).toBeUndefined();
    const later = journal.append([newEvent("d")]);
    await later.durable;
    expect(await journal.read(b?.epoch ?? 0, 10)).toMatchObject({
      events: [{ event: { event_id: "evt_c" } }, { event: { event_id: "evt_d" } }],
    });
    expect(journal.status()).toMatchObject({ eventCount: 4, failure: undefined, durableEpoch: later.events[0]?.epoch });
  });

  it("state is written with the events of its group", async () => {
    const directory = temporaryDirectory();
    const first = await openRig({ directory });
    let value = 1;
    first.journal.durableState.put(["session", "sess_1"], () => ({ value }));
    value = 2;
    await first.journal.durable();
    await first.journal.close();
    const { journal } = await openRig({ directory });
    expect([...journal.durableState.recovered(["session"])]).toEqual([[["session", "sess_1"], { value: 2 }]]);
    journal.durableState.put(["session", "sess_1"], () => undefined);
    await journal.durable();
    expect([...journal.durableState.recovered(["session"])]).toEqual([]);
  });

  it("a reader sees it while the daemon writes", async () => {
    const directory = temporaryDirectory();
    const { journal } = await openRig({ directory });
    await journal.append([newEvent("a"), newEvent("b", { session_id: "sess_2" })]).durable;
    const reader = await openJournalReader(directory);
    expect(reader.sessions().map(({ sessionId, eventCount }) => [sessionId, eventCount])).toEqual([
      ["sess_1", 1],
      ["sess_2", 1],
    ]);
    await journal.append([newEvent("c")]).durable;
    expect([...reader.entries("sess_1")].map(({ event }) => event.event_id)).toEqual(["evt_a", "evt_c"]);
    await reader.close();
  });
});
