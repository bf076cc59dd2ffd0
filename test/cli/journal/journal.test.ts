import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { registerJournal } from "../../../src/cli/journal/journal.js";
import { registerPublish } from "../../../src/cli/recordings/publish.js";
import { registerValidate } from "../../../src/cli/recordings/validate.js";
import { openJournalReader } from "../../../src/storage/journal-reader.js";
import { loadLmdb, openEnvironment } from "../../../src/storage/lmdb/environment.js";
import { session } from "../../support/rigs/engine-rig.js";
import { journalFolder, record } from "../../support/rigs/journal-folder.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { createStage, run, runtimeEnvironment, SESSIONS, serve } from "../command-stage.js";

const one = session("sess_one");
const two = session("sess_two");

/** Two sessions, one of them ended, with a question that nobody could answer. */
const FIRST_BOOT = record(({ publish, advance }) => {
  publish(one.started());
  advance(1000);
  publish(two.started(), two.chunk("Text. "));
  advance(1000);
  publish(one.confirmation("rpl_1"));
  advance(1000);
  publish(one.state("idle", "thinking"), one.completed());
});
/** A second boot, with the end of the other session. */
const SECOND_BOOT = record(({ publish, advance }) => {
  advance(60_000);
  publish(two.started(), two.chunk("Text. "), two.chunk("More.", true), two.errored());
})
  .slice(2)
  .map((event) => ({
    ...event,
    event: { ...event.event, event_id: `${event.event.event_id}b` },
    source: undefined,
  }));

async function journal(directory: string, ...argv: readonly string[]) {
  const stage = createStage();
  const [name = "", ...options] = argv;
  await run(registerJournal, stage, name, "--journal", directory, ...options);
  return { out: stage.out(), lines: stage.out().split("\n").slice(0, -1), err: stage.err(), code: stage.exitCode() };
}

describe("aaepd journal inspect", () => {
  it("tells what there is, for people", async () => {
    const directory = await journalFolder(FIRST_BOOT, SECOND_BOOT);
    const { lines, code, err } = await journal(directory, "inspect");
    const [where, events, bytes, damage, boots] = lines;
    expect(where).toBe(`Journal ${directory}: layout version 5, no daemon writes to it.`);
    expect(events).toBe(
      `${FIRST_BOOT.length + SECOND_BOOT.length} events, received from 2026-05-24T14:00:00.000Z to 2026-05-24T14:01:00.000Z.`,
    );
    expect(bytes).toMatch(/^[\d.]+ (?:bytes|KiB|MiB) on disk, [\d.]+ (?:bytes|KiB) of them events\.$/);
    expect(damage).toBe("Nothing is damaged.");
    expect(boots).toBe("2 boots:");
    expect(lines.slice(7)).toStrictEqual([
      "2 sessions:",
      `  sess_one: ended, completed, test-agent, ${FIRST_BOOT.filter((e) => e.event.session_id === "sess_one").length} events, 2026-05-24T14:00:00.000Z to 2026-05-24T14:00:03.000Z`,
      "  sess_two: ended, errored, test-agent, 4 events, 2026-05-24T14:00:01.000Z to 2026-05-24T14:01:00.000Z",
    ]);
    expect([code, err]).toStrictEqual([0, ""]);
  });

  it("and for programs", async () => {
    const directory = await journalFolder(FIRST_BOOT);
    const document = JSON.parse((await journal(directory, "inspect", "--json")).out);
    expect(document).toMatchObject({
      path: directory,
      layout_version: 5,
      writer_pid: null,
      events: FIRST_BOOT.length,
      oldest: "2026-05-24T14:00:00.000Z",
      newest: "2026-05-24T14:00:03.000Z",
      boots: [{ events: FIRST_BOOT.length }],
      damaged: [],
    });
    expect(document.disk_bytes).toBeGreaterThan(document.event_bytes);
    expect(document.sessions).toMatchObject([
      { session_id: "sess_one", agent_id: "test-agent", state: "completed", missing_events: 0 },
      { session_id: "sess_two", state: "open", events: 2 },
    ]);
    const reader = await openJournalReader(directory);
    expect(document.event_bytes).toBe(reader.totals()?.bytes);
    await reader.close();
    // A copy beside the journal is none of its files.
    writeFileSync(join(directory, "journal.mdb.before-restore"), Buffer.alloc(1 << 20, 1));
    expect(JSON.parse((await journal(directory, "inspect", "--json")).out)).toMatchObject({
      disk_bytes: document.disk_bytes,
    });
    const [first, last] = [document.boots[0].first_epoch, document.boots[0].last_epoch];
    expect(last - first + 1).toBe(FIRST_BOOT.length);
  });

  it("tells of one session, and what is missing of it", async () => {
    const directory = await journalFolder(FIRST_BOOT.slice(1));
    const { lines } = await journal(directory, "inspect", "--session", "sess_one");
    expect(lines[0]).toBe("Session sess_one: ended, completed.");
    expect(lines.at(-1)).toBe("1 event of it can no longer be read.");
    const { out } = await journal(directory, "inspect", "--session", "sess_two", "--json");
    expect(JSON.parse(out)).toMatchObject({ session_id: "sess_two", missing_events: 0 });
  });

  it("names a session that is near one that is not there, and how to list all", async () => {
    const directory = await journalFolder(FIRST_BOOT);
    const { err, code } = await journal(directory, "inspect", "--session", "sess_on");
    expect(err).toContain('There is no session "sess_on" in the journal');
    expect(err).toContain(
      `Did you mean sess_one? To list its sessions: aaepd journal inspect --all --journal ${directory}`,
    );
    expect(code).toBe(2);
  });
});

it.each([
  ["not there", "not there"],
  ["damaged", String.raw`\d+ bytes`],
])(
  "a record that is %s is told by inspect, left out by export, and is no new boot; both exit with 1",
  async (how, told) => {
    const directory = await journalFolder(FIRST_BOOT, SECOND_BOOT);
    if (how === "damaged") damage(directory, '"chunk":"Text. "');
    else {
      const environment = openEnvironment({
        lmdb: await loadLmdb(),
        path: join(directory, "journal.mdb"),
        policy: "os",
      });
      const [, second = []] = environment.tables.blocks.keys({});
      await environment.commit((writes) => writes.remove("blocks", second));
      await environment.close();
    }
    const { lines, code } = await journal(directory, "inspect");
    expect(lines.slice(3, 6)).toStrictEqual([
      "1 damaged record:",
      expect.stringMatching(`^  2 events from epoch \\d+, ${told}, after what was received at 2026-05-24T14:00:0`),
      "2 boots:",
    ]);
    expect(code).toBe(1);
    const exported = await journal(directory, "export");
    expect(exported.err).toMatch(
      new RegExp(`^Warning: 2 events from epoch \\d+ cannot be read: the record is ${how}\\.\n$`),
    );
    expect([exported.lines.length, exported.code]).toStrictEqual([FIRST_BOOT.length + SECOND_BOOT.length - 2, 1]);
  },
);

/** Changes one byte of the file where `text` stands in it. */
function damage(directory: string, text: string): void {
  const path = join(directory, "journal.mdb");
  const bytes = readFileSync(path);
  let at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  for (; at >= 0; at = bytes.indexOf(text, at + 1)) bytes[at + 1] = 0x21;
  writeFileSync(path, bytes);
}

describe("which journal is meant", () => {
  const inspect = async (environment: Readonly<Record<string, string>>, ...options: readonly string[]) => {
    const stage = createStage({ environment: { HOME: "/nowhere", XDG_CONFIG_HOME: "/nowhere", ...environment } });
    await run(registerJournal, stage, "inspect", ...options);
    return { first: stage.out().split(":", 1)[0], err: stage.err(), code: stage.exitCode() };
  };
  /** A folder for state with journals of these names. */
  const stateWith = async (...names: readonly string[]) => {
    const state = temporaryDirectory();
    for (const name of names)
      cpSync(await journalFolder(FIRST_BOOT), join(state, "aaepd", "journal", name), { recursive: true });
    return state;
  };

  it("the only one; that of the usual name among several; that of a producer; the one that is named, on the command line or by a variable", async () => {
    const XDG_STATE_HOME = await stateWith("planner");
    const place = join(XDG_STATE_HOME, "aaepd", "journal", "planner");
    for (const { first, code } of [
      await inspect({ XDG_STATE_HOME }),
      await inspect({ XDG_STATE_HOME }, "--producer-id", "planner"),
      await inspect({ XDG_STATE_HOME }, "--journal", "auto", "--producer-id", "planner"),
      await inspect({ XDG_STATE_HOME, AAEPD_PRODUCER_ID: "planner" }),
      await inspect({ AAEPD_JOURNAL: place }),
      await inspect({}, "--journal", place),
    ])
      expect([first, code]).toStrictEqual([`Journal ${place}`, 0]);
    const several = await stateWith("aaepd", "aaepd-2", "planner");
    const usual = await inspect({ XDG_STATE_HOME: several });
    expect([usual.first, usual.code]).toStrictEqual([`Journal ${join(several, "aaepd", "journal", "aaepd")}`, 0]);
  });

  it("that of the usual name is restored although it is lost, and never the one of another daemon", async () => {
    const XDG_STATE_HOME = await stateWith("planner");
    const place = join(XDG_STATE_HOME, "aaepd", "journal");
    const stage = createStage({ environment: { HOME: "/nowhere", XDG_CONFIG_HOME: "/nowhere", XDG_STATE_HOME } });
    await run(registerJournal, stage, "restore", await journalFolder(FIRST_BOOT));
    expect(stage.out()).toContain(`Restored the journal ${join(place, "aaepd")}`);
    expect(readdirSync(join(place, "planner")).filter((name) => name.includes("before-restore"))).toEqual([]);
  });

  it.each([
    [[], [], "There is no journal in the folders of STATE/aaepd/journal, where aaepd serve keeps it."],
    [["a", "b"], [], "Choose one with --journal: STATE/aaepd/journal/a, STATE/aaepd/journal/b"],
    [["a"], ["--producer-id", "x"], "There is no journal in STATE/aaepd/journal/x. Name the folder of one"],
    [["a"], ["--journal", "/nowhere"], "There is no journal in /nowhere."],
    [["a"], ["--journal", "memory"], "A journal in memory has no folder."],
  ])("journals %j, options %j: it is said where was looked, and how to choose", async (names, options, expected) => {
    const XDG_STATE_HOME = await stateWith(...names);
    const { err, code } = await inspect({ XDG_STATE_HOME }, ...options);
    expect(err).toContain(expected.replaceAll("STATE", XDG_STATE_HOME));
    expect(err).toMatch(/^Error: /);
    expect(code).toBe(2);
  });

  it("the journal of a daemon that runs is read while it writes, and the daemon is named", async () => {
    const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
    const place = join(directory, "journal");
    const daemon = await serve(XDG_RUNTIME_DIR, "--journal", place);
    const publish = async () => {
      const stage = createStage({ environment: daemon.environment });
      await run(registerPublish, stage, join(SESSIONS, "parallel-tools.ndjson"), "--socket", daemon.socketPath);
      expect(stage.exitCode()).toBe(0);
    };
    await publish();
    const { lines } = await journal(place, "inspect");
    expect(lines[0]).toBe(`Journal ${place}: layout version 5, process ${daemon.pid} writes to it.`);
    const before = (await journal(place, "export")).lines.length;
    await publish();
    const after = await journal(place, "export");
    expect([after.lines.length, after.code]).toStrictEqual([2 * before, 0]);
    await daemon.stop();
  });
});

describe("aaepd journal export", () => {
  it("gives each event's text byte for byte, in order; validate finds nothing wrong with it", async () => {
    const directory = await journalFolder(FIRST_BOOT, SECOND_BOOT);
    const { lines, code } = await journal(directory, "export");
    expect(lines).toStrictEqual(
      [...FIRST_BOOT, ...SECOND_BOOT].map(({ event, source }) => source ?? JSON.stringify(event)),
    );
    expect(code).toBe(0);
    const file = join(temporaryDirectory(), "all.ndjson");
    writeFileSync(file, `${lines.join("\n")}\n`);
    const stage = await run(registerValidate, createStage(), file);
    expect(stage.out()).toBe(`${lines.length} events, nothing wrong.\n`);
  });

  it("of some sessions, and of a stretch of time", async () => {
    const directory = await journalFolder(FIRST_BOOT, SECOND_BOOT);
    const idsOf = async (...options: readonly string[]) =>
      (await journal(directory, "export", ...options)).lines.map((line) => JSON.parse(line).session_id);
    expect(new Set(await idsOf("--session", "sess_two"))).toStrictEqual(new Set(["sess_two"]));
    expect(await idsOf("--session", "sess_two", "--session", "sess_one")).toHaveLength(
      FIRST_BOOT.length + SECOND_BOOT.length,
    );
    expect(await idsOf("--since", "2026-05-24T14:00:01Z", "--until", "2026-05-24T16:00:02+02:00")).toStrictEqual([
      "sess_two",
      "sess_two",
    ]);
    expect(await idsOf("--until", "2026-05-24")).toStrictEqual([]);
    expect((await journal(directory, "export", "--session", "sess_tw")).code).toBe(2);
    await expect(journal(directory, "export", "--since", "yesterday")).rejects.toThrow(/Give an instant such as/);
  });

  it.each([
    ["2026-05-25", "2026-05-24"],
    ["2026-05-24T14:00:01Z", "2026-05-24T14:00:01Z"],
  ])("from %s until %s, in which nothing can have been received, is refused, exit code 2", async (since, until) => {
    const directory = await journalFolder(FIRST_BOOT);
    const { out, err, code } = await journal(directory, "export", "--since", since, "--until", until);
    expect([out, code]).toStrictEqual(["", 2]);
    expect(err).toBe(
      `Error: --until (${new Date(until).toISOString()}) is not after --since (${new Date(since).toISOString()}). Give a later --until, or leave one of them out.\n`,
    );
  });

  it("with the epoch and the time of receipt of each", async () => {
    const directory = await journalFolder(FIRST_BOOT);
    const { lines } = await journal(directory, "export", "--with-epochs");
    const wrapped = lines.map((line) => JSON.parse(line));
    expect(wrapped.map(({ event }) => event)).toStrictEqual(
      FIRST_BOOT.map(({ event }) => JSON.parse(JSON.stringify(event))),
    );
    expect(wrapped[2]).toMatchObject({ received: "2026-05-24T14:00:01.000Z", epoch: wrapped[0].epoch + 2 });
  });

  it("without what the daemon made it can be published again, and is the agent's in every byte", async () => {
    const directory = await journalFolder(FIRST_BOOT, SECOND_BOOT);
    const { lines } = await journal(directory, "export", "--agent-events-only");
    const agents = [...FIRST_BOOT, ...SECOND_BOOT].filter(({ made }) => made === undefined);
    const ids = lines.map((line) => JSON.parse(line).event_id);
    expect(lines.join("\n")).not.toContain('"by":"daemon"');
    for (const { event, source } of agents.filter(({ event }) => event.extensions === undefined)) {
      expect(ids).toContain(event.event_id);
      if (source !== undefined) expect(lines).toContain(source);
    }
    const { XDG_RUNTIME_DIR } = runtimeEnvironment();
    const daemon = await serve(XDG_RUNTIME_DIR);
    const file = join(XDG_RUNTIME_DIR, "again.ndjson");
    writeFileSync(file, `${lines.join("\n")}\n`);
    const stage = createStage({ environment: daemon.environment });
    await run(registerPublish, stage, file, "--socket", daemon.socketPath);
    expect(stage.err()).toBe("");
    expect(stage.out()).toMatch(/of 2 sessions in .*; 0 refused\.\n$/);
    await daemon.stop();
  });

  it("ends where it is interrupted, and says so by its exit code", async () => {
    const directory = await journalFolder(FIRST_BOOT);
    const stage = createStage();
    const onInterrupt = (interrupt: () => void) => {
      interrupt();
      return () => {};
    };
    const interrupted = { ...stage, io: { ...stage.io, onInterrupt } };
    await run(registerJournal, interrupted, "export", "--journal", directory);
    expect([stage.out(), stage.err(), stage.exitCode()]).toStrictEqual(["", "", 130]);
  });

  it("ends quietly where nobody reads any more, having read no further", async () => {
    const many = record(({ publish }) => {
      publish(one.started());
      for (let index = 0; index < 500; index += 1) publish(one.chunk("x".repeat(200)));
    });
    const directory = await journalFolder(many);
    const stage = createStage();
    let written = 0;
    const stdout = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, done) => {
        written += 1;
        done(written < 3 ? null : Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
      },
    });
    const io = { ...stage.io, stdout };
    await run((program) => registerJournal(program, io), stage, "export", "--journal", directory);
    expect([written, stage.exitCode(), stage.err()]).toStrictEqual([3, 0, ""]);
  });
});
