// `aaepd journal compact`: on a stopped journal alone.
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { registerJournal } from "../../../src/cli/journal/journal.js";
import { session } from "../../support/rigs/engine-rig.js";
import { journalFolder, record } from "../../support/rigs/journal-folder.js";
import { createStage, run, runtimeEnvironment, serve } from "../command-stage.js";

const one = session("sess_one");
const EVENTS = record(({ publish }) => publish(one.started(), one.chunk("Text. ", true), one.completed()));

async function journal(directory: string, name: string, ...options: readonly string[]) {
  const stage = createStage({ environment: {} });
  await run(registerJournal, stage, name, "--journal", directory, ...options);
  return { out: stage.out(), err: stage.err(), code: stage.exitCode() };
}

it("says what the journal took before and takes now; nothing in it is another", async () => {
  const directory = await journalFolder(EVENTS, EVENTS.slice(1, 2));
  const before = (await journal(directory, "export", "--with-epochs")).out;
  const { out, code, err } = await journal(directory, "compact");
  expect(out).toMatch(/^Journal \S+: [\d.]+ \w+ before, [\d.]+ \w+ now\.\n$/);
  expect([code, err]).toStrictEqual([0, ""]);
  expect((await journal(directory, "export", "--with-epochs")).out).toBe(before);
});

it("refuses, and changes nothing, while a daemon has the journal", async () => {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const place = join(directory, "journal");
  const { pid } = await serve(XDG_RUNTIME_DIR, "--journal", place);
  const { ino } = statSync(join(place, "journal.mdb"));
  const { err, code, out } = await journal(place, "compact");
  expect(err).toContain(`The journal in ${place} is in use by process ${pid}. Stop that daemon`);
  expect([code, out]).toStrictEqual([1, ""]);
  expect(statSync(join(place, "journal.mdb")).ino).toBe(ino);
});
