// `aaepd journal compact` and `restore`, on a stopped journal alone, and `backup`.
import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { registerJournal } from "../../../src/cli/journal/journal.js";
import { listenInLines, publishInLines } from "../../support/peers/line-listener.js";
import { session } from "../../support/rigs/engine-rig.js";
import { journalFolder, record } from "../../support/rigs/journal-folder.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, runtimeEnvironment, serve, serveProcess } from "../command-stage.js";

const one = session("sess_one");
const EVENTS = record(({ publish }) => publish(one.started(), one.chunk("Text. ", true), one.completed()));

async function journal(directory: string, name: string, ...options: readonly string[]) {
  const stage = await run(registerJournal, createStage({ environment: {} }), name, "--journal", directory, ...options);
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

describe("a backup", () => {
  const exported = async (directory: string) => (await journal(directory, "export", "--with-epochs")).out;

  it("has the whole journal, is this user's alone, replaces the one before, and is read like a journal", async () => {
    const directory = await journalFolder(EVENTS);
    const backup = join(temporaryDirectory(), "deep", "backup");
    await journal(directory, "backup", backup);
    const { ino } = statSync(join(backup, "journal.mdb"));
    const { out, err, code } = await journal(directory, "backup", backup);
    expect(out).toMatch(/^Backed up the journal \S+ to \S+: [\d.]+ KiB\.\n/);
    expect([code, err]).toStrictEqual([0, ""]);
    expect(readdirSync(backup).sort()).toStrictEqual(["journal.mdb", "journal.mdb-epoch"]);
    for (const name of [".", "journal.mdb", "journal.mdb-epoch"])
      expect(statSync(join(backup, name)).mode & 0o077).toBe(0);
    expect(await exported(backup)).toBe(await exported(directory));
    expect(statSync(join(backup, "journal.mdb")).ino).not.toBe(ino);
    const other = await journal(await journalFolder(EVENTS.slice(0, 1)), "backup", backup);
    expect(other).toEqual({ out: "", err: expect.stringContaining(`${backup} holds another journal. Name`), code: 2 });
    expect(await exported(backup)).toBe(await exported(directory));
  });

  it("takes the place of a journal, which is kept", async () => {
    const [directory, backup] = [await journalFolder(EVENTS), temporaryDirectory()];
    await journal(directory, "backup", backup);
    const before = await exported(directory);
    await journal(directory, "restore", await journalFolder(EVENTS.slice(1, 2)));
    expect(await exported(directory)).not.toBe(before);
    const { out, code } = await journal(directory, "restore", backup);
    expect(out).toMatch(
      /^Restored the journal \S+: \d+ events\.\nWhat was there before is kept as \S+\/journal\.mdb\.before-restore-/,
    );
    expect(code).toBe(0);
    expect(await exported(directory)).toBe(before);
    expect(readdirSync(directory).filter((name) => /before-restore-.*Z$/.test(name))).toHaveLength(2);
  });

  it("is refused where it is none or damaged, and by the folder of its own journal; nothing changes", async () => {
    const directory = await journalFolder(EVENTS);
    const files = () =>
      ["journal.mdb", "journal.mdb-epoch"].map((name) => [name, readFileSync(join(directory, name), "base64")]);
    const before = files();
    const [nothing, damaged] = [temporaryDirectory(), temporaryDirectory()];
    await journal(directory, "backup", damaged);
    truncateSync(join(damaged, "journal.mdb"), 9000);
    for (const [argv, says, exit] of [
      [["restore", nothing], `There is no journal in ${nothing}. Name the folder of a backup.`, 2],
      [["backup", ""], 'folder is "". Give ', 2],
      [["restore", damaged], "is damaged: ", 1],
      [["restore", directory], "is the folder of the journal itself. Name another.", 2],
      [["backup", directory], "is the folder of the journal itself. Name another.", 2],
    ] as const) {
      const { err, code, out } = await journal(directory, argv[0], argv[1]);
      expect(err).toContain(says);
      expect([code, out]).toStrictEqual([exit, ""]);
    }
    writeFileSync(join(nothing, "file"), "");
    expect((await journal(directory, "backup", join(nothing, "file"))).err).toMatch(/^Error: .*file.*\. /);
    expect(files()).toStrictEqual(before);
  });

  it("is made of a journal that a daemon has, and restored to it only when the daemon has ended", async () => {
    const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
    const [place, backup] = [join(directory, "journal"), temporaryDirectory()];
    const { pid, socketPath, stop } = await serveProcess(XDG_RUNTIME_DIR, "--journal", place);
    const agent = await listenInLines(socketPath);
    await publishInLines(agent, [
      {
        type: "aaep:agent.session.started",
        session_id: "sess_live",
        summary_normal: "Begins.",
        producer: { agent_id: "a" },
      },
    ]);
    expect((await journal(place, "backup", backup)).code).toBe(0);
    expect(await exported(backup)).toContain("sess_live");
    const { err, code } = await journal(place, "restore", backup);
    expect(err).toContain(`The journal in ${place} is in use by process ${pid}. Stop that daemon, and restore then.`);
    expect(code).toBe(1);
    expect((await journal(backup, "backup", place)).err).toContain(`in use by process ${pid}`);
    await stop();
    expect((await journal(place, "restore", backup)).code).toBe(0);
    const again = await serveProcess(XDG_RUNTIME_DIR, "--journal", place);
    await again.stop();
    expect(await exported(place)).toContain("sess_live");
  });
});
