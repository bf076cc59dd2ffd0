// R8b: `serve` is stopped in order and started again, with an agent, listeners and an open question.
import { describe, expect, it } from "vitest";
import { serveAtSocket } from "../cli/command-stage.js";
import { type LineListener, listenInLines } from "../support/peers/line-listener.js";
import { joinedByPosition, placeIn, returnTo } from "../support/peers/returning.js";

const S = "sess_orderly1";
const ABLE = { supports_confirmation_reply: true, coalesce_boundaries: ["sentence", "completion"] };
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

describe("R8b: SIGTERM with the journal on disk", () => {
  it("nobody hears of a lost agent, what is held follows in the next run, and the question is open there", async () => {
    const { socket, start, stop } = await started();
    const before = await returnTo(socket, "first", ABLE);
    const { agent, token } = await speaking(socket);
    await before.line((line) => line.includes("The photos are sorted."));
    expect(await stop()).toBe(0);
    await Promise.all([before.closed, agent.closed]);
    expect(before.rest()).toBe("");
    const close = { type: "subscription.close", reason_code: "producer_shutdown" };
    expect(JSON.parse(before.lines.at(-1) ?? "")).toMatchObject(close);
    expect(textsOf(before).trim()).toBe("The photos are sorted.");
    const told = agent.lines.map((line) => JSON.parse(line));
    expect(told).toContainEqual({ jsonrpc: "2.0", method: "aaepd.closing", params: { sessions_kept: true } });

    await start();
    const after = await returnTo(socket, "first", ABLE, placeIn(before));
    await after.line((line) => line.includes('"aaep:agent.awaiting.confirmation"'));
    const heir = await listenInLines(socket);
    const summary = await call(heir, "resume", "aaep.resume_session", { session_id: S, resume_token: token });
    expect(summary.open_questions).toHaveLength(1);
    await call(heir, "speak", "aaep.publish", chunk(" to be deleted.", true));
    const completed = { type: "aaep:agent.session.completed", session_id: S, summary_normal: "Done." };
    await call(heir, "end", "aaep.publish", completed);
    await after.line((line) => line.includes("session.completed"));
    expect(textsOf(before, after)).toBe("The photos are sorted. They wait to be deleted.");
    const types = eventsOf(before, after).map(({ type }) => type);
    expect(types.filter((type) => /session\.(completed|errored)/.test(String(type)))).toEqual([completed.type]);
  });

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
});
