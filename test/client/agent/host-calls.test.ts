// Calls of tools that an agent's host runs, and questions that it asks in its own window too, as a listener of a real daemon hears them.
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Envelope } from "#gen/aaep/types.js";
import { eventually, runtimeEnvironment, serve } from "../../cli/command-stage.js";
import { accepts, type ListenOptions, listenAt, openedAt } from "./agent-stage.js";

async function stage(listening: ListenOptions = {}) {
  const { socketPath } = await serve(runtimeEnvironment().XDG_RUNTIME_DIR);
  const heard = await listenAt(socketPath, listening);
  return { ...(await openedAt(socketPath)), heard };
}

const idOf = (event: Envelope | undefined, callId: string): string =>
  `call_${createHash("sha256").update(`${event?.session_id}\0${callId}`).digest("hex").slice(0, 32)}`;

test("a tool begins and ends in the turn of its calls, so that no text of the same turn overtakes it", async () => {
  const { agent, heard, troubles } = await stage();
  const s = agent.session("Edits.");
  s.text("First.");
  const call = s.begin("edit", { summary: "Edits config.ts." });
  call.end("success", "One line changed.");
  s.text("Then ");
  s.text("this.");
  const other = s.begin("run");
  other.end("cancelled");
  other.end("success");
  s.begin("fetch").end("error", "The host is gone.");
  s.begin("never");
  s.complete("Done.");
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Done."));
  expect(heard.lines.filter((line) => !line.startsWith("state.changed"))).toEqual([
    "session.started | Edits.",
    "output.streaming | First.",
    "output.streaming | ",
    "tool.invoked | edit | Edits config.ts.",
    "tool.completed | edit | success | One line changed.",
    "output.streaming | Then this.",
    "output.streaming | ",
    "tool.invoked | run | run",
    "tool.completed | run | error | Cancelled.",
    "tool.invoked | fetch | fetch",
    "tool.completed | fetch | error | The host is gone.",
    "tool.invoked | never | never",
    "tool.completed | never | timeout",
    "session.completed | Done.",
  ]);
  expect(troubles).toEqual([]);
});

test("R5c: several calls of one tool by the host's ids, each with its own progress", async () => {
  const { agent, heard, troubles } = await stage();
  const s = agent.session("Reads.");
  const [one, two] = ["toolu_1", "toolu_2"].map((call_id) => s.begin("read", { call_id }));
  two?.progress(50);
  one?.progress({ percent: 10, description: "Half a page." });
  two?.end();
  two?.progress(60);
  s.complete();
  await eventually(() => expect(heard.lines.at(-1)).toMatch(/^session.completed/));
  const [first] = heard.events;
  const [id1, id2] = [idOf(first, "toolu_1"), idOf(first, "toolu_2")];
  const told = heard.events.flatMap(({ type, tool_call_id: id, extensions }) =>
    /tool|progress/.test(type) ? [[type.slice(11), id ?? extensions?.aaepd?.tool_call_id]] : [],
  );
  expect(told).toEqual([
    ["tool.invoked", id1],
    ["tool.invoked", id2],
    ["progress.updated", id2],
    ["progress.updated", id1],
    ["tool.completed", id2],
    ["tool.completed", id1],
  ]);
  expect(troubles).toEqual([]);
});

test("R5c: consent first, the call later; without it the call is refused and neither it nor its end is heard", async () => {
  const { agent, heard, troubles } = await stage({ answer: accepts });
  const s = agent.session("Deletes.");
  const { reply_token: consent, resolved_by } = await s.confirm({ action: "Delete it.", consequence: "Gone." });
  expect(resolved_by).toBe("reply");
  s.begin("delete", { call_id: "a", consent, irreversible: true }).end();
  s.begin("delete", { call_id: "b", consent, irreversible: true }).end();
  s.complete("Done.");
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Done."));
  expect(heard.lines.filter((line) => line.startsWith("tool."))).toEqual([
    "tool.invoked | delete | delete",
    "tool.completed | delete | success",
  ]);
  expect(troubles.map(({ fault }) => [fault.code, fault.rule])).toEqual([["confirmation_required", "R5c"]]);
});

test.each(["accept", "reject"] as const)(
  "R5a: a question that the person answered in the host is closed with that decision (%s), and is told so",
  async (decision) => {
    const { agent, heard, troubles } = await stage({ answer: () => undefined });
    const s = agent.session("Edits.");
    const controller = new AbortController();
    const question = { action: "Edit it.", consequence: "Changed.", host_dialog: true, call_id: "toolu_1" };
    const asking = s.confirm(question, { signal: controller.signal });
    await eventually(() => expect(heard.events.some(({ type }) => type.endsWith("confirmation"))).toBe(true));
    const asked = heard.events.find(({ type }) => type.endsWith("confirmation"));
    expect(asked?.extensions).toEqual({ aaepd: { host_dialog: true } });
    expect(asked?.extra_context).toEqual({ tool_call_id: idOf(asked, "toolu_1") });
    controller.abort({ decided_by: "host", decision });
    expect(await asking).toMatchObject({ resolved_by: "host", decided_by: "host", decision });
    await eventually(() => expect(heard.lines.at(-1)).toContain("answered in the agent’s own window"));
    expect(troubles).toEqual([]);
  },
);

test("R5a: of two answers the first wins, and any other reason takes the question back", async () => {
  const { agent, heard, troubles } = await stage({ answer: accepts });
  const s = agent.session("Edits.");
  const controller = new AbortController();
  const question = { action: "Edit it.", consequence: "Changed." };
  expect(await s.confirm(question, { signal: controller.signal })).toMatchObject({ resolved_by: "reply" });
  controller.abort({ decided_by: "host", decision: "reject" });
  for (const reason of [undefined, { decided_by: "host" }, { decided_by: "host", decision: "maybe" }, "host"]) {
    const other = new AbortController();
    other.abort(reason);
    const outcome = await s.confirm(question, { signal: other.signal });
    expect(outcome).toMatchObject({ resolved_by: "cancelled" });
    expect(outcome).not.toHaveProperty("decision");
  }
  s.complete("Done.");
  await eventually(() => expect(heard.lines.at(-1)).toBe("session.completed | Done."));
  expect(heard.events.filter(({ type }) => type.endsWith("confirmation"))).toHaveLength(1);
  expect(troubles).toEqual([]);
});

test("R5b: a host's question that nobody can answer is left to its window, with a daemon and without", async () => {
  const { agent, heard } = await stage();
  const question = { action: "Edit it.", consequence: "Changed.", host_dialog: true };
  const ends = [await agent.session("Edits.").confirm(question)];
  await eventually(() => expect(heard.lines.join()).toContain("Answer it in the agent’s own window."));
  const alone = await openedAt(undefined);
  ends.push(await alone.agent.session("Edits.").confirm(question));
  for (const outcome of ends) {
    expect(outcome).toMatchObject({ resolved_by: "cancelled" });
    expect(outcome).not.toHaveProperty("decision");
  }
  const controller = new AbortController();
  controller.abort({ decided_by: "host", decision: "accept" });
  const decided = await alone.agent.session("Edits.").confirm(question, { signal: controller.signal });
  expect(decided).toMatchObject({ resolved_by: "host", decision: "accept" });
});
