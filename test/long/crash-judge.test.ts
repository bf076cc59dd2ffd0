// The judge of the crash test finds what it is there for: recordings that are right, and each with one thing wrong.
import { describe, expect, it } from "vitest";
import { type Counts, judge } from "./crash/judge.js";
import type { AskedQuestion, AuditedLine, Heard, Listening, Recording, Sent } from "./crash/record.js";

const RUN = 2 ** 32;

function sentIn(sessionId: string, id: string, type: string, epoch: number, run: number, text?: Sent["text"]): Sent {
  return {
    id,
    type: `aaep:agent.${type}`,
    sessionId,
    text,
    mark: text === undefined ? id : "",
    epoch,
    ackedInRun: run,
    otherEpochs: [],
  };
}

/** One session over two runs: begun, a text, a question that was answered after the kill, the end. */
function rightRecording() {
  const sessionId = "sess_1";
  const sent = (id: string, type: string, epoch: number, run: number, text?: Sent["text"]): Sent =>
    sentIn(sessionId, id, type, epoch, run, text);
  const chunk = (id: string, epoch: number, run: number, from: number, words: string, completes = false): Sent =>
    sent(id, "output.streaming", epoch, run, { output: "", from, chunk: words, completes });
  const events = [
    sent("evt_1", "session.started", RUN + 1, 1),
    chunk("evt_2", RUN + 2, 1, 0, "One, "),
    chunk("evt_3", RUN + 3, 1, 5, "two, "),
    sent("evt_4", "awaiting.confirmation", RUN + 4, 1),
    chunk("evt_5", 2 * RUN + 1, 2, 10, "thrée."),
    chunk("evt_6", 2 * RUN + 3, 2, 16, "", true),
    sent("evt_7", "session.completed", 2 * RUN + 4, 2),
  ];
  const heardOf = (one: Sent, connection: number, run: number): Heard => ({
    connection,
    run,
    id: one.id,
    type: one.type,
    sessionId,
    mark: one.mark,
    ...(one.text === undefined
      ? {}
      : { chunk: one.text.chunk, output: "", position: one.text.from, completes: one.text.completes }),
    ...(one.type.includes("awaiting") ? { isCritical: true } : {}),
  });
  const resolution: Heard = {
    connection: 2,
    run: 2,
    id: "evt_r",
    type: "aaep:agent.state.changed",
    sessionId,
    mark: "",
    isDaemons: true,
    isCritical: true,
    question: "evt_4",
    resolution: "accepted by reply",
  };
  const [e1, e2, e3, e4, e5, e6, e7] = events as [Sent, Sent, Sent, Sent, Sent, Sent, Sent];
  const listener = (name: string): Listening => ({
    name,
    isExact: true,
    resumesBy: "event",
    wants: () => true,
    canAnswer: () => true,
    heard: [
      ...[e1, e2, e3, e4].map((one) => heardOf(one, 1, 1)),
      // What was said before the kill is said again.
      ...[e3, e4].map((one) => heardOf(one, 2, 2)),
      heardOf(e5, 2, 2),
      resolution,
      ...[e6, e7].map((one) => heardOf(one, 2, 2)),
    ],
  });
  const outcome = '["accept",null,"reply","Kemi"]';
  const question: AskedQuestion = {
    token: "rpl_1",
    eventId: "evt_4",
    sessionId,
    openAtKills: 1,
    reports: [{ by: "outcome_of", outcome }],
    countedReplies: [outcome],
    forgotten: 0,
  };
  const listeners = [listener("first"), listener("second")];
  const audited: AuditedLine[] = (["counted", "outcome"] as const).map((kind) => ({
    kind,
    token: "rpl_1",
    outcome,
    line: `${kind} ${outcome}`,
  }));
  const session = { id: sessionId, agent: "agent", events, lost: undefined as "abandoned" | undefined };
  const accidents: string[] = [];
  const recording: Recording = { sessions: [session], questions: [question], listeners, audited, accidents };
  return { recording, session, events, question, heard: (listeners[0] as Listening).heard, audited, accidents };
}

type Right = ReturnType<typeof rightRecording>;

function placeOf({ heard }: Right, id: string): number {
  const place = heard.findLastIndex((one) => one.id === id);
  if (place < 0) throw new Error(`${id} was not heard`);
  return place;
}

function auditedOutcome(outcome: string): AuditedLine {
  return { kind: "outcome", token: "rpl_1", outcome, line: outcome };
}

/** What is done to a recording that is right, and the one count that it raises. */
const WRONGS: readonly (readonly [string, keyof Counts, (right: Right) => void])[] = [
  ["an acknowledged event never came", "lost", (right) => void right.heard.splice(placeOf(right, "evt_7"), 1)],
  ["the tail is missing", "lost", (right) => void right.heard.splice(placeOf(right, "evt_r"))],
  ["text has a hole", "lost", (right) => void right.heard.splice(placeOf(right, "evt_5"), 1)],
  ["the end of a text never came", "lost", (right) => void right.heard.splice(placeOf(right, "evt_6"), 1)],
  ["how a question ended was never told", "lost", (right) => void right.heard.splice(placeOf(right, "evt_r"), 1)],
  [
    "two events change places",
    "reordered",
    ({ heard }) => {
      const [end] = heard.splice(heard.length - 1);
      heard.splice(heard.length - 1, 0, end as Heard);
    },
  ],
  [
    "an agent's events were acknowledged out of order",
    "reordered",
    ({ events }) => {
      (events[5] as Sent).epoch = RUN + 9;
    },
  ],
  ["an epoch changed", "duplicated", ({ events }) => void (events[1] as Sent).otherEpochs.push(2 * RUN + 9)],
  [
    "a session ended twice",
    "duplicated",
    ({ heard, session }) => {
      session.lost = undefined;
      heard.push({
        ...(heard.at(-1) as Heard),
        id: "evt_x",
        type: "aaep:agent.session.errored",
        isDaemons: true,
        isCritical: true,
      });
    },
  ],
  [
    "text went on after its end",
    "duplicated",
    (right) => {
      const [late] = right.heard.splice(placeOf(right, "evt_5"), 1);
      right.heard.splice(placeOf(right, "evt_3") + 1, 0, {
        ...(late as Heard),
        id: "evt_6",
        position: 10,
        chunk: "thr",
        completes: true,
      });
      right.heard.push(late as Heard);
    },
  ],
  [
    "an event that nobody published",
    "invented",
    ({ heard }) => void heard.push({ ...(heard[0] as Heard), id: "evt_y" }),
  ],
  [
    "other text than was published",
    "invented",
    (right) => {
      const at = placeOf(right, "evt_5");
      right.heard[at] = { ...(right.heard[at] as Heard), chunk: "three." };
    },
  ],
  [
    "an event with other words",
    "invented",
    (right) => {
      right.heard[0] = { ...(right.heard[0] as Heard), mark: "else" };
    },
  ],
  [
    "a gap was declared",
    "gaps",
    ({ heard }) =>
      void heard.splice(4, 0, {
        ...(heard[0] as Heard),
        id: "evt_g",
        type: "aaep:agent.state.changed",
        isDaemons: true,
        isGap: true,
      }),
  ],
  [
    "the audit log has another outcome",
    "resolvedTwice",
    ({ audited }) => void audited.push(auditedOutcome('["reject",null,"timeout",null]')),
  ],
  [
    "the audit log has an outcome first that a kill took back",
    "resolvedTwice",
    ({ audited }) => void audited.unshift(auditedOutcome('["reject",null,"reply","Ola"]')),
  ],
  ["the audit log lacks an outcome", "missingInAudit", ({ audited }) => void audited.splice(1)],
  ["the audit log lacks the reply that counted", "missingInAudit", ({ audited }) => void audited.splice(0, 1)],
  ["the audit log has nothing of an outcome", "missingInAudit", ({ audited }) => void audited.splice(0)],
  [
    "the agent was told two outcomes",
    "resolvedTwice",
    ({ question }) => void question.reports.push({ by: "notification", outcome: '["reject",null,"reply","Ola"]' }),
  ],
  [
    "one listener was told another outcome",
    "resolvedTwice",
    (right) => {
      const at = placeOf(right, "evt_r");
      right.heard[at] = { ...(right.heard[at] as Heard), resolution: "rejected by timeout" };
    },
  ],
  [
    "a resolution was told under two ids",
    "resolvedTwice",
    (right) => {
      const at = placeOf(right, "evt_r");
      right.heard.splice(at, 0, { ...(right.heard[at] as Heard), id: "evt_r2" });
    },
  ],
  [
    "an acknowledged question was forgotten",
    "forgotten",
    ({ question }) => {
      question.forgotten = 1;
    },
  ],
];

describe("the judge of the crash test", () => {
  it("has nothing to say against a recording that is right", () => {
    const { counts, faults } = judge(rightRecording().recording);
    expect(faults).toStrictEqual([]);
    expect(counts).toMatchObject({
      events: 7,
      acknowledged: 7,
      delivered: 16,
      repeated: 4,
      openAtKills: 1,
      repliedAfterKill: 1,
    });
  });

  it.each(WRONGS)("finds that %s", (_what, count, spoil) => {
    const right = rightRecording();
    spoil(right);
    const { counts, faults } = judge(right.recording);
    expect(counts[count]).toBeGreaterThan(0);
    expect(faults).not.toStrictEqual([]);
  });

  it("takes lines of the audit log that are equal for one, and counts them", () => {
    const { recording, audited } = rightRecording();
    audited.push(...audited);
    const { counts, faults } = judge(recording);
    expect(faults).toStrictEqual([]);
    expect(counts).toMatchObject({ auditedAgain: 2, resolvedTwice: 0 });
  });

  it.each([
    ["the same twice, and not as it was", (lines) => void lines.push({ ...(lines[1] as AuditedLine), line: "later" })],
    ["two replies that counted", (lines) => void lines.push({ ...(lines[0] as AuditedLine), line: "another" })],
    [
      "a reply that counted and says something else",
      (lines) => void lines.splice(0, 1, { ...(lines[0] as AuditedLine), outcome: '["reject",null,"reply","Ola"]' }),
    ],
  ] as readonly (readonly [string, (lines: AuditedLine[]) => void])[])("finds in the audit log %s", (_, spoil) => {
    const { recording, audited } = rightRecording();
    spoil(audited);
    expect(judge(recording).faults).toStrictEqual([expect.stringContaining("the audit log has")]);
  });

  it("finds a reply that counted, of a question that came to its end otherwise", () => {
    const { recording, question, audited } = rightRecording();
    const outcome = '["accept",null,"timeout",null]';
    question.reports.splice(0, 1, { by: "outcome_of", outcome });
    question.countedReplies.length = 0;
    audited.splice(1, 1, auditedOutcome(outcome));
    for (const { heard: each } of recording.listeners)
      each.forEach((one, at) => {
        if (one.id === "evt_r") each[at] = { ...one, resolution: "accepted by timeout" };
      });
    expect(judge(recording).faults).toStrictEqual([expect.stringContaining("as counted for rpl_1")]);
  });

  it("finds that a reply of which it was told that it counts did not", () => {
    const { recording, question } = rightRecording();
    question.countedReplies.push('["reject",null,"reply","Ola"]');
    expect(judge(recording).faults).toStrictEqual([expect.stringContaining("a reply to rpl_1 counted")]);
  });

  it("finds that a question has no outcome, unless its agent left", () => {
    const { recording, question, audited, session, heard } = rightRecording();
    question.reports.length = 0;
    question.countedReplies.length = 0;
    audited.length = 0;
    for (const { heard: each } of recording.listeners)
      each.splice(
        each.findIndex(({ id }) => id === "evt_r"),
        1,
      );
    expect(judge(recording).faults).toContain("rpl_1 was asked and has no outcome");
    session.lost = "abandoned";
    heard.splice(heard.length - 1);
    expect(judge(recording).faults).not.toContain("rpl_1 was asked and has no outcome");
    expect(judge(recording).faults).toContainEqual(expect.stringContaining("which its agent left (abandoned)"));
  });

  it.each([
    ["the daemon's critical end, which supersedes it", { isDaemons: true, isCritical: true }, 0],
    ["an end that the daemon made and that waits its turn", { isDaemons: true }, 1],
  ] as const)("judges progress that never came to a listener with a rate, before %s", (_, made, lost) => {
    const { recording, session } = rightRecording();
    const sessionId = "sess_2";
    const begin = sentIn(sessionId, "evt_21", "session.started", 2 * RUN + 5, 2);
    const progress = sentIn(sessionId, "evt_22", "progress.updated", 2 * RUN + 6, 2);
    const heard = { connection: 2, run: 2, sessionId };
    const listener: Listening = {
      name: "limited",
      isExact: false,
      resumesBy: "event",
      wants: () => true,
      canAnswer: () => false,
      heard: [
        { ...heard, id: begin.id, type: begin.type, mark: begin.mark },
        { ...heard, id: "evt_end", type: "aaep:agent.session.errored", mark: "", ...made },
      ],
    };
    const left = { ...session, id: sessionId, events: [begin, progress], lost: "abandoned" as const };
    const { counts } = judge({ ...recording, sessions: [left], questions: [], audited: [], listeners: [listener] });
    expect(counts).toMatchObject({ lost, superseded: 1 - lost });
  });

  it("asks of a listener that did not name a session only what came after it joined", () => {
    const { recording, heard } = rightRecording();
    const [listener] = recording.listeners;
    const late: Listening = { ...(listener as Listening), resumesBy: "session", heard: heard.slice(6) };
    expect(judge({ ...recording, listeners: [late] }).faults).toStrictEqual([]);
    late.heard.splice(late.heard.length - 1);
    expect(judge({ ...recording, listeners: [late] }).faults).toContainEqual(expect.stringContaining("evt_7"));
  });

  it("R8b: finds who was told of a lost agent that was there", () => {
    const { recording, heard, session } = rightRecording();
    const lost = { ...(heard.at(-1) as Heard), id: "evt_lost", type: "aaep:agent.session.errored", mark: "" };
    heard.push({ ...lost, isDaemons: true, tellsLostAgent: true });
    expect(judge(recording).counts.falselyLost).toBe(1);
    session.lost = "abandoned";
    expect(judge(recording).counts.falselyLost).toBe(0);
  });

  it("passes on what went wrong on the way", () => {
    const { recording, accidents } = rightRecording();
    accidents.push("it ended by itself");
    expect(judge(recording).faults).toStrictEqual(["it ended by itself"]);
  });
});
