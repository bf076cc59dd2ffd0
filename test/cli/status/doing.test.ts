// What an agent does now, as the status says it.
import { expect, test } from "vitest";
import { doing } from "../../../src/cli/status/doing.js";
import { statusLines } from "../../../src/cli/status/status-text.js";
import type { DaemonStatus, StatusSession } from "../../../src/daemon/status/daemon-status.js";
import { CLAUDE_MESSAGES as CLAUDE } from "../../adapters/hooks/hook-messages.js";
import { hookStage } from "../../daemon/hooks/hook-stage.js";

const NOW = Date.parse("2026-05-24T14:00:00.000Z");
const QUIET: StatusSession = {
  session_id: "sess_1",
  agent_id: "a",
  state: "thinking",
  events: 3,
  open_tools: 0,
  tools: [],
  open_outputs: 0,
  open_questions: 0,
  agent_connected: true,
};

test.each<[string, object]>([
  ["thinks", {}],
  ["is idle", { state: "idle" }],
  ["looks around", { state: "looks_around" }],
  ["writes", { state: "writing_output", open_outputs: 2 }],
  ["waits for an answer for 1 minute", { open_questions: 1, asked_for_seconds: 60 }],
  ["waits for 2 answers", { open_questions: 2 }],
  [
    "runs npm test for 40 seconds",
    { open_tools: 1, tools: [{ tool: "Bash", words: "Runs npm test.", for_seconds: 40 }] },
  ],
  ["npm test for 1 second", { open_tools: 1, tools: [{ tool: "Bash", words: "npm test", for_seconds: 1 }] }],
  ["URL wird gelesen", { open_tools: 1, tools: [{ tool: "Fetch", words: "URL wird gelesen" }] }],
  // Its call came in an earlier boot, whose clock is gone.
  ["runs fetch for 12 seconds", { open_tools: 1, tools: [{ tool: "fetch", since: "2026-05-24T13:59:48.000Z" }] }],
  ["runs a, runs 2 more tools, writes", { open_tools: 3, tools: [{ tool: "a" }], open_outputs: 1 }],
  // Of a daemon that names none.
  ["runs 1 tool", { open_tools: 1, tools: [] }],
])("%s", (said, differs) => {
  expect(doing({ ...QUIET, ...differs }, NOW)).toBe(said);
});

test("a call runs since the daemon received it, by the daemon's own clock", async () => {
  const { rig, hook } = await hookStage();
  await hook({ ...CLAUDE.UserPromptSubmit, cwd: "/home/ada/shop" }, { name: undefined });
  await hook({ ...CLAUDE.PreToolUse, permission_mode: "bypassPermissions" });
  await rig.advance(5000);
  const agent = await rig.rpc("memory");
  const producer = { agent_id: "b", agent_name: "Bank" };
  const long = { session_id: "sess_2", summary_normal: `Reads ${"x".repeat(100)}`, producer };
  await agent.publish({ ...long, type: "aaep:agent.session.started" });
  await agent.publish({ ...long, type: "aaep:agent.tool.invoked", tool: "read" });
  await rig.advance(40_000);
  const status = (await agent.request("aaepd.status", {})) as unknown as DaemonStatus;
  const [first = "", second = ""] = statusLines(status, Date.now(), 500).filter((line) => line.includes("; sess_"));
  expect(first).toMatch(/^ {2}Claude in shop: runs npm test for 40 seconds; sess_/);
  expect(second).toMatch(/^ {2}Bank: reads x{73}… for 40 seconds; sess_2, 2 events$/);
});
