// The audit log on a real disk: what is in it, who may read it, how it is rotated, and that nothing that goes wrong with it stops anybody.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AuditEntry, ReplyFate } from "../../../src/contracts/audit.js";
import type { Log } from "../../../src/contracts/log.js";
import {
  type AuditLimits,
  type AuditLog,
  type AuditLogOptions,
  type AuditStream,
  createAuditLog,
} from "../../../src/daemon/audit/audit-log.js";
import type { ReplyEntry } from "../../../src/daemon/audit/reply-budget.js";
import { stateDirectory } from "../../../src/daemon/platform/state-directory.js";
import { startRig } from "../../support/rigs/daemon-rig.js";
import { createVirtualClock } from "../../support/rigs/virtual-clock.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

interface Stage {
  readonly audit: AuditLog;
  readonly directory: string;
  readonly clock: ReturnType<typeof createVirtualClock>;
  readonly warnings: readonly string[];
  /** The lines of a file, parsed. */
  readonly lines: (name?: string) => readonly Record<string, unknown>[];
}

function stage({ maxBytes = 65_536, keepFiles = 3, ...options }: Partial<AuditLogOptions & AuditLimits> = {}): Stage {
  const directory = options.directory ?? join(temporaryDirectory(), "state", "audit");
  const clock = createVirtualClock();
  const warnings: string[] = [];
  const note: Log["warn"] = (_, message) => void warnings.push(message);
  const log: Log = { debug: () => {}, info: () => {}, warn: note, error: note };
  const audit = createAuditLog({
    directory,
    producerId: "bank",
    limits: () => ({ maxBytes, keepFiles }),
    log,
    clock,
    ...options,
  });
  onTestFinished(async () => {
    const closing = audit.close();
    // Where the disk takes nothing, closing waits for this clock.
    clock.advance(300);
    await closing;
  });
  const lines = (name = "bank.ndjson") =>
    readFileSync(join(directory, name), "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { audit, directory, clock, warnings, lines };
}

function reply(number: number, fate: ReplyFate = "unknown_token", raw: unknown = { decision: "accept" }): ReplyEntry {
  const who = { subscription_id: "sub_1", subscriber_id: "reader" };
  return { kind: "reply", fate, reply_token: `rpl_${number}`, token_is_open: fate === "counted", ...who, reply: raw };
}

function outcome(number: number): AuditEntry {
  return {
    kind: "outcome",
    event_id: `evt_${number}`,
    reply_token: `rpl_${number}`,
    outcome: { decision: "reject", resolved_by: "timeout" },
  };
}

function mode(...path: readonly string[]): string {
  return (statSync(join(...path)).mode & 0o777).toString(8);
}

/** A stream whose writes fail once it is told to. */
function fragileStream(): { readonly stream: AuditStream; readonly written: string[]; fails: boolean } {
  const written: string[] = [];
  const fragile = {
    written,
    fails: false,
    stream: {
      write: (line: string, done: (error?: Error) => void) => {
        if (fragile.fails) return done(Object.assign(new Error("no space left"), { code: "ENOSPC" }));
        written.push(line);
        done();
      },
      end: (done: () => void) => done(),
      on: () => {},
    },
  };
  return fragile;
}

test("AAEP §10 T3: one line of JSON an entry, with time and kind, for nobody else to read", async () => {
  const { audit, directory, clock, lines } = stage();
  audit.record(reply(1));
  clock.advance(1500);
  audit.record(outcome(1));
  await audit.close();
  expect(lines()).toStrictEqual([
    { time: "2026-05-24T14:00:00.000Z", ...reply(1) },
    { time: "2026-05-24T14:00:01.500Z", ...outcome(1) },
  ]);
  expect(mode(directory)).toBe("700");
  expect(mode(directory, "bank.ndjson")).toBe("600");
  expect(readdirSync(directory)).toStrictEqual(["bank.ndjson"]);
});

test("an entry may have happened earlier, and whoever keeps it until then is told when it is in the file", async () => {
  const { audit, clock, lines } = stage();
  clock.advance(5000);
  const at = clock.wallTime() - 3000;
  const settled: string[] = [];
  for (const [name, entry] of [
    ["counted", reply(1, "counted")],
    ["vain", reply(2)],
    ["outcome", outcome(1)],
  ] as const)
    audit.record(entry, { at, settled: () => void settled.push(`${name} of ${lines().length}`) });
  expect(settled).toStrictEqual([]);
  await audit.close();
  expect(settled.map((one) => one.split(" ")[0])).toStrictEqual(["counted", "vain", "outcome"]);
  expect(settled).not.toContain("counted of 0");
  expect(lines().map(({ time }) => time)).toStrictEqual(Array(3).fill("2026-05-24T14:00:02.000Z"));
});

test.each([
  ["the file cannot be opened", { openStream: () => Promise.reject(new Error("no folder")) }, 1],
  ["there is no room for it", { maxWaitingBytes: 10, openStream: () => new Promise<AuditStream>(() => {}) }, 0],
  ["the disk refuses it", { openStream: async () => Object.assign(fragileStream(), { fails: true }).stream }, 1],
] as const)("nobody keeps for ever what is lost because %s", async (_, options, turns) => {
  const { audit } = stage(options);
  let settledCount = 0;
  const settled = (): void => {
    settledCount += 1;
  };
  for (const entry of [reply(1, "counted"), outcome(1), reply(2)]) audit.record(entry, { settled });
  if (turns > 0) await expect.poll(() => settledCount).toBe(3);
  expect([settledCount, audit.droppedCount()]).toStrictEqual([3, 3]);
  // Nor does it take anything now.
  audit.record(outcome(2), { settled });
  expect(settledCount).toBe(4);
});

test("nothing is on disk where nothing was to be recorded", async () => {
  const { audit, directory } = stage();
  await audit.close();
  expect(() => statSync(directory)).toThrow();
});

test("a later daemon appends, and two at a time have a file each", async () => {
  const directory = join(temporaryDirectory(), "audit");
  const first = stage({ directory });
  const second = stage({ directory });
  first.audit.record(outcome(1));
  second.audit.record(outcome(2));
  await expect
    .poll(() => readdirSync(directory).filter((name) => name.endsWith(".ndjson")))
    .toStrictEqual(["bank-2.ndjson", "bank.ndjson"]);
  await Promise.all([first.audit.close(), second.audit.close()]);
  const third = stage({ directory });
  third.audit.record(outcome(3));
  await third.audit.close();
  expect(third.lines()).toHaveLength(2);
});

test("the name that a killed daemon held is free again", async () => {
  const directory = join(temporaryDirectory(), "audit");
  mkdirSync(directory, { mode: 0o700 });
  // No process has this number: it is above the largest.
  writeFileSync(join(directory, ".bank.pid"), "99999999\n");
  const { audit, lines } = stage({ directory });
  audit.record(outcome(1));
  await audit.close();
  expect(lines()).toHaveLength(1);
});

test("files are rotated by size, and so many are kept as was asked for, all private", async () => {
  const { audit, directory, lines } = stage({ maxBytes: 1000, keepFiles: 2 });
  for (let number = 1; number <= 60; number += 1) audit.record(outcome(number));
  await audit.close(5000);
  const names = ["bank.ndjson", "bank.ndjson.1", "bank.ndjson.2"];
  expect(readdirSync(directory)).toStrictEqual(names);
  for (const name of names) {
    expect(mode(directory, name)).toBe("600");
    expect(statSync(join(directory, name)).size).toBeLessThan(1200);
  }
  const kept = [...names].reverse().flatMap((name) => lines(name));
  const tokens = kept.map((line) => line.reply_token);
  expect(tokens).toStrictEqual(tokens.map((_, index) => `rpl_${60 - tokens.length + 1 + index}`));
  expect(audit.droppedCount()).toBe(0);
});

test("R8b: other limits hold from then on, and no line is lost or out of order for it", async () => {
  const limits = { maxBytes: 1024 * 1024, keepFiles: 3 };
  const { audit, directory, lines } = stage({ limits: () => limits });
  for (let number = 1; number <= 30; number += 1) audit.record(outcome(number));
  await expect.poll(() => readdirSync(directory)).toContain("bank.ndjson");
  Object.assign(limits, { maxBytes: 1000, keepFiles: 9 });
  audit.limitsChanged();
  // Of these the file of before has the first; the others wait until it is closed, or come behind.
  for (let number = 31; number <= 33; number += 1) audit.record(outcome(number));
  await Promise.resolve();
  for (let number = 34; number <= 36; number += 1) audit.record(outcome(number));
  await new Promise(setImmediate);
  for (let number = 37; number <= 60; number += 1) audit.record(outcome(number));
  await audit.close(5000);
  const names = [...readdirSync(directory)].sort().reverse();
  expect(names.length).toBeGreaterThan(4);
  const tokens = names.flatMap((name) => lines(name)).map((line) => line.reply_token);
  expect(tokens).toStrictEqual(tokens.map((_, index) => `rpl_${60 - tokens.length + 1 + index}`));
  expect(tokens.length).toBe(60);
  expect(audit.droppedCount()).toBe(0);
});

test("R8b: the file is not opened again before the last line of before is in it", async () => {
  const said: string[] = [];
  let endFirst = (): void => {};
  const first: AuditStream = {
    write: (_, done) => done(),
    end: (done) => {
      said.push("ending");
      endFirst = done;
    },
    on: () => {},
  };
  const second = fragileStream();
  let opened = 0;
  const openStream = async (): Promise<AuditStream> => {
    said.push("opened");
    opened += 1;
    return opened === 1 ? first : second.stream;
  };
  const { audit } = stage({ openStream });
  audit.record(outcome(1));
  await expect.poll(() => said).toStrictEqual(["opened"]);
  audit.limitsChanged();
  await expect.poll(() => said).toStrictEqual(["opened", "ending"]);
  audit.record(outcome(2));
  await new Promise(setImmediate);
  expect(said).toStrictEqual(["opened", "ending"]);
  endFirst();
  await expect.poll(() => second.written).toHaveLength(1);
  expect(second.written[0]).toContain("rpl_2");
});

test("a place that cannot be written costs nobody anything: it is counted, and logged once", async () => {
  const directory = join(temporaryDirectory(), "audit");
  mkdirSync(join(directory, "bank.ndjson"), { recursive: true, mode: 0o700 });
  const { audit, warnings } = stage({ directory });
  for (let number = 1; number <= 5; number += 1) audit.record(outcome(number));
  await audit.close();
  expect(audit.droppedCount()).toBeGreaterThanOrEqual(5);
  expect(warnings).toStrictEqual(["the audit log cannot be written; questions go on without it"]);
});

test("a folder that others can reach is not used", async () => {
  const directory = join(temporaryDirectory(), "audit");
  mkdirSync(directory, { mode: 0o755 });
  const { audit, warnings } = stage({ directory });
  audit.record(outcome(1));
  await audit.close();
  expect(readdirSync(directory)).toStrictEqual([]);
  expect(warnings).toHaveLength(1);
});

test("a full disk is tried again later, and the log says what is missing", async () => {
  const streams = [fragileStream(), fragileStream()] as const;
  let opened = 0;
  const { audit, clock, warnings } = stage({
    openStream: async () => (opened++ === 0 ? streams[0] : streams[1]).stream,
    retryAfterMs: 10_000,
  });
  audit.record(outcome(1));
  await expect.poll(() => streams[0].written).toHaveLength(1);
  streams[0].fails = true;
  for (let number = 2; number <= 4; number += 1) audit.record(outcome(number));
  clock.advance(9999);
  audit.record(outcome(5));
  expect(audit.droppedCount()).toBe(4);
  expect(warnings).toHaveLength(1);
  clock.advance(1);
  audit.record(outcome(6));
  await expect.poll(() => streams[1].written).toHaveLength(2);
  const [told = "", next = ""] = streams[1].written;
  expect(JSON.parse(told)).toMatchObject({ kind: "left_out", count: 4 });
  expect(JSON.parse(next)).toMatchObject({ reply_token: "rpl_6" });
  expect(warnings).toHaveLength(1);
});

test("T4: a flood of forged replies leaves a count, and does not keep what matters from being recorded", async () => {
  const { audit, clock, lines } = stage({ maxBytes: 1024 * 1024, maxVainRepliesPerSecond: 10 });
  for (let number = 1; number <= 100_000; number += 1) audit.record(reply(number));
  audit.record(reply(0, "counted"));
  audit.record(outcome(0));
  clock.advance(1000);
  audit.record(reply(1));
  await audit.close(5000);
  expect(audit.droppedCount()).toBe(99_990);
  const kinds = lines().map(({ kind, fate, count }) => fate ?? count ?? kind);
  expect(kinds).toStrictEqual([
    ...Array.from({ length: 10 }, () => "unknown_token"),
    "counted",
    "outcome",
    99_990,
    "unknown_token",
  ]);
  expect(lines()[12]).toStrictEqual({
    time: "2026-05-24T14:00:01.000Z",
    kind: "left_out",
    count: 99_990,
    subscription_id: "sub_1",
    subscriber_id: "reader",
  });
});

test("T4: nobody hides an attempt behind another subscription's flood: each has a budget and a count of its own", async () => {
  const { audit, lines } = stage({ maxBytes: 1024 * 1024, maxVainRepliesPerSecond: 10 });
  const by = (number: number, entry: ReplyEntry) => ({ ...entry, subscription_id: `sub_${number}` });
  for (let number = 1; number <= 1000; number += 1) audit.record(by(1, reply(number)));
  for (let number = 1; number <= 12; number += 1) audit.record(by(2, reply(number)));
  audit.record(by(3, reply(1)));
  await audit.close();
  const all = lines();
  const recorded = (id: string) => all.filter((line) => line.kind === "reply" && line.subscription_id === id).length;
  expect(["sub_1", "sub_2", "sub_3"].map(recorded)).toStrictEqual([10, 10, 1]);
  expect(all.filter(({ kind }) => kind === "left_out")).toMatchObject([
    { count: 990, subscription_id: "sub_1", subscriber_id: "reader" },
    { count: 2, subscription_id: "sub_2", subscriber_id: "reader" },
  ]);
});

test("T4: nor an attempt on an open question behind a flood of its own", async () => {
  const { audit, clock, lines } = stage({ maxBytes: 1024 * 1024, maxVainRepliesPerSecond: 10 });
  for (let number = 1; number <= 1000; number += 1) audit.record(reply(number));
  const onOpen = (number: number, fate: ReplyFate) => ({ ...reply(number, fate), token_is_open: true });
  for (let attempt = 1; attempt <= 25; attempt += 1) audit.record(onOpen(7, "expired"));
  audit.record(onOpen(7, "not_offered"));
  audit.record(onOpen(8, "expired"));
  clock.advance(1000);
  await audit.close();
  const open = lines().filter((line) => line.token_is_open === true);
  expect(open.map(({ reply_token, fate }) => `${reply_token} ${fate}`)).toStrictEqual([
    ...Array.from({ length: 10 }, () => "rpl_7 expired"),
    "rpl_7 not_offered",
    "rpl_8 expired",
  ]);
  expect(lines().filter(({ kind }) => kind === "left_out")).toMatchObject([
    { count: 990, subscription_id: "sub_1" },
    { count: 15, subscription_id: "sub_1", reply_token: "rpl_7", fate: "expired" },
  ]);
});

test("T4: nor on an open question behind lines that wait for the disk", () => {
  const { audit } = stage({
    maxWaitingBytes: 160_000,
    maxVainRepliesPerSecond: 1000,
    openStream: () => new Promise(() => {}),
  });
  for (let number = 1; number <= 1000; number += 1) audit.record(reply(number));
  const before = audit.droppedCount();
  expect(before).toBeGreaterThan(900);
  audit.record({ ...reply(7, "not_offered"), token_is_open: true });
  expect(audit.droppedCount()).toBe(before);
});

test("what was left out is told within a second, and nothing is remembered of whoever tries no more", async () => {
  const { audit, clock, lines } = stage({ maxVainRepliesPerSecond: 1 });
  for (let second = 1; second <= 2; second += 1) {
    for (const number of [1, 2, 3]) audit.record(reply(number));
    clock.advance(1000);
  }
  clock.advance(1000);
  expect(clock.pending()).toBe(0);
  await audit.close();
  expect(lines().map(({ kind, count }) => count ?? kind)).toStrictEqual(["reply", 2, "reply", 2]);
});

test("a reply that comes after the end leaves no timer", async () => {
  const { audit, clock } = stage();
  await audit.close();
  audit.record(reply(1));
  expect(audit.droppedCount()).toBe(1);
  expect(clock.pending()).toBe(0);
});

test("a reply that did not count is recorded in part where it is long; one that did, whole", async () => {
  const { audit, lines } = stage({ maxBytes: 1024 * 1024 });
  const long = { response: "x".repeat(10_000) };
  audit.record(reply(1, "malformed", long));
  audit.record(reply(2, "counted", long));
  await audit.close();
  const [cut, whole] = lines();
  expect(JSON.stringify(cut).length).toBeLessThan(2500);
  expect(cut?.reply).toMatchObject({ length: 10_015 });
  expect(whole?.reply).toStrictEqual(long);
});

test("R19: a reply that came as text stands there as it came, beside what it says; a long text in part", async () => {
  const { audit, lines } = stage({ maxBytes: 1024 * 1024 });
  const message = { type: "confirmation.reply", decision: "accept" };
  const text = '{"type": "confirmation.reply",\t"decision":"\\u0061ccept"}\n';
  const spaced = `${" ".repeat(20_000)}{}`;
  audit.record(reply(1, "counted", { text, message }));
  audit.record(reply(2, "expired", { text, message }));
  audit.record(reply(3, "malformed", { text }));
  audit.record(reply(4, "counted", { text: spaced, message }));
  audit.record(reply(5, "malformed", { text: spaced }));
  // Of an earlier run, which kept the message alone; and one whose message has such a member.
  audit.record(reply(6, "counted", message));
  audit.record(reply(7, "counted", { ...message, text }));
  await audit.close();
  const told = lines().map(({ reply: said, text: written }) => ({ said, written }));
  expect(told).toStrictEqual([
    { said: message, written: text },
    { said: message, written: text },
    { said: undefined, written: text },
    { said: message, written: { beginning: " ".repeat(16_384), length: 20_002 } },
    { said: undefined, written: { beginning: " ".repeat(2048), length: 20_002 } },
    { said: message, written: undefined },
    { said: { ...message, text }, written: undefined },
  ]);
  expect(lines()[2]).not.toHaveProperty("reply");
});

test("memory is bounded while the disk takes nothing", async () => {
  const { audit } = stage({ maxWaitingBytes: 16_000, openStream: () => new Promise(() => {}) });
  for (let number = 1; number <= 1000; number += 1) audit.record(outcome(number));
  expect(audit.droppedCount()).toBeGreaterThan(850);
  expect(audit.droppedCount()).toBeLessThan(1000);
});

test("what cannot be written as JSON is counted, not thrown", async () => {
  const { audit, warnings } = stage();
  expect(() => audit.record(reply(1, "malformed", { number: 1n }))).not.toThrow();
  expect(audit.droppedCount()).toBe(1);
  expect(warnings).toHaveLength(1);
});

test("a daemon records what it was asked into the folder that it was given, and has written it when it has stopped", async () => {
  const path = join(temporaryDirectory(), "audit");
  const rig = await startRig({ configuration: { audit: { kind: "directory", path } } });
  const agent = await rig.rpc();
  const session_id = "sess_audited";
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Pays." });
  const outcome = await agent.request("aaep.confirm", { session_id, action: "Pay.", consequence: "Money leaves." });
  expect(outcome).toMatchObject({ resolved_by: "no_subscriber" });
  await rig.stop();
  const entries = readFileSync(join(path, "aaepd.ndjson"), "utf8").trimEnd().split("\n");
  const [asked, ended] = entries.map((line) => JSON.parse(line));
  expect(asked).toMatchObject({ kind: "asked", event: { session_id, action: "Pay." } });
  expect(ended).toMatchObject({ kind: "outcome", outcome });
});

test("R8a: what an orderly stop brings about stands there once, over any number of starts on the same journal", async () => {
  const folder = temporaryDirectory();
  const audit = { kind: "directory", path: join(folder, "audit") } as const;
  const journal = { kind: "directory", path: join(folder, "journal") } as const;
  const configuration = { audit, journal, confirmationGraceSeconds: 60, onStop: "end" as const };
  const session_id = "sess_audited";
  for (let run = 1; run <= 3; run += 1) {
    const rig = await startRig({ configuration });
    if (run === 1) {
      const agent = await rig.rpc();
      const asked = { session_id, type: "aaep:agent.awaiting.confirmation", reply_token: "rpl_1", timeout_seconds: 60 };
      const texts = {
        action: "Pay.",
        consequence: "Money leaves.",
        default_decision: "reject",
        summary_normal: "Pays?",
      };
      await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Pays." });
      await agent.publish({ ...asked, ...texts });
    }
    await rig.stop();
  }
  const entries = readFileSync(join(audit.path, "aaepd.ndjson"), "utf8").trimEnd().split("\n");
  expect(entries.map((line) => JSON.parse(line))).toMatchObject([
    { kind: "asked", event: { session_id } },
    { kind: "outcome", outcome: { resolved_by: "cancelled" } },
  ]);
});

test("auto is the folder of XDG for state, and has a place on every platform", () => {
  expect(stateDirectory({ XDG_STATE_HOME: "/s", HOME: "/h" }, "audit", "linux")).toBe("/s/aaepd/audit");
  expect(stateDirectory({ XDG_STATE_HOME: "relative", HOME: "/h" }, "audit", "linux")).toBe(
    "/h/.local/state/aaepd/audit",
  );
  expect(stateDirectory({ LOCALAPPDATA: "/local", HOME: "/h" }, "audit", "win32")).toBe("/local/aaepd/audit");
});
