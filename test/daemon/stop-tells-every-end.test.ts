// R8a: an orderly stop ends whatever is open and says so to everybody who takes it, however much that is.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type StartedCommand, startCommandLine } from "../cli/command-stage.js";
import { isWhole, itInFull } from "../support/extent.js";
import { type LineListener, listenInLines, publishInLines, subscribedInLines } from "../support/peers/line-listener.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const CUT_SHORT = "exiting before everything was in order";
const LEFT = "the stop took its time";

const idOf = (index: number): string => `sess_${index}`;
const started = (index: number) => ({
  type: "aaep:agent.session.started",
  session_id: idOf(index),
  summary_normal: "Begins.",
});
const asked = (index: number, question: number) => ({
  type: "aaep:agent.awaiting.confirmation",
  session_id: idOf(index),
  action: `Delete file ${question}.`,
  consequence: "It is gone.",
  reply_token: `rpl_${index}z${question}z0123456789abcdef0123456789abcdef`,
  timeout_seconds: 3000,
  default_decision: "reject",
});

/** Sessions, each with so many open questions. */
function sessionsOf(count: number, questionCount: number): readonly object[] {
  return Array.from({ length: count }, (_, index) => [
    started(index),
    ...Array.from({ length: questionCount }, (_none, question) => asked(index, question)),
  ]).flat();
}

interface Serving {
  readonly daemon: StartedCommand;
  readonly path: string;
}

/** A daemon that listens. As long as a test gives it to stop is no assertion: on a busy machine much takes long. */
async function serving(command: "serve" | "stdio", ...argv: readonly string[]): Promise<Serving> {
  const path = join(temporaryDirectory(), "test.sock");
  const daemon = startCommandLine([command, "--socket", path, "--journal", "memory", "--producer-id", "test", ...argv]);
  if (command === "stdio")
    daemon.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: "first", method: "aaep.ping" })}\n`);
  await daemon.stdoutLines(1);
  return { daemon, path };
}

/** Whose end was told, in order; and that nothing else follows, and nothing is cut. */
function expectAllHeard({ lines, rest }: LineListener, sessionCount: number, questionCount: number): void {
  expect(rest()).toBe("");
  const messages = lines.map((line) => JSON.parse(line));
  const ended = messages.filter(({ type }) => type === "aaep:agent.session.errored");
  expect(ended.map(({ session_id: id }) => id)).toEqual(
    Array.from({ length: sessionCount }, (_, index) => idOf(index)),
  );
  const told = messages.filter(({ extensions }) => extensions?.aaepd?.decision !== undefined);
  expect(new Set(told.map(({ extensions }) => extensions.aaepd.question)).size).toBe(questionCount);
  expect(messages.at(-1)).toMatchObject({ type: "subscription.close", reason_code: "producer_shutdown" });
}

const SIZES: readonly (readonly [name: string, sessions: number, questions: number])[] = isWhole
  ? [
      ["10,000 sessions", 10_000, 0],
      ["256 questions", 32, 8],
    ]
  : [
      ["1,000 sessions", 1000, 0],
      ["128 questions", 16, 8],
    ];

describe("R8a, R34: a stop of serve", () => {
  it.each(SIZES)(
    "%s: each end is heard by everybody, then the close, and no line is cut",
    async (_, sessions, questions) => {
      const { daemon, path } = await serving("serve", "--stop-timeout-seconds", "300", "--max-open-sessions", "10000");
      const listeners = [await subscribedInLines(path), await subscribedInLines(path)];
      await publishInLines(await listenInLines(path), sessionsOf(sessions, questions), questions === 0 ? 200 : 18);
      daemon.signal("SIGTERM");
      expect((await daemon.ended).code).toBe(0);
      for (const listener of listeners) {
        await listener.closed;
        expectAllHeard(listener, sessions, sessions * questions);
      }
      expect(daemon.stderr()).not.toContain(LEFT);
    },
  );

  it("a listener with a low rate is handed all that it is owed, whatever the budget", async () => {
    const { daemon, path } = await serving("serve", "--stop-timeout-seconds", "300");
    const listener = await subscribedInLines(path, { max_events_per_second: 1 });
    const agent = await listenInLines(path);
    await publishInLines(agent, [started(0)]);
    const chunk = { type: "aaep:agent.output.streaming", session_id: idOf(0), complete: false };
    const words = Array.from({ length: 3000 }, (_, index) => `word ${index} `);
    await publishInLines(
      agent,
      words.map((word) => ({ ...chunk, chunk: word })),
    );
    daemon.signal("SIGTERM");
    expect((await daemon.ended).code).toBe(0);
    await listener.closed;
    const texts = listener.lines.flatMap((line) => JSON.parse(line).chunk ?? []);
    expect(texts.join("")).toBe(words.join(""));
    expectAllHeard(listener, 1, 0);
  });

  itInFull(
    "a listener that takes nothing holds up no more than the time of the stop, and what it did not take is counted",
    async () => {
      const { daemon, path } = await serving("serve", "--stop-timeout-seconds", "6");
      const stuck = await subscribedInLines(path);
      const other = await subscribedInLines(path);
      stuck.socket.pause();
      const long = { summary_normal: "It begins. ".repeat(200) };
      const events = sessionsOf(400, 0).map((event) => ({ ...event, ...long }));
      await publishInLines(await listenInLines(path), events, 100);
      daemon.signal("SIGTERM");
      expect((await daemon.ended).code).toBe(0);
      expect(daemon.stderr()).not.toContain(CUT_SHORT);
      const left = daemon
        .stderr()
        .split("\n")
        .filter((line) => line.includes(LEFT));
      expect(left.map((line) => JSON.parse(line))).toMatchObject([{ level: "warn", connections: 1, sessions: 0 }]);
      expect(JSON.parse(left[0] ?? "").messages).toBeGreaterThan(0);
      await other.closed;
      expectAllHeard(other, 400, 0);
      stuck.socket.resume();
      // The kernel may have taken a part of its last line.
      await stuck.closed;
      expect(stuck.lines.length).toBeLessThan(other.lines.length);
    },
  );
});

describe("R8a, R34: the end of standard input", () => {
  it("each end is heard by everybody, then the close, and no line is cut", async () => {
    const { daemon, path } = await serving("stdio");
    const listener = await subscribedInLines(path);
    // Few: a daemon on stdio has two seconds, on however busy a machine.
    const count = 5;
    const events = sessionsOf(count, 1);
    const calls = [events.slice(0, count), events.slice(count)].map((params, id) => ({
      jsonrpc: "2.0",
      id,
      method: "aaep.publish",
      params,
    }));
    daemon.stdin.end(calls.map((call) => `${JSON.stringify(call)}\n`).join(""));
    expect((await daemon.ended).code).toBe(0);
    await listener.closed;
    expectAllHeard(listener, count, count);
    expect(daemon.stderr()).not.toContain(LEFT);
  });
});
