// docs/audit.md: a reply in its line of the audit log, and the count of replies by fate.
import { describe, expect, it } from "vitest";
import type { Audit, AuditEntry } from "../../../src/contracts/audit.js";
import { replyMembers } from "../../../src/daemon/audit/audit-line.js";
import { countReplies } from "../../../src/daemon/audit/open-audit-log.js";

const LONG = { type: "clarification.reply", response: "x".repeat(3000) };
const cut = (text: string, most: number) => ({ beginning: text.slice(0, most), length: text.length });

describe("a reply in the audit log", () => {
  it("that counted is whole, with its text up to 16,384 characters", () => {
    const text = `${JSON.stringify(LONG)}${" ".repeat(20_000)}`;
    expect(replyMembers({ message: LONG, text }, true)).toEqual({ reply: LONG, text: cut(text, 16_384) });
    expect(replyMembers({ message: LONG, text: text.slice(0, 16_384) }, true)).toEqual({
      reply: LONG,
      text: text.slice(0, 16_384),
    });
    expect(replyMembers(LONG, true)).toEqual({ reply: LONG });
  });

  it("that did not count has the beginning of its message and of its text", () => {
    const text = JSON.stringify(LONG);
    expect(replyMembers({ message: LONG, text }, false)).toEqual({ reply: cut(text, 2048), text: cut(text, 2048) });
    expect(replyMembers(LONG, false)).toEqual({ reply: cut(text, 2048) });
    const short = { type: "clarification.reply", response: "yes" };
    expect(replyMembers({ message: short, text: "{}" }, false)).toEqual({ reply: short, text: "{}" });
  });

  it("that nobody could read has its text alone", () => {
    expect(replyMembers({ message: undefined, text: "{{" }, false)).toEqual({ text: "{{" });
    expect(replyMembers({ text: "{{" }, false)).toEqual({ text: "{{" });
  });

  it("of an earlier version is its own message, also if it has a text", () => {
    const reply = { type: "clarification.reply", text: "yes" };
    expect(replyMembers(reply, true)).toEqual({ reply });
    for (const other of [null, "yes", 5]) expect(replyMembers(other, true)).toEqual({ reply: other });
  });
});

it("replies are counted by fate, and all entries are passed on", () => {
  const recorded: unknown[] = [];
  const audit = { isOn: true, record: (entry: AuditEntry) => void recorded.push(entry) } as unknown as Audit;
  const counting = countReplies(audit);
  const entries = [
    { kind: "reply", fate: "counted" },
    { kind: "question" },
    { kind: "reply", fate: "counted" },
    { kind: "reply", fate: "malformed" },
  ] as unknown as readonly AuditEntry[];
  expect([...counting.counts]).toEqual([]);
  for (const entry of entries) counting.audit.record(entry);
  expect([...counting.counts]).toEqual([
    ["counted", 2],
    ["malformed", 1],
  ]);
  expect(recorded).toEqual(entries);
  expect(counting.audit.isOn).toBe(true);
});
