import { expect, it } from "vitest";
import { journalFacts } from "../../../src/cli/journal/journal-facts.js";
import { journalSession } from "../../../src/cli/journal/journal-session.js";
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
  const session = () => {
    const facts = journalFacts(reader.blocks()).sessions.get("sess_1");
    if (facts === undefined) throw new Error("the session is not there");
    return journalSession(facts, reader.blocks);
  };
  return { journal, reader, session };
}

it("gives a session piece by piece, without the others, and nothing after its last event", async () => {
  const { reader, session } = await opened();
  const one = session();
  const first = one.read(Number.NEGATIVE_INFINITY, 2);
  expect(first.map(({ event: { event_id: id } }) => id)).toStrictEqual(["evt_a", "evt_b"]);
  const rest = one.read(first.at(-1)?.epoch ?? 0, 2);
  expect(rest.map(({ event: { event_id: id }, ordinal }) => [id, ordinal])).toStrictEqual([["evt_c", 3]]);
  expect(one.read(rest.at(-1)?.epoch ?? 0, 2)).toStrictEqual([]);
  await reader.close();
});

it("of a session that is open gives what is journaled meanwhile too; one that has ended is not looked for any further", async () => {
  const { journal, reader, session } = await opened();
  const open = session();
  const last = open.read(Number.NEGATIVE_INFINITY, 10).at(-1)?.epoch ?? 0;
  await journal.append([event("d", 4, { kind: "session.completed" }), other("other_d")]).durable;
  const news = open.read(last, 10);
  expect(news.map(({ event: { event_id: id } }) => id)).toStrictEqual(["evt_d"]);
  let readCount = 0;
  const facts = journalFacts(reader.blocks()).sessions.get("sess_1");
  expect(facts).toMatchObject({ state: "completed", eventCount: 4 });
  await journal.append([other("other_e")]).durable;
  await journal.append([other("other_f")]).durable;
  const ended =
    facts &&
    journalSession(facts, function* (from) {
      for (const block of reader.blocks(from)) {
        readCount += 1;
        yield block;
      }
    });
  expect(ended?.read(news.at(-1)?.epoch ?? 0, 10)).toStrictEqual([]);
  // The block that has its last event, and the one that shows that there is nothing more.
  expect(readCount).toBeLessThanOrEqual(2);
  await reader.close();
});
