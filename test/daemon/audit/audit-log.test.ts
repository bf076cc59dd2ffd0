// The audit log on a real disk: what is in it, who may read it, how it is rotated, and that nothing that goes wrong with it stops anybody.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { AuditEntry, ReplyFate } from "../../../src/contracts/audit.js";
import type { Log } from "../../../src/contracts/log.js";
import type { AuditFile, AuditLimits } from "../../../src/daemon/audit/audit-file.js";
import { type AuditLog, type AuditLogOptions, createAuditLog } from "../../../src/daemon/audit/audit-log.js";
import type { ReplyEntry } from "../../../src/daemon/audit/reply-budget.js";
import type { AgentEvent } from "../../../src/engine/event/event.js";
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
  const lines = (name = "bank.ndjson") => parsed(readFileSync(join(directory, name), "utf8"));
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

/** A file whose writes fail while it is told to. `written` has a text for each write. */
function fragileFile(): { readonly file: AuditFile; readonly written: string[]; fails: boolean } {
  const written: string[] = [];
  const fragile = {
    written,
    fails: false,
    file: {
      append: async (lines: string) => {
        if (fragile.fails) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
        written.push(lines);
      },
      close: async () => {},
    },
  };
  return fragile;
}

/** A file that never answers. */
const STUCK: AuditFile = { append: () => new Promise(() => {}), close: async () => {} };

function parsed(text: string): readonly Record<string, unknown>[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
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

test("a line has no character that some reader takes for its end", async () => {
  const { audit, directory, lines } = stage();
  const rationale = "a\u2028b\u2029c\u0085d";
  audit.record(reply(1, "counted", { rationale }));
  await audit.close();
  expect(readFileSync(join(directory, "bank.ndjson"), "utf8")).not.toMatch(/[\u0085\u2028\u2029]/);
  expect(lines()).toMatchObject([{ reply: { rationale } }]);
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

test("nobody keeps for ever what there is no room for; what waits for the file is kept until the file has it", async () => {
  const fragile = Object.assign(fragileFile(), { fails: true });
  const { audit, clock, warnings } = stage({ maxWaitingBytes: 600, createFile: () => fragile.file });
  const settled: string[] = [];
  const note = (name: string) => ({ settled: () => void settled.push(name) });
  for (const name of ["first", "second", "third", "fourth"]) audit.record(outcome(1), note(name));
  audit.record(reply(1, "counted"), note("reply"));
  expect(settled).toStrictEqual(["third", "fourth", "reply"]);
  clock.settle();
  await expect.poll(() => warnings).toHaveLength(1);
  fragile.fails = false;
  clock.advance(10_000);
  await expect.poll(() => settled).toStrictEqual(["third", "fourth", "reply", "first", "second"]);
  expect(audit.droppedCount()).toBe(3);
  await audit.close();
  // Nor does it take anything now.
  audit.record(outcome(2), note("late"));
  expect(settled).toContain("late");
});

test("lines of a turn are one write, and lines that come during a write are the next, however many they are", async () => {
  const fragile = fragileFile();
  const { audit, clock } = stage({ createFile: () => fragile.file });
  const record = (from: number, to: number): void => {
    for (let number = from; number <= to; number += 1) audit.record(outcome(number));
  };
  record(1, 100);
  clock.settle();
  record(101, 200);
  await expect.poll(() => fragile.written.length).toBe(2);
  expect(fragile.written.map((text) => parsed(text).length)).toStrictEqual([100, 100]);
  record(1, 10_000);
  clock.settle();
  await audit.close(5000);
  const writes = fragile.written.slice(2).map((text) => text.length);
  expect(Math.max(...writes)).toBeLessThanOrEqual(64 * 1024);
  expect(writes.length).toBeLessThan(40);
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
  for (const { clock } of [first, second]) clock.settle();
  await expect
    .poll(() => readdirSync(directory).filter((name) => name.endsWith(".ndjson")))
    .toStrictEqual(["bank-2.ndjson", "bank.ndjson"]);
  await Promise.all([first.audit.close(), second.audit.close()]);
  const third = stage({ directory });
  third.audit.record(outcome(3));
  await third.audit.close();
  expect(third.lines()).toHaveLength(2);
});

test("files are rotated by size, and so many are kept as was asked for, all private", async () => {
  const { audit, directory, lines } = stage({ maxBytes: 1000, keepFiles: 2 });
  for (let number = 1; number <= 60; number += 1) audit.record(outcome(number));
  await audit.close(5000);
  const names = ["bank.ndjson", "bank.ndjson.1", "bank.ndjson.2"];
  expect(readdirSync(directory)).toStrictEqual(names);
  for (const name of names) {
    expect(mode(directory, name)).toBe("600");
    expect(statSync(join(directory, name)).size).toBeLessThanOrEqual(1000);
  }
  const kept = [...names].reverse().flatMap((name) => lines(name));
  const tokens = kept.map((line) => line.reply_token);
  expect(tokens).toStrictEqual(tokens.map((_, index) => `rpl_${60 - tokens.length + 1 + index}`));
  expect(audit.droppedCount()).toBe(0);
});

test("R8b: other limits hold from then on, and no line is lost or out of order for it", async () => {
  const limits = { maxBytes: 1024 * 1024, keepFiles: 3 };
  const { audit, directory, clock, lines } = stage({ limits: () => limits });
  for (let number = 1; number <= 30; number += 1) audit.record(outcome(number));
  clock.settle();
  await expect.poll(() => readdirSync(directory)).toContain("bank.ndjson");
  Object.assign(limits, { maxBytes: 1000, keepFiles: 19 });
  for (let number = 31; number <= 60; number += 1) audit.record(outcome(number));
  await audit.close(5000);
  const numberOf = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
  const names = [...readdirSync(directory)].sort((one, other) => numberOf(other) - numberOf(one));
  expect(names.length).toBeGreaterThan(4);
  const tokens = names.flatMap((name) => lines(name)).map((line) => line.reply_token);
  expect(tokens).toStrictEqual(Array.from({ length: 60 }, (_, index) => `rpl_${index + 1}`));
  expect(audit.droppedCount()).toBe(0);
});

test("a file that was taken away is made again, and so is a folder, with the claim on the name", async () => {
  const { audit, directory, clock, lines } = stage();
  const record = async (number: number): Promise<void> => {
    audit.record(outcome(number));
    clock.settle();
    await expect.poll(() => audit.trouble() === undefined && lines().at(-1)?.reply_token).toBe(`rpl_${number}`);
  };
  await record(1);
  rmSync(join(directory, "bank.ndjson"));
  await record(2);
  renameSync(directory, `${directory}-away`);
  audit.record(outcome(3));
  clock.settle();
  await expect.poll(() => audit.trouble()?.reason).toContain("ENOENT");
  clock.advance(10_000);
  await expect.poll(() => audit.trouble()).toBe(undefined);
  expect(lines().map(({ reply_token }) => reply_token)).toStrictEqual(["rpl_3"]);
  expect([mode(directory), readdirSync(directory).sort()]).toStrictEqual(["700", [".bank.pid", "bank.ndjson"]]);
});

test("a line that a kill left without its end is not glued to the next", async () => {
  const directory = join(temporaryDirectory(), "audit");
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(join(directory, "bank.ndjson"), '{"kind":"outcome","event_i');
  const { audit } = stage({ directory });
  audit.record(outcome(1));
  await audit.close();
  const [torn, whole = ""] = readFileSync(join(directory, "bank.ndjson"), "utf8").split("\n");
  expect(torn).toBe('{"kind":"outcome","event_i');
  expect(JSON.parse(whole)).toMatchObject({ reply_token: "rpl_1" });
});

test.each<[string, (directory: string) => void]>([
  ["a place", (directory) => mkdirSync(join(directory, "bank.ndjson"), { recursive: true, mode: 0o700 })],
  ["a folder that others can reach", (directory) => mkdirSync(directory, { mode: 0o755 })],
])("%s that cannot be written costs nobody anything: it is counted, and logged once", async (_, spoil) => {
  const directory = join(temporaryDirectory(), "audit");
  spoil(directory);
  const before = readdirSync(directory);
  const { audit, warnings } = stage({ directory });
  for (let number = 1; number <= 5; number += 1) audit.record(outcome(number));
  await audit.close();
  expect(audit.droppedCount()).toBeGreaterThanOrEqual(5);
  expect(warnings).toStrictEqual(["the audit log cannot be written; questions go on without it"]);
  expect(readdirSync(directory).filter((name) => !name.startsWith("."))).toStrictEqual(before);
});

test("a full disk is tried again later; what found room waits, the log says what is missing, and the trouble is over", async () => {
  const fragile = fragileFile();
  const { audit, clock, warnings } = stage({ createFile: () => fragile.file, maxWaitingBytes: 2000 });
  audit.record(outcome(1));
  clock.settle();
  await expect.poll(() => fragile.written).toHaveLength(1);
  expect(audit.trouble()).toBe(undefined);
  fragile.fails = true;
  for (let number = 2; number <= 20; number += 1) audit.record(outcome(number));
  audit.record({ ...reply(1, "counted"), reply: "x".repeat(1000) });
  const missing = audit.droppedCount();
  expect(missing).toBeGreaterThan(10);
  clock.settle();
  await expect.poll(() => warnings).toHaveLength(1);
  clock.advance(9999);
  await new Promise(setImmediate);
  expect(warnings).toHaveLength(1);
  expect(audit.trouble()).toStrictEqual({ reason: "no space left", waitingCount: 20 - missing, leftOutCount: missing });
  fragile.fails = false;
  clock.advance(1);
  await expect.poll(() => fragile.written.length).toBe(3);
  const [, waited = "", told = ""] = fragile.written;
  expect(parsed(waited)).toHaveLength(20 - missing);
  expect(parsed(told)).toStrictEqual([
    expect.objectContaining({ kind: "left_out", count: missing, kinds: { outcome: missing - 1, reply: 1 } }),
  ]);
  expect(audit.trouble()).toBe(undefined);
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
  expect([audit.floodedCount(), audit.droppedCount(), audit.trouble()]).toStrictEqual([99_990, 0, undefined]);
  const kinds = lines().map(({ kind, fate, count }) => count ?? fate ?? kind);
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
    fate: "unknown_token",
  });
});

test("T4: a flood that begins late is cut in each second of its own", async () => {
  const { audit, clock } = stage({ maxVainRepliesPerSecond: 1 });
  audit.record(reply(1));
  clock.advance(500);
  const late = { ...reply(2), subscription_id: "sub_2" };
  audit.record(late);
  clock.advance(1100);
  for (let count = 1; count <= 3; count += 1) audit.record(late);
  expect(audit.floodedCount()).toBe(2);
});

test("T4: a flood is counted by what became of the replies", async () => {
  const { audit, lines } = stage({ maxVainRepliesPerSecond: 1 });
  for (const fate of ["malformed", "expired", "malformed", "expired", "expired"] as const) audit.record(reply(1, fate));
  await audit.close();
  expect(lines().slice(1)).toMatchObject([
    { kind: "left_out", count: 3, fate: "expired" },
    { kind: "left_out", count: 1, fate: "malformed" },
  ]);
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
    createFile: () => STUCK,
  });
  for (let number = 1; number <= 1000; number += 1) audit.record(reply(number));
  const before = audit.floodedCount();
  expect(before).toBeGreaterThan(900);
  audit.record({ ...reply(7, "not_offered"), token_is_open: true });
  expect(audit.floodedCount()).toBe(before);
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
  expect(audit.floodedCount()).toBe(1);
  expect(clock.pending()).toBe(0);
});

test("questions that wait for the disk leave room for outcomes", () => {
  const { audit } = stage({ maxWaitingBytes: 16_000, createFile: () => STUCK });
  const shown = { event_id: "evt_1", reply_token: "rpl_1", subscription_id: "sub_1", subscriber_id: "reader" };
  for (let count = 1; count <= 100; count += 1) audit.record({ kind: "shown", ...shown });
  const before = audit.droppedCount();
  expect(before).toBeGreaterThan(50);
  for (let number = 1; number <= 20; number += 1) audit.record(outcome(number));
  expect(audit.droppedCount()).toBe(before);
});

test("what cannot be written as JSON is counted, not thrown", async () => {
  const { audit, warnings } = stage();
  expect(() => audit.record(reply(1, "malformed", { number: 1n }))).not.toThrow();
  expect([audit.droppedCount(), audit.trouble()]).toStrictEqual([1, undefined]);
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

test("R8a: the time limit of a close counts from when the names of what is not seen are known", async () => {
  const { audit, clock, lines } = stage();
  const event = {
    type: "aaep:agent.awaiting.confirmation",
    event_id: "evt_1",
    session_id: "sess_1",
    action: "Pay \u202e.",
  };
  audit.record({ kind: "asked", event: event as unknown as AgentEvent });
  const closing = audit.close(300);
  clock.advance(300);
  await closing;
  expect(lines()).toMatchObject([{ kind: "asked", shown: { action: "Pay [right-to-left override]." } }]);
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
        consequence: "Money\u202eleaves → é.",
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
    {
      kind: "asked",
      event: { session_id, consequence: "Money\u202eleaves → é." },
      shown: { consequence: "Money[right-to-left override]leaves → é." },
    },
    { kind: "outcome", outcome: { resolved_by: "cancelled" } },
  ]);
});
