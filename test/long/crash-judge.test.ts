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

type NumberCount = Exclude<keyof Counts, "resumed">;

/**
 * What is done to a recording that is right, and the one count that it raises. Holes and repeats of a listener's text and events are the affair of the
 * place oracle (test/engine/properties/place-oracle.test.ts).
 */
const WRONGS: readonly (readonly [string, NumberCount, (right: Right) => void])[] = [
  ["an acknowledged event never came", "lost", (right) => void right.log.splice(indexOf(right, "evt_7"), 1)],
  [
    "two events change places",
    "reordered",
    (right) => {
      const [end] = right.log.splice(indexOf(right, "evt_7"), 1);
      right.log.splice(indexOf(right, "evt_6"), 0, end as Heard);
    },
  ],
  [
    "a session ended twice",
    "duplicated",
    (right) => {
      const end = heardLast(right, "evt_7");
      const other = { type: "aaep:agent.session.errored", isDaemons: true, isCritical: true };
      right.log.push({ ...end, ...other, id: "evt_x" });
    },
  ],
  ["a cursor ran ahead of an event", "ranAhead", (right) => change(right, "place", 3, placeAt(2 * RUN + 4))],
  ["a place was met with a gap that was kept", "misjudged", (right) => change(right, "joined", 1, { resumed: "gap" })],
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
  ["the audit log lacks an outcome", "missingInAudit", ({ audited }) => void audited.splice(1)],
  [
    "the agent was told two outcomes",
    "resolvedTwice",
    ({ question }) => void question.reports.push({ by: "notification", outcome: '["reject",null,"reply","Ola"]' }),
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
});
