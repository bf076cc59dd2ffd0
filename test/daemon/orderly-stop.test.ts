// R8b, U3: `serve` is stopped in order and started again, with an agent, listeners and an open question.
import { describe, expect, it } from "vitest";
import { serveAtSocket } from "../cli/command-stage.js";
import { type LineListener, listenInLines } from "../support/peers/line-listener.js";
import { joinedByPosition, placeIn, returnTo } from "../support/peers/returning.js";

const S = "sess_orderly1";
const ABLE = { supports_confirmation_reply: true, coalesce_boundaries: ["sentence", "completion"] };
const DEAF = { coalesce_boundaries: ["sentence", "completion"] };
const TOKEN = "rpl_0123456789abcdef0123456789abcdef";

const started = (...options: readonly string[]) => serveAtSocket("--agent-grace-seconds", "600", ...options);

/** A call and its answer's result. */
async function call(agent: LineListener, id: string, method: string, params: object): Promise<Record<string, unknown>> {
  agent.say({ jsonrpc: "2.0", id, method, params });
  const answer = JSON.parse(await agent.line((line) => line.includes(`"id":"${id}"`)));
  expect(answer.error).toBeUndefined();
  return answer.result;
}

const chunk = (text: string, complete: boolean) => ({
  type: "aaep:agent.output.streaming",
  session_id: S,
  chunk: text,
  complete,
});

/** An agent in the middle of an output, with a question open; answers its session's token. */
async function speaking(path: string): Promise<{ agent: LineListener; token: string }> {
  const agent = await listenInLines(path);
  const { resume_token: token } = await call(agent, "start", "aaep.publish", {
    type: "aaep:agent.session.started",
    session_id: S,
    summary_normal: "Begins.",
  });
  await call(agent, "ask", "aaep.publish", {
    type: "aaep:agent.awaiting.confirmation",
    session_id: S,
    action: "Delete 12 photos.",
    consequence: "They are gone.",
    reply_token: TOKEN,
    timeout_seconds: 3000,
    default_decision: "reject",
  });
  await call(agent, "speak", "aaep.publish", chunk("The photos are sorted. They wait", false));
  return { agent, token: String(token) };
}

const eventsOf = (...listeners: readonly LineListener[]): readonly Record<string, unknown>[] =>
  listeners.flatMap(({ lines }) => lines.map((line) => JSON.parse(line)).filter((one) => "event_id" in one));

const textsOf = (...listeners: readonly LineListener[]): string => joinedByPosition(eventsOf(...listeners));

/** A person says yes over this subscription. */
function accept(listener: LineListener): void {
  const accepted = JSON.parse(listener.lines.find((line) => line.includes('"subscription.accepted"')) ?? "{}");
  listener.say({
    type: "confirmation.reply",
    subscription_id: accepted.subscription_id,
    reply_token: TOKEN,
    timestamp: new Date().toISOString(),
    decision: "accept",
  });
}

describe("R8b: SIGTERM with the journal on disk", () => {
  it.each([0, 1])(
    "U3: nobody hears of a lost agent, nothing is lost, and listener %i answers the question afterwards",
    async (answering) => {
      const { socket, start, stop } = await started();
      const names = ["first", "second", "third"] as const;
      const wishes = [ABLE, ABLE, DEAF] as const;
      const before = await Promise.all(names.map((name, index) => returnTo(socket, name, wishes[index] ?? DEAF)));
      const { agent, token } = await speaking(socket);
      await Promise.all(before.map((one) => one.line((line) => line.includes("The photos are sorted."))));
      expect(await stop()).toBe(0);
      await Promise.all([...before, agent].map((one) => one.closed));
      for (const { lines, rest } of before) {
        expect(rest()).toBe("");
        expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({
          type: "subscription.close",
          reason_code: "producer_shutdown",
        });
      }
      // What is held is not flushed.
      expect(before.map((one) => textsOf(one).trim())).toEqual(names.map(() => "The photos are sorted."));
      const told = agent.lines.map((line) => JSON.parse(line));
      expect(told).toContainEqual({ jsonrpc: "2.0", method: "aaepd.closing", params: { sessions_kept: true } });

      await start();
      const after = await Promise.all(
        names.map((name, index) =>
          returnTo(socket, name, wishes[index] ?? DEAF, placeIn(before[index] as LineListener)),
        ),
      );
      const heir = await listenInLines(socket);
      const summary = await call(heir, "resume", "aaep.resume_session", { session_id: S, resume_token: token });
      expect(summary.open_questions).toHaveLength(1);
      const person = after[answering] as LineListener;
      await person.line((line) => line.includes('"aaep:agent.awaiting.confirmation"'));
      accept(person);
      const outcome = JSON.parse(await heir.line((line) => line.includes('"aaep.outcome"')));
      expect(outcome.params).toMatchObject({ reply_token: TOKEN, decision: "accept", resolved_by: "reply" });
      await call(heir, "speak", "aaep.publish", chunk(" to be deleted.", true));
      await call(heir, "end", "aaep.publish", {
        type: "aaep:agent.session.completed",
        session_id: S,
        summary_normal: "Done.",
      });
      await Promise.all(after.map((one) => one.line((line) => line.includes("session.completed"))));
      names.forEach((_, index) => {
        const mine = [before[index] as LineListener, after[index] as LineListener];
        expect(textsOf(...mine)).toBe("The photos are sorted. They wait to be deleted.");
        const types = eventsOf(...mine).map(({ type }) => type);
        expect(types).not.toContain("aaep:agent.session.errored");
        expect(types.filter((type) => type === "aaep:agent.session.completed")).toHaveLength(1);
      });
    },
  );

  it("--on-stop end: sessions end, and agents are told that", async () => {
    const { socket, stop } = await started("--on-stop", "end");
    const listener = await returnTo(socket, "first", ABLE);
    const { agent } = await speaking(socket);
    expect(await stop()).toBe(0);
    await Promise.all([listener.closed, agent.closed]);
    expect(textsOf(listener)).toBe("The photos are sorted. They wait");
    expect(eventsOf(listener).at(-1)).toMatchObject({ type: "aaep:agent.session.errored" });
    expect(agent.lines.some((line) => line.includes('"sessions_kept":false'))).toBe(true);
    // It hears how its question ended, though that has to be safe first (R29), and nobody is told that a connection was lost.
    const outcome = agent.lines.map((line) => JSON.parse(line)).find(({ method }) => method === "aaep.outcome");
    expect(outcome?.params).toMatchObject({ reply_token: TOKEN, resolved_by: "cancelled" });
    expect(eventsOf(listener).at(-1)?.summary_normal).toContain("The daemon was stopped");
  });

  it("with the journal in memory sessions end", async () => {
    const { socket, stop } = await started("--journal", "memory");
    const listener = await returnTo(socket, "first", ABLE);
    await speaking(socket);
    expect(await stop()).toBe(0);
    await listener.closed;
    expect(eventsOf(listener).at(-1)).toMatchObject({ type: "aaep:agent.session.errored" });
  });
});
