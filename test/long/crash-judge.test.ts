// The judge of the crash test finds what it is there for: recordings that are right, and each with one thing wrong.
import { describe, expect, it } from "vitest";
import { type Counts, judge } from "./crash/judge.js";
import type {
  AskedQuestion,
  AuditedLine,
  Heard,
  Listening,
  LogEntry,
  PlaceTold,
  Recording,
  Sent,
  SentSession,
} from "./crash/record.js";

const RUN = 2 ** 32;
const SESSION = "sess_1";

function cursorAt(after: number): string {
  return `c1.${"a".repeat(32)}.${after}`;
}

function placeAt(after: number, by: PlaceTold["by"] = "checkpoint"): PlaceTold {
  return { kind: "place", cursor: cursorAt(after), by };
}

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
  const sessionId = SESSION;
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
  const heardOf = (one: Sent, at = 0): Heard => ({
    kind: "event",
    at,
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
    kind: "event",
    at: 0,
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
    wants: () => true,
    log: [
      { kind: "joined", connection: 1, run: 1, named: undefined, resumed: undefined },
      placeAt(RUN, "accepted"),
      heardOf(e1),
      heardOf(e2),
      placeAt(RUN + 2),
      heardOf(e3, 1000),
      heardOf(e4, 1000),
      { kind: "left", at: 1500 },
      { kind: "joined", connection: 2, run: 2, named: cursorAt(RUN + 2), resumed: "all" },
      placeAt(RUN + 2, "accepted"),
      // What was said before the kill is said again, as far as no cursor covered it.
      heardOf(e3),
      heardOf(e4),
      heardOf(e5),
      resolution,
      heardOf(e6),
      placeAt(2 * RUN + 3),
      heardOf(e7),
      { kind: "left", at: 9000 },
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
  const session: SentSession = { id: sessionId, agent: "agent", events, lost: undefined };
  const accidents: string[] = [];
  const sessions: SentSession[] = [session];
  const ends: Recording["ends"][number][] = [undefined, "kill"];
  const open = { sessions: new Set<string>(), questions: new Set<string>() };
  const recording: Recording = {
    sessions,
    questions: [question],
    listeners,
    audited,
    ends,
    open,
    accidents,
  };
  const { log } = listeners[0] as Listening;
  return { recording, session, sessions, events, question, log, audited, ends, open, accidents };
}

type Right = ReturnType<typeof rightRecording>;

function indexOf({ log }: Right, id: string): number {
  const index = log.findLastIndex((one) => one.kind === "event" && one.id === id);
  if (index < 0) throw new Error(`${id} was not heard`);
  return index;
}

function heardLast(right: Right, id: string): Heard {
  return right.log[indexOf(right, id)] as Heard;
}

function change<Kind extends LogEntry["kind"]>(
  { log }: Right,
  kind: Kind,
  index: number,
  to: Partial<Extract<LogEntry, { kind: Kind }>>,
): void {
  const at = log.indexOf(log.filter((one) => one.kind === kind)[index] as LogEntry);
  log[at] = { ...(log[at] as Extract<LogEntry, { kind: Kind }>), ...to };
}

function summary(right: Right): Heard {
  const marks = { type: "aaep:agent.state.changed", isDaemons: true, isSummary: true };
  const { question: _, resolution: __, ...event } = heardLast(right, "evt_r");
  return { ...event, ...marks, id: "evt_sum" };
}

type NumberCount = Exclude<keyof Counts, "resumed">;

function auditedOutcome(outcome: string): AuditedLine {
  return { kind: "outcome", token: "rpl_1", outcome, line: outcome };
}

/**
 * What is done to a recording that is right, and the one count that it raises. Holes and repeats of a listener's text and events are the affair of the
 * place oracle (test/engine/properties/place-oracle.test.ts).
 */
const WRONGS: readonly (readonly [string, NumberCount, (right: Right) => void])[] = [
  ["an acknowledged event never came", "lost", (right) => void right.log.splice(indexOf(right, "evt_7"), 1)],
  ["the tail is missing", "lost", (right) => void right.log.splice(indexOf(right, "evt_r"))],
  ["how a question ended was never told", "lost", (right) => void right.log.splice(indexOf(right, "evt_r"), 1)],
  ["a listener came back without its place", "lost", (right) => change(right, "joined", 1, { named: undefined })],
  [
    "two events change places",
    "reordered",
    (right) => {
      const [end] = right.log.splice(indexOf(right, "evt_7"), 1);
      right.log.splice(indexOf(right, "evt_6"), 0, end as Heard);
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
    (right) => {
      const end = heardLast(right, "evt_7");
      const other = { type: "aaep:agent.session.errored", isDaemons: true, isCritical: true };
      right.log.push({ ...end, ...other, id: "evt_x" });
    },
  ],
  [
    "an event came again that a cursor had covered",
    "again",
    (right) => void right.log.splice(indexOf(right, "evt_3"), 0, right.log[2] as Heard),
  ],
  ["a cursor ran ahead of an event", "ranAhead", (right) => change(right, "place", 3, placeAt(2 * RUN + 4))],
  ["a cursor fell", "fell", (right) => void right.log.push(placeAt(2 * RUN + 1))],
  ["no cursor covered in time what had come", "stale", (right) => change(right, "left", 0, { at: 4200 })],
  ["a place was met with a gap that was kept", "misjudged", (right) => change(right, "joined", 1, { resumed: "gap" })],
  [
    "a session was summed up although the place was good",
    "summed",
    (right) => void right.log.splice(indexOf(right, "evt_3"), 0, summary(right)),
  ],
  [
    "a session goes on that was over after a place that was not met",
    "ghosts",
    (right) => {
      change(right, "joined", 1, { resumed: "unknown" });
      right.log.splice(indexOf(right, "evt_3"), 0, placeAt(RUN + 5));
    },
  ],
  [
    "a listener believes a session open that is over",
    "ghosts",
    (right) => {
      right.session.lost = "abandoned";
      right.log.push({ ...(right.log[2] as Heard), sessionId: "sess_2", isDaemons: true, id: "evt_ghost" });
      right.sessions.push({ ...right.session, id: "sess_2", events: [] });
    },
  ],
  [
    "a listener believes a question open that is over",
    "ghosts",
    (right) => {
      right.open.sessions.add("sess_2");
      right.sessions.push({ ...right.session, id: "sess_2", events: [] });
      right.log.push({ ...heardLast(right, "evt_4"), sessionId: "sess_2", isDaemons: true, id: "evt_ghost" });
    },
  ],
  [
    "an event that nobody published",
    "invented",
    (right) => void right.log.push({ ...(right.log[2] as Heard), id: "evt_y" }),
  ],
  [
    "an event with other words",
    "invented",
    (right) => void right.log.splice(2, 1, { ...(right.log[2] as Heard), mark: "else" }),
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
      right.log[indexOf(right, "evt_r")] = { ...heardLast(right, "evt_r"), resolution: "rejected by timeout" };
    },
  ],
  [
    "a resolution was told under two ids",
    "resolvedTwice",
    (right) => {
      right.log.splice(indexOf(right, "evt_r"), 0, { ...heardLast(right, "evt_r"), id: "evt_r2" });
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
      repeated: 2,
      places: 8,
      resumed: { undefined: 2, all: 2 },
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
    for (const { log } of recording.listeners)
      log.forEach((one, at) => {
        if (one.kind === "event" && one.id === "evt_r") log[at] = { ...one, resolution: "accepted by timeout" };
      });
    expect(judge(recording).faults).toStrictEqual([expect.stringContaining("as counted for rpl_1")]);
  });

  it("R29: lets a question end anew after a kill that took its resolution back, whatever that said", () => {
    const right = rightRecording();
    const { recording, log } = right;
    const taken = { ...heardLast(right, "evt_r"), id: "evt_void" };
    log.splice(
      log.findIndex(({ kind }) => kind === "left"),
      0,
      taken,
    );
    expect(judge(recording).faults).toStrictEqual([]);
    right.ends[1] = "restart";
    expect(judge(recording).counts.resolvedTwice).toBe(1);
    right.ends[1] = "kill";
    log[log.indexOf(taken)] = { ...taken, resolution: "rejected by reply" };
    expect(judge(recording).faults).toStrictEqual([]);
  });

  it("finds that a reply of which it was told that it counts did not", () => {
    const { recording, question } = rightRecording();
    question.countedReplies.push('["reject",null,"reply","Ola"]');
    expect(judge(recording).faults).toStrictEqual([expect.stringContaining("a reply to rpl_1 counted")]);
  });

  it("finds that a question has no outcome, unless its agent left", () => {
    const right = rightRecording();
    const { recording, question, audited, session, log } = right;
    question.reports.length = 0;
    question.countedReplies.length = 0;
    audited.length = 0;
    for (const each of recording.listeners)
      each.log.splice(
        each.log.findIndex((one) => one.kind === "event" && one.id === "evt_r"),
        1,
      );
    expect(judge(recording).faults).toContain("rpl_1 was asked and has no outcome");
    session.lost = "abandoned";
    log.splice(indexOf(right, "evt_7"), 1);
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
    const heard = { kind: "event" as const, at: 0, sessionId };
    const listener: Listening = {
      name: "limited",
      isExact: false,
      wants: () => true,
      log: [
        { ...heard, id: begin.id, type: begin.type, mark: begin.mark },
        { ...heard, id: "evt_end", type: "aaep:agent.session.errored", mark: "", ...made },
      ],
    };
    const left = { ...session, id: sessionId, events: [begin, progress], lost: "abandoned" as const };
    const { counts } = judge({ ...recording, sessions: [left], questions: [], audited: [], listeners: [listener] });
    expect(counts).toMatchObject({ lost, superseded: 1 - lost });
  });

  it("R17: after a place that was not met, tells the end of a session that ended meanwhile in the backlog, behind the first places", () => {
    const right = rightRecording();
    change(right, "joined", 1, { resumed: "unknown" });
    right.log.splice(indexOf(right, "evt_3"), 0, { ...placeAt(RUN + 5), head: 2 * RUN + 1 });
    expect(judge(right.recording).counts.ghosts).toBe(0);
    right.log.splice(indexOf(right, "evt_3"), 0, { ...placeAt(2 * RUN + 1), head: 2 * RUN + 1 });
    expect(judge(right.recording).counts.ghosts).toBeGreaterThan(0);
  });

  it("R17: lets a session be over of which nobody speaks after a place that was not met, and goes on where it is summed up", () => {
    const right = rightRecording();
    const void_ = { ...(right.log[2] as Heard), sessionId: "sess_2", id: "evt_void" };
    const sent = { ...sentIn("sess_2", "evt_void", "session.started", 0, 1), mark: void_.mark, epoch: undefined };
    right.sessions.push({ ...right.session, id: "sess_2", events: [sent] });
    right.log.splice(
      right.log.findIndex(({ kind }) => kind === "left"),
      0,
      void_,
    );
    expect(judge(right.recording).counts.ghosts).toBe(1);
    right.log.splice(right.log.indexOf(void_) + 1, 0, placeAt(RUN + 8));
    change(right, "joined", 1, { resumed: "gap", named: cursorAt(RUN + 8) });
    change(right, "place", 3, placeAt(RUN + 8, "accepted"));
    right.log.splice(indexOf(right, "evt_3"), 1, { ...summary(right), gap: 1 });
    expect(judge(right.recording)).toMatchObject({ faults: [], counts: { gaps: 0 } });
    // The kill swallowed an acknowledgement, and the next boot gave it: nothing else of that boot is behind the place.
    const late = right.session.events.find(({ id }) => id === "evt_4");
    if (late === undefined) throw new Error("There is no such event.");
    late.ackedInRun = 2;
    expect(judge(right.recording).counts.misjudged).toBe(0);
    change(right, "joined", 1, { named: cursorAt(RUN + 3) });
    expect(judge(right.recording).counts.misjudged).toBe(1);
  });

  it("R27: counts a loss that is declared twice, or where nothing was lost", () => {
    const right = rightRecording();
    const gap = { ...summary(right), isSummary: false, gap: 1 };
    right.log.splice(indexOf(right, "evt_3"), 0, gap);
    expect(judge(right.recording).counts.gaps).toBe(1);
    change(right, "joined", 1, { resumed: "gap" });
    expect(judge(right.recording).counts.gaps).toBe(0);
    right.log.splice(indexOf(right, "evt_3"), 0, { ...gap, id: "evt_gap" });
    expect(judge(right.recording).counts.gaps).toBe(1);
  });

  it("counts what was heard again by who came back, and after what", () => {
    const right = rightRecording();
    const back = { listener: "first", run: 2, resumed: "all", characters: 5, events: 1 };
    expect(judge(right.recording).returns[0]).toStrictEqual({ ...back, cause: "kill" });
    right.ends[1] = "restart";
    expect(judge(right.recording).returns[0]).toStrictEqual({ ...back, cause: "restart" });
    change(right, "joined", 1, { run: 1 });
    expect(judge(right.recording).returns[0]).toStrictEqual({ ...back, cause: "break", run: 1 });
  });

  it("R8b: finds who was told of a lost agent that was there", () => {
    const right = rightRecording();
    const { recording, log, session } = right;
    const lost = { ...heardLast(right, "evt_7"), id: "evt_lost", type: "aaep:agent.session.errored", mark: "" };
    log.push({ ...lost, isDaemons: true, tellsLostAgent: true });
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
