import { expect, it } from "vitest";
import { journalFacts } from "../../../src/cli/journal/journal-facts.js";
import { type RecordedEvent, recordedEvents } from "../../../src/cli/journal/journal-session.js";
import { openJournalReader } from "../../../src/storage/journal-reader.js";
import { newEvent, openRig } from "../../support/rigs/journal-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

const event = (id: string, ordinal: number, more = {}) => newEvent(id, {}, { ordinal, ...more });
const other = (id: string) => newEvent(id, { session_id: "sess_2" });

/** A journal in which two sessions take turns, and its reader. */
async function opened() {
  const directory = temporaryDirectory();
  const { journal } = await openRig({ directory });
  for (const [index, id] of ["a", "b", "c"].entries()) {
    await journal.append([event(id, index + 1), other(`other_${id}`)]).durable;
  }
  const reader = await openJournalReader(directory);
  const facts = () => {
    const found = journalFacts(reader.blocks()).sessions.get("sess_1");
    if (found === undefined) throw new Error("the session is not there");
    return found;
  };
  return { journal, reader, facts };
}

const PACE = { speed: 1 };
const idOf = ({ value }: IteratorResult<RecordedEvent, void>) => value?.fields.event_id;

it("gives a session without the others, also what an open one gets meanwhile, and nothing after its last event", async () => {
  const { journal, reader, facts } = await opened();
  const events = recordedEvents(facts(), reader.blocks, PACE);
  expect([1, 2, 3].map(() => idOf(events.next()))).toStrictEqual(["evt_a", "evt_b", "evt_c"]);
  await journal.append([event("d", 4, { kind: "session.completed" }), other("other_d")]).durable;
  expect(idOf(events.next())).toBe("evt_d");
  expect(events.next().done).toBe(true);
  await reader.close();
});

it("does not look any further for a session that has ended", async () => {
  const { journal, reader, facts } = await opened();
  await journal.append([event("d", 4, { kind: "session.completed" }), other("other_d")]).durable;
  for (const id of ["other_e", "other_f", "other_g"]) await journal.append([other(id)]).durable;
  expect(facts()).toMatchObject({ state: "completed", eventCount: 4 });
  let readCount = 0;
  const events = recordedEvents(
    facts(),
    function* (from) {
      for (const block of reader.blocks(from)) {
        readCount += 1;
        yield block;
      }
    },
    PACE,
  );
  expect([...events].map(({ fields }) => fields.event_id)).toStrictEqual(["evt_a", "evt_b", "evt_c", "evt_d"]);
  // Its four blocks and the one that shows that there is nothing more; then that one again.
  expect(readCount).toBeLessThanOrEqual(7);
  await reader.close();
});
