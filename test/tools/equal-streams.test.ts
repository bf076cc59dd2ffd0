// A screen reader over gRPC and one over the Unix socket, both in Python, with the same request: from one session they get equal streams.
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { type AgentClient, createAgentClient } from "../../src/client/agent-client.js";
import { grpcRpcConnector } from "../../src/client/node.js";
import { ensureBuilt } from "../support/built.js";
import {
  type Command,
  canRun,
  documentsOf,
  type Example,
  ensureExampleBuilt,
  missingTools,
  PYTHON,
  serveGrpc,
  startListener,
} from "../support/languages.js";

const SOCKET_READER: Command = [".venv/bin/python", "socket_subscriber.py"];
// Each piece of the session is sent when both have the one before, so that neither has to catch up, where pieces are joined as they come to lie.
const OPTIONS = ["--json", "--once", "--rate", "50"];
const SESSION = "sess_equal1";
const TEXT = [
  "The ferry leaves at 9.30 a.m. from pier two. ",
  "Owó rẹ̀ jẹ́ ₦4,500. ",
  "Next: 次の船は午後2時です。\n\n",
  "👩‍👩‍👧 It costs 12.50 dollars, and a “bicycle” is free.",
];

type Members = Readonly<Record<string, unknown>>;

beforeAll(async () => {
  ensureBuilt();
  if (canRun(PYTHON)) await ensureExampleBuilt(PYTHON);
}, 1_200_000);

function event(type: string, members: Members): Members {
  return { ...members, type: `aaep:agent.${type}`, session_id: SESSION, producer: { agent_id: "ferry", model: "m-1" } };
}

/** Token by token; the first of the next sentence shows that this one has ended. */
function tokensOf(text: string): readonly Members[] {
  return (text.match(/\s*\S+\s*/g) ?? []).map((chunk) =>
    event("output.streaming", { output_id: "out_1", chunk, complete: false }),
  );
}

function heardText(reader: Example): string {
  return documentsOf(reader)
    .map(({ chunk }) => chunk ?? "")
    .join("");
}

describe.skipIf(!canRun(PYTHON))(
  `readers in Python${missingTools(PYTHON)
    .map((tool) => `, which need ${tool}`)
    .join("")}`,
  () => {
    it("AAEP app. B.1, B.5: get the same documents in the same order over gRPC and over the socket", async () => {
      // Only the ends of sentences and of the output cut the text here, however slow the machine is.
      const daemon = await serveGrpc("--max-hold-ms", "60000");
      const typed = await startListener(
        PYTHON.folder,
        PYTHON.subscriber,
        ...daemon.unix,
        ...OPTIONS,
        "--answer",
        "accept",
      );
      const plain = await startListener(PYTHON.folder, SOCKET_READER, "--socket", daemon.socketPath, ...OPTIONS);
      // Over TCP nobody knows the agent's process, which has started the readers: over the socket their answers would not count (R5d).
      const token = () => readFileSync(daemon.tokenFile, "utf8").trim();
      const agent: AgentClient = await createAgentClient(grpcRpcConnector(daemon.tcpAddress, { token }));
      onTestFinished(agent.close);
      const both = (check: (reader: Example) => void) =>
        vi.waitFor(
          () => {
            check(typed);
            check(plain);
          },
          { timeout: 60_000, interval: 10 },
        );
      let published = 0;
      const say = async (type: string, members: Members) => {
        published += 1;
        const { events } = await agent.publishUntyped(event(type, members));
        await both((reader) =>
          expect(documentsOf(reader).map(({ event_id }) => event_id)).toContain(events[0]?.event_id),
        );
      };

      await say("session.started", {
        summary_normal: "Looks up ferries.",
        tools_available: ["timetable"],
        summary_normal_yo: "Ó ń wá ọkọ̀ ojú omi.",
      });
      await say("state.changed", {
        from_state: "idle",
        to_state: "thinking",
        expected_duration_ms: 0,
      });
      await say("tool.invoked", {
        tool: "timetable",
        tool_call_id: "call_1",
        risk_level: "low",
        irreversible: false,
        summary_normal: "Asks.",
      });
      await say("progress.updated", {
        progress: { percent: 12.5, step: 1, total_steps: 8, description: "Harbour 1 of 8" },
      });
      await say("tool.completed", { tool: "timetable", tool_call_id: "call_1", status: "success", duration_ms: 17 });
      let expected = "";
      for (const [index, sentence] of TEXT.entries()) {
        const isLast = index === TEXT.length - 1;
        const next = tokensOf(TEXT[index + 1] ?? "").slice(0, 1);
        const rest = index === 0 ? tokensOf(sentence) : tokensOf(sentence).slice(1);
        const end = isLast ? [event("output.streaming", { output_id: "out_1", chunk: "", complete: true })] : [];
        await agent.publishUntyped([...rest, ...next, ...end]);
        expected += sentence;
        await both((reader) => expect(heardText(reader).length).toBeGreaterThanOrEqual(expected.trimEnd().length));
      }
      // The reader over gRPC accepts; the other one is asked too.
      const outcome = await agent.confirm({
        session_id: SESSION,
        producer: { agent_id: "ferry", model: "m-1" },
        action: "Book the ferry at 2 p.m.",
        consequence: "12.50 dollars are paid.",
        risk_level: "medium",
        irreversible: true,
        reversibility: "irreversible",
        allowed_replies: ["accept", "reject"],
        extra_context: { tool: "book", price: 12.5, seats: [1, null, "aisle"] },
      });
      expect(outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
      await both((reader) => expect(documentsOf(reader).at(-1)?.summary_normal).toMatch(/^Accepted\./));
      await say("tool.invoked", { tool: "book", irreversible: true, summary_normal: "Books." });
      await say("tool.completed", { tool: "book", status: "error", error_message: "Fully booked." });
      await say("session.errored", {
        summary_normal: "Nothing was booked.",
        error_category: "requires_user",
        recoverable: true,
      });

      expect(await typed.ended).toMatchObject({ code: 0 });
      expect(await plain.ended).toMatchObject({ code: 0 });
      const [overGrpc, overSocket] = [documentsOf(typed), documentsOf(plain)];
      expect(overGrpc).toEqual(overSocket);
      expect(overGrpc.flatMap(({ chunk }) => chunk ?? []).filter((chunk) => chunk !== "")).toEqual(TEXT);
      // More than what was published one by one: sentences, the question, and what the daemon says of it.
      expect(overGrpc.length).toBeGreaterThan(published + TEXT.length);
      expect(overGrpc.filter(({ type }) => type === "aaep:agent.awaiting.confirmation")).toHaveLength(1);
    });
  },
);
