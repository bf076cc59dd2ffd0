// `aaepd journal compact`: alone, and through the daemon that has the journal.
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { registerJournal } from "../../../src/cli/journal/journal.js";
import type { Connection } from "../../../src/contracts/transport.js";
import { createIpcTransport } from "../../../transports/ipc/listen.js";
import { session } from "../../support/rigs/engine-rig.js";
import { journalFolder, record } from "../../support/rigs/journal-folder.js";
import { createStage, run, runtimeEnvironment, serve } from "../command-stage.js";

const one = session("sess_one");
const EVENTS = record(({ publish }) => publish(one.started(), one.chunk("Text. ", true), one.completed()));
const DONE = /^Journal \S+: [\d.]+ \w+ before, [\d.]+ \w+ now\.\n$/;

async function journal(
  environment: Readonly<Record<string, string | undefined>>,
  directory: string,
  ...argv: readonly string[]
) {
  const stage = createStage({ environment });
  const [name = "", ...options] = argv;
  await run(registerJournal, stage, name, "--journal", directory, ...options);
  return { out: stage.out(), err: stage.err(), code: stage.exitCode() };
}

it("says what the journal took before and takes now; nothing in it is another", async () => {
  const directory = await journalFolder(EVENTS, EVENTS.slice(1, 2));
  const before = (await journal({}, directory, "export", "--with-epochs")).out;
  const { out, code, err } = await journal({}, directory, "compact");
  expect(out).toMatch(DONE);
  expect([code, err]).toStrictEqual([0, ""]);
  expect((await journal({}, directory, "export", "--with-epochs")).out).toBe(before);
});

it("finds the daemon that has the journal among others, by the variable, and by --socket", async () => {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const place = join(directory, "journal");
  await serve(XDG_RUNTIME_DIR, "--producer-id", "another", "--journal", "memory");
  const { socketPath, pid } = await serve(XDG_RUNTIME_DIR, "--journal", place);
  const asked = `Process ${pid} has this journal. It compacts it, and goes on meanwhile.\n`;
  const elsewhere = runtimeEnvironment();
  for (const { out, err, code } of [
    await journal({ XDG_RUNTIME_DIR }, place, "compact"),
    await journal({ ...elsewhere, AAEPD_SOCKET: socketPath }, place, "compact"),
    await journal({ XDG_RUNTIME_DIR, AAEPD_SOCKET: join(directory, "another.sock") }, place, "compact"),
    await journal(elsewhere, place, "compact", "--socket", socketPath),
  ])
    expect([code, err, out]).toStrictEqual([0, asked, expect.stringMatching(DONE)]);
});

it("refuses, and changes nothing, where it finds no daemon that has the journal", async () => {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const place = join(directory, "journal");
  const { pid } = await serve(XDG_RUNTIME_DIR, "--journal", place, "--socket", join(directory, "hidden"));
  const { ino } = statSync(join(place, "journal.mdb"));
  const another = await serve(XDG_RUNTIME_DIR, "--producer-id", "another", "--journal", "memory");
  const { err, code, out } = await journal({ XDG_RUNTIME_DIR }, place, "compact");
  expect(err).toBe(
    `Error: The journal in ${place} is in use by process ${pid}, and no socket of it was found. Name its socket (--socket), or stop it. (address_in_use)\n`,
  );
  expect([code, out]).toStrictEqual([1, ""]);
  const named = await journal({ XDG_RUNTIME_DIR }, place, "compact", "--socket", another.socketPath);
  expect(named.err).toContain(`in use by process ${pid}, and another daemon listens at ${another.socketPath}.`);
  expect(named.code).toBe(1);
  const missing = await journal({ XDG_RUNTIME_DIR }, place, "compact", "--socket", join(directory, "none.sock"));
  expect([missing.err, missing.code]).toStrictEqual([expect.stringMatching(/^Error: There is no /), 69]);
  expect(statSync(join(place, "journal.mdb")).ino).toBe(ino);
});

it("says of a daemon of an earlier version that it cannot", async () => {
  const { XDG_RUNTIME_DIR, directory } = runtimeEnvironment();
  const place = await journalFolder(EVENTS);
  writeFileSync(join(place, ".owner.pid"), `${process.pid}\n`);
  const path = join(directory, "earlier.sock");
  const answer = async (connection: Connection<Uint8Array>): Promise<void> => {
    for await (const batch of connection.frames) {
      for (const frame of batch) {
        const { id, method } = JSON.parse(Buffer.from(frame).toString("utf8"));
        const result = { result: { journal: { path: join(place, "journal.mdb") } } };
        const error = { error: { code: -32601, message: "No.", data: { code: "unknown_method" } } };
        const answered = method === "aaepd.status" ? result : error;
        connection.send(Buffer.from(JSON.stringify({ jsonrpc: "2.0", id, ...answered })));
      }
    }
  };
  const listener = await createIpcTransport({ path }).listen((connection) => void answer(connection).catch(() => {}));
  onTestFinished(() => listener.stop());
  const { err, code } = await journal({ XDG_RUNTIME_DIR }, place, "compact");
  expect(err).toContain(
    `Error: The daemon at ${path} is of an earlier version, which cannot compact its journal. Stop it, and compact the journal then.`,
  );
  expect(code).toBe(1);
});
