// The same contract over every way of an agent to a daemon, with real daemons: what listeners hear does not depend on the way.
import { describe, expect, onTestFinished, test } from "vitest";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import type { QuestionWaiting } from "../../../src/client/agent/questions.js";
import { httpRpcConnector } from "../../../src/client/node.js";
import { newReplyToken, newSessionId } from "../../../src/client/random-ids.js";
import { grpcRpcConnector } from "../../../src/client/with-grpc.js";
import { eventually } from "../../cli/command-stage.js";
import { isTried, isWhole } from "../../support/extent.js";
import { accepts, type Heard, listenAt, type OpenedAgent, openedAt, rejects } from "./agent-stage.js";
import { placeFor, SERVED_WAYS, serveFor, sharedWays, WAYS } from "./ways.js";

/** Of the daemon that the tests share which leave it running. */
const reach = sharedWays();

async function stage(way: (typeof WAYS)[number], options: Parameters<typeof openedAt>[1] = {}) {
  const { socketPath, connector } = await placeFor(way, reach);
  const opened: OpenedAgent = await openedAt(undefined, { connectors: [connector], mode: "required", ...options });
  const heard: Heard = await listenAt(socketPath, {
    answer: (event) => {
      if (event.type.endsWith("clarification")) return { reply_token: String(event.reply_token), response: "Blue" };
      return event.action === "Reject this." ? rejects(event) : accepts(event);
    },
  });
  return { ...opened, heard };
}

async function* stream(...chunks: readonly string[]): AsyncGenerator<string> {
  yield* chunks;
}

/** A daemon of the agent's own speaks as the one at its socket does. In a short run two tests say so. */
const isBrief = (way: (typeof WAYS)[number]): boolean => way === "stdio" && !isWhole;

describe.each(WAYS)("an agent over %s", (way) => {
  test("is heard in the order of its calls, with its states and its tools", async () => {
    const { agent, heard, troubles } = await stage(way, { language: "es" });
    await agent.session("Limpia.", async (s) => {
      s.text("Dos ");
      s.text("fotos.");
      const options = { irreversible: true, summary: "Borra.", completed: (count: number) => `${count} fotos.` };
      expect(await s.tool("borrar", () => 2, options)).toBe(2);
      await expect(s.tool("fallar", () => Promise.reject(new Error("No.")))).rejects.toThrow("No.");
      s.progress(50);
      await s.say(stream("Y ", "ya."));
      s.state("deciding", "¿Cuál?");
      s.handoff({ reason: "Ya.", target_kind: "human" });
      s.publish({ type: "aaep:agent.progress.updated", progress: { percent: 75.5, description: "Casi." } });
    });
    await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
    expect(heard.lines).toEqual([
      "session.started | Limpia.",
      "state.changed | thinking",
      "state.changed | writing_output",
      "output.streaming | Dos fotos.",
      "output.streaming | ",
      "state.changed | awaiting_input",
      "awaiting.confirmation | Borra.",
      "state.changed | writing_output | Accepted. The question was: Borra.",
      "state.changed | calling_tool",
      "tool.invoked | borrar | Borra.",
      "tool.completed | borrar | success | 2 fotos.",
      "state.changed | thinking",
      "state.changed | calling_tool",
      "tool.invoked | fallar | fallar",
      "tool.completed | fallar | error",
      "state.changed | thinking",
      "progress.updated",
      "state.changed | writing_output",
      "output.streaming | Y ya.",
      "output.streaming | ",
      "state.changed | deciding | ¿Cuál?",
      "handoff.requested",
      "progress.updated",
      "session.completed | Ended.",
    ]);
    expect(heard.events[0]).toMatchObject({
      producer: { agent_id: "sorter", agent_name: "Sorter" },
      localization_hints: { primary_language: "es" },
    });
    const invoked = heard.events.find(({ type }) => type.endsWith("tool.invoked"));
    expect(invoked).toMatchObject({ irreversible: true, risk_level: "high" });
    expect(heard.events.filter(({ type }) => type.endsWith("progress.updated"))).toMatchObject([
      { progress: { percent: 50 } },
      { progress: { percent: 75.5, description: "Casi." } },
    ]);
    expect(troubles).toEqual([]);
  });

  test.skipIf(isBrief(way))(
    "R41: a number that JSON lacks is refused at its pointer, and what stands around it is heard",
    async () => {
      const { agent, heard, troubles } = await stage(way);
      await agent.session("Pays.", async (s) => {
        const question = {
          action: "Pay.",
          consequence: "It is paid.",
          risk_level: "high",
          irreversible: false,
        } as const;
        const { resolved_by } = await s.confirm({
          ...question,
          extra_context: { "at/most": [1, Number.POSITIVE_INFINITY] },
        });
        expect(resolved_by).toBe("cancelled");
        s.progress(25);
        s.progress({ percent: Number.NaN });
        s.progress(75);
      });
      await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
      expect(heard.lines.filter((line) => line.startsWith("awaiting"))).toEqual([]);
      expect(heard.events.flatMap(({ progress }) => progress ?? [])).toEqual([{ percent: 25 }, { percent: 75 }]);
      expect(troubles.map(({ fault }) => [fault.rule, fault.pointer])).toEqual([
        ["R41", "/extra_context/at~1most/1"],
        ["R41", "/0/progress/percent"],
      ]);
    },
  );

  test("AAEP §6: asks in its place among the events, and text goes on meanwhile", async () => {
    const { agent, heard, troubles } = await stage(way);
    await agent.session("Paints.", async (s) => {
      s.text("First a question.");
      const asking = s.clarify({ question: "Which colour?", accepted_response_kinds: ["freetext"] });
      s.text("While I wait.");
      expect(await asking).toMatchObject({ response: "Blue", resolved_by: "reply" });
      const context = { amount: 2, tags: ["a"], nested: { deep: null } };
      expect(await s.confirm({ action: "Accept this.", consequence: "B", extra_context: context })).toMatchObject({
        decision: "accept",
        resolved_by: "reply",
      });
      expect(await s.confirm({ action: "Reject this.", consequence: "B" })).toMatchObject({ decision: "reject" });
    });
    await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
    const at = (start: string): number => heard.lines.findIndex((line) => line.startsWith(start));
    expect(at("output.streaming | First a question.")).toBeLessThan(at("awaiting.clarification"));
    expect(at("awaiting.clarification")).toBeLessThan(at("output.streaming | While I wait."));
    expect(heard.events[at("awaiting.confirmation | Accept")]).toMatchObject({
      extra_context: { amount: 2, tags: ["a"], nested: { deep: null } },
      default_decision: "reject",
      timeout_seconds: 300,
    });
    expect(troubles).toEqual([]);
  });

  test.skipIf(isBrief(way))(
    "R33: what the daemon refuses is told with its place, and nothing around it is lost",
    async () => {
      const { agent, heard, troubles } = await stage(way);
      await agent.session("Sorts.", async (s) => {
        s.text("Before.");
        s.progress({ percent: 1000 });
        s.text(" After.");
        expect(await s.confirm({ action: "", consequence: "B" })).toMatchObject({ resolved_by: "cancelled" });
      });
      await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
      expect(heard.text()).toBe("Before. After.");
      const eventId = expect.stringMatching(/^evt_/);
      expect(troubles).toMatchObject([
        {
          fault: { code: "invalid_event", pointer: expect.stringMatching(/\/progress\/percent$/), eventId },
          droppedEvents: 1,
        },
        { fault: { code: "invalid_event", pointer: "/action", eventId }, droppedEvents: 0 },
      ]);
    },
  );

  test.skipIf(isBrief(way))("a question is taken back when its signal is aborted", async () => {
    const { socketPath, connector } = await placeFor(way, reach);
    const waitings: QuestionWaiting[] = [];
    const onWaiting = (waiting: QuestionWaiting) => void waitings.push(waiting);
    const { agent, troubles } = await openedAt(undefined, { connectors: [connector], onWaiting });
    const heard = await listenAt(socketPath, { answer: () => undefined });
    const controller = new AbortController();
    const s = agent.session("Asks.");
    const asking = s.confirm({ action: "A", consequence: "B" }, { signal: controller.signal });
    await eventually(() => expect(heard.lines).toContain("awaiting.confirmation | A"));
    // A service by single calls cannot tell its agent anything.
    if (!way.startsWith("HTTP")) await eventually(() => expect(waitings.map(({ waiting }) => waiting)).toEqual([true]));
    controller.abort();
    expect(await asking).toMatchObject({ resolved_by: "cancelled" });
    s.complete();
    await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
    expect(troubles).toEqual([]);
  });

  test.skipIf(isBrief(way))(
    "R25: text arrives as it was, whatever its characters are and however it is cut",
    async () => {
      const { agent, heard, troubles } = await stage(way);
      const text = `x${"\u0001ä\u{1f642}".repeat(20_000)}`;
      await agent.session("Writes.", async (s) => {
        s.text(text);
        await s.say(["\ud83d", "\ude42", "!"]);
        s.text("H\ud83d");
        // It is sent without its half character, whose other half comes in a message of its own.
        await eventually(() => expect(heard.text().at(-1)).toBe("H"));
        s.text("\ude42");
        s.progress(100);
        await eventually(() => expect(heard.lines.at(-1)).toBe("progress.updated"));
        s.text("\ud83d");
      });
      await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Ended."));
      expect(heard.text() === `${text}\u{1f642}!H\u{1f642}\ufffd`).toBe(true);
      expect(troubles).toEqual([]);
    },
  );
});

const ROWS = SERVED_WAYS.map((way, row) => [way, row] as const);

describe.each(ROWS)("an agent over %s", (way, row) => {
  test("R3, R8, R8b: over a kill of serve, the session goes on, and an open question is answered in the next run", async () => {
    const served = await serveFor(way);
    let mayAnswer = false;
    let token: unknown;
    const heard = await listenAt(served.socketPath, {
      answer: (event) => {
        token = event.reply_token;
        return mayAnswer ? accepts(event) : undefined;
      },
    });
    const { agent, troubles, statuses } = await openedAt(undefined, { connectors: [served.connector] });
    const s = agent.session("Writes.");
    const other = agent.session("Also writes.");
    s.text("Before. ");
    other.text("Before as well. ");
    const asking = s.confirm({ action: "A", consequence: "B" });
    await eventually(() => expect(token).toBeDefined());
    await served.kill();
    s.text("Between. ");
    await eventually(() => expect(statuses.at(-1)?.kind).toBe("away"));
    mayAnswer = true;
    await served.again();
    let isAnswered = false;
    void asking.then(() => {
      isAnswered = true;
    });
    await eventually(() => {
      heard.subscriber.reply({ reply_token: String(token), decision: "accept" });
      expect(isAnswered).toBe(true);
    });
    expect(await asking).toMatchObject({ decision: "accept", resolved_by: "reply" });
    s.text("After.");
    other.text("After as well.");
    s.complete();
    other.complete();
    await eventually(() => expect(heard.lines.filter((line) => line.startsWith("session.completed"))).toHaveLength(2));
    const textOf = (id: string) =>
      heard.events.flatMap(({ session_id, chunk }) => (session_id === id ? [chunk] : [])).join("");
    expect(textOf(s.id)).toBe("Before. Between. After.");
    expect(textOf(other.id)).toBe("Before as well. After as well.");
    expect(troubles).toEqual([]);
  });

  test.runIf(isTried(row, 1, 2, 1))(
    "an answer that came while the agent was away, in an earlier run of the daemon, is told; so is that no daemon runs",
    async () => {
      const served = await serveFor(way);
      const client = await AgentClient.open(served.connector.connect);
      await client.setManifest({ agent_id: "asker" });
      const session_id = "sess_answered";
      const resume_token = "0123456789abcdef0123456789abcdef";
      const extensions = { aaepd: { resume_token } };
      await client.publish({
        type: "aaep:agent.session.started",
        session_id,
        summary_normal: "Asks.",
        extensions,
      });
      const question = {
        event_id: "evt_00000000000000000000000000000001",
        reply_token: "rpl_00000000000000000000000000000001",
        session_id,
        action: "A",
        consequence: "B",
      };
      const heard = await listenAt(served.socketPath, { answer: () => undefined });
      const lost = client.confirm(question).catch(() => undefined);
      await eventually(() => expect(heard.lines).toContain("awaiting.confirmation | A"));
      await client.close();
      expect(await client.closed).toMatchObject({ kind: "local" });
      await lost;
      heard.subscriber.reply({ reply_token: question.reply_token, decision: "accept" });
      await eventually(() => expect(heard.lines.join()).toContain("Accepted."));
      // What is acknowledged after it makes the outcome safe: a kill within that moment revokes what was heard (R29).
      const other = await AgentClient.open(served.connector.connect);
      await other.setManifest({ agent_id: "other" });
      await other.publish({ type: "aaep:agent.session.started", session_id: newSessionId(), summary_normal: "Works." });
      await other.close();
      await served.kill();
      await expect(AgentClient.open(served.connector.connect)).rejects.toMatchObject({ code: "not_found" });
      await served.again();
      const again = await AgentClient.open(served.connector.connect);
      onTestFinished(() => again.close());
      await again.setManifest({ agent_id: "asker" });
      await again.request("aaep.resume_session", { session_id, resume_token });
      expect(await again.confirm(question)).toMatchObject({ decision: "accept", resolved_by: "reply" });
      expect(await again.cancel(question.reply_token)).toBe(false);
    },
  );

  test("a question can be taken back", async () => {
    const { socketPath, connector } = await reach(way);
    const heard = await listenAt(socketPath, { answer: () => undefined });
    const client = await AgentClient.open(connector.connect);
    onTestFinished(() => client.close());
    await client.setManifest({ agent_id: "asker" });
    const session_id = newSessionId();
    await client.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Asks." });
    const reply_token = newReplyToken();
    const asking = client.confirm({ session_id, action: "A", consequence: "B", reply_token });
    await eventually(() => expect(heard.lines).toContain("awaiting.confirmation | A"));
    expect(await client.cancel(reply_token, { decided_by: "host", decision: "accept" })).toBe(true);
    expect(await asking).toMatchObject({ decision: "accept", resolved_by: "host" });
    expect(await client.cancel(reply_token)).toBe(false);
  });
});

test.each([
  { way: "gRPC, TCP", connector: grpcRpcConnector },
  { way: "HTTP, TCP", connector: httpRpcConnector },
] as const)("a wrong token is told: $way", async ({ way, connector }) => {
  const { address } = await reach(way);
  const connecting = AgentClient.open(connector(address, { token: "wrong" }));
  await expect(connecting).rejects.toMatchObject({ code: "unauthenticated" });
});
