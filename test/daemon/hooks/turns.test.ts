// R8c: hooks run as a process each, and the daemon owns the sessions that come of them, a turn of the person each.
import { describe, expect, it } from "vitest";
import { CLAUDE_MESSAGES as CLAUDE, CODEX_MESSAGES as CODEX } from "../../adapters/hooks/hook-messages.js";
import { hookStage } from "./hook-stage.js";

const HALF_AN_HOUR = 30 * 60_000;
/** The mode in which the host asks nobody. */
const UNASKED = { permission_mode: "bypassPermissions" };

describe("R8c: a turn of the person is a session", () => {
  it("with its tools and its text, and ends by the host's own end", async () => {
    const { hook, heard } = await hookStage();
    await hook(CLAUDE.SessionStart);
    await hook(CLAUDE.UserPromptSubmit);
    await hook(CLAUDE.PreToolUse);
    await hook(CLAUDE.PostToolUse);
    await hook(CLAUDE.MessageDisplay);
    await hook({ ...CLAUDE.MessageDisplay, index: 1, delta: "Good.", final: true });
    await hook(CLAUDE.Stop);
    expect(await heard()).toEqual([
      "session.started: Mend the build. Then commit.",
      "tool.invoked: Runs npm test",
      "Bash success",
      "All is well.\n",
      "Good.",
      ".",
      "session.completed: Done.",
    ]);
  });

  it("says the last message where none was displayed", async () => {
    const { hook, heard } = await hookStage();
    await hook(CODEX.UserPromptSubmit, { host: "codex" });
    await hook(CODEX.Stop, { host: "codex" });
    expect(await heard()).toEqual([
      "session.started: Mend the build.",
      "The build is mended.",
      ".",
      "session.completed: Done.",
    ]);
  });

  it("is by the agent in its folder, numbered where the name is taken, in the language of the host's locale", async () => {
    const { hook, listener } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook({ ...CLAUDE.UserPromptSubmit, session_id: "another" }, { locale: "de_DE.UTF-8" });
    await hook({ ...CLAUDE.UserPromptSubmit, session_id: "third" }, { name: "Helper" });
    const started = await listener.events.take(3);
    expect(started.map(({ producer }) => (producer as { agent_name: string }).agent_name)).toEqual([
      "Claude in shop",
      "Claude in shop 2",
      "Helper",
    ]);
    expect(started[1]?.localization_hints).toMatchObject({ primary_language: "de-DE" });
    expect(started[0]).toMatchObject({ correlation_id: "5b1f7c1e-0001" });
  });

  it("gives its name to the next one where its host went without a word", async () => {
    const { hook, listener } = await hookStage();
    // The number of no process.
    await hook(CLAUDE.UserPromptSubmit, { pid: 2 ** 22 + 1 });
    await hook({ ...CLAUDE.UserPromptSubmit, session_id: "another" }, { pid: process.pid });
    const [first, ended, started] = await listener.events.take(3);
    expect(ended).toMatchObject({ type: "aaep:agent.session.cancelled", session_id: first?.session_id });
    expect(started).toMatchObject({ correlation_id: "another", producer: { agent_name: "Claude in shop" } });
  });

  it("ends by the next turn", async () => {
    const { hook, heard } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook(CLAUDE.PreToolUse);
    await hook({ ...CLAUDE.UserPromptSubmit, prompt: "Stop that." });
    expect(await heard()).toEqual([
      "session.started: Mend the build. Then commit.",
      "session.cancelled: Stopped.",
      "session.started: Stop that.",
    ]);
  });

  it("ends as errored where the host has failed", async () => {
    const { hook, listener } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook(CLAUDE.StopFailure);
    expect((await listener.events.take(2))[1]).toMatchObject({
      type: "aaep:agent.session.errored",
      urgency: "critical",
      summary_normal: "It ended with an error.",
      error_category: "unknown",
      error_code: "AGENT_ERROR",
    });
  });

  it("ends by the end of the conversation", async () => {
    const { hook, heard, rig } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook({ ...CLAUDE.PreToolUse, ...UNASKED });
    await rig.advance(5000);
    await hook(CLAUDE.SessionEnd);
    expect((await heard()).slice(1)).toEqual([
      "tool.invoked: Runs npm test",
      "Bash error",
      "session.cancelled: The agent’s window was closed.",
    ]);
  });

  it("ends after 30 minutes of silence, and not before", async () => {
    const { hook, heard, rig } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await rig.advance(HALF_AN_HOUR - 1);
    await hook(CLAUDE.PreCompact);
    await rig.advance(HALF_AN_HOUR - 1);
    expect(await heard()).toEqual([
      "session.started: Mend the build. Then commit.",
      "thinking: Compacts the conversation.",
    ]);
    await rig.advance(1);
    expect(await heard()).toEqual(["session.cancelled: Stopped."]);
  });

  it("begins in the middle where the daemon did not hear its beginning, and has no end without a beginning", async () => {
    const { hook, heard } = await hookStage();
    await hook({ ...CLAUDE.Stop, last_assistant_message: undefined });
    await hook(CLAUDE.PostToolUse);
    expect(await heard()).toEqual([]);
    await hook(CLAUDE.MessageDisplay);
    expect(await heard()).toEqual(["session.started: Works on your request.", "All is well.\n"]);
  });

  it("each conversation has its own, and of too many the most silent one ends", async () => {
    const { hook, heard } = await hookStage();
    for (let count = 0; count <= 64; count += 1) await hook({ ...CLAUDE.UserPromptSubmit, session_id: `s${count}` });
    const told = await heard();
    expect(told.filter((one) => one.startsWith("session.started"))).toHaveLength(65);
    expect(told.filter((one) => one.startsWith("session.cancelled"))).toHaveLength(1);
  });
});

describe("a call is told when it runs", () => {
  it("with its end, where the host may ask at any time before", async () => {
    const { hook, heard, rig } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook(CLAUDE.PreToolUse);
    await rig.advance(60_000);
    expect(await heard()).toEqual(["session.started: Mend the build. Then commit."]);
    await hook(CLAUDE.PostToolUseFailure);
    expect(await heard()).toEqual(["tool.invoked: Runs npm test", "Bash error"]);
  });

  it("after 5 s, where the mode asks nobody, unless a rule of the person's asks all the same", async () => {
    const { hook, heard, rig } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook({ ...CLAUDE.PreToolUse, ...UNASKED });
    await rig.advance(4999);
    expect(await heard()).toEqual(["session.started: Mend the build. Then commit."]);
    await rig.advance(1);
    expect(await heard()).toEqual(["tool.invoked: Runs npm test"]);
    const rare = { ...UNASKED, tool_input: { command: "rm -rf shop" }, tool_use_id: "rare" };
    await hook({ ...CLAUDE.PreToolUse, ...rare });
    await hook({ ...CLAUDE.PermissionRequest, ...rare });
    await rig.advance(60_000);
    expect(await heard()).toEqual(["awaiting_input: Run rm -rf shop. Answer it in the agent’s own window."]);
    await hook({ ...CLAUDE.PostToolUse, ...rare });
    expect(await heard()).toEqual(["tool.invoked: Runs rm -rf shop", "Bash success"]);
  });

  it("of which only the end is heard, unless it is the agent's own business or has never run", async () => {
    const { hook, heard } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook(CLAUDE.PostToolUse);
    await hook(CLAUDE.PreToolUse);
    await hook({ ...CLAUDE.PostToolUse, tool_name: "TodoWrite", tool_use_id: "own" });
    await hook({ ...CLAUDE.PostToolUse, tool_name: "AskUserQuestion", tool_use_id: "dialog" });
    await hook({ ...CLAUDE.PostToolUseFailure, is_interrupt: true, tool_use_id: "interrupted" });
    await hook(CLAUDE.Stop);
    expect((await heard()).slice(1)).toEqual([
      "tool.invoked: Runs npm test",
      "Bash success",
      "The build is mended.",
      ".",
      "session.completed: Done.",
    ]);
  });

  it("of more than 256 open ones the oldest is over, and ids that only end otherwise are two", async () => {
    const { hook, heard } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    for (let count = 0; count < 257; count++)
      await hook({ ...CLAUDE.PreToolUse, tool_use_id: `${"x".repeat(300)}${count}` });
    await hook({ ...CLAUDE.PostToolUse, tool_use_id: `${"x".repeat(300)}1` });
    await hook({ ...CLAUDE.PostToolUse, tool_use_id: `${"x".repeat(300)}0` });
    // The oldest was over, and then it has run after all.
    const twice = ["tool.invoked: Runs npm test", "Bash success"];
    expect((await heard()).slice(1)).toEqual([...twice, ...twice]);
  });

  it("several at once, by the host's own ids", async () => {
    const { hook, heard } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    for (const id of ["a", "b", "c"])
      await hook({ ...CLAUDE.PreToolUse, tool_use_id: id, tool_input: { command: id } });
    await hook({ ...CLAUDE.PostToolUse, tool_use_id: "b" });
    await hook({ ...CLAUDE.PostToolUse, tool_use_id: "a" });
    expect((await heard()).slice(1)).toEqual([
      "tool.invoked: Runs b",
      "Bash success",
      "tool.invoked: Runs a",
      "Bash success",
    ]);
  });

  it("never where the host has denied it", async () => {
    const { hook, heard, rig } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook(CLAUDE.PreToolUse);
    await hook(CLAUDE.PermissionDenied);
    await rig.advance(5000);
    expect((await heard()).slice(1)).toEqual(["thinking: Denied: Run npm test."]);
  });
});

describe("params of aaepd.hook", () => {
  it.each([
    [{ host: "gemini" }, "/host"],
    [{ host: "claude" }, "/message"],
    [{ host: "claude", message: "{" }, "/message"],
    [{ host: "claude", message: "[]" }, "/message"],
    [{ host: "claude", message: "{}", pid: -1 }, "/pid"],
    [{ host: "claude", message: "{}", answers: 1 }, "/answers"],
    [{ host: "claude", message: "{}", name: 1 }, "/name"],
    [{ host: "claude", message: "{}", language: 1 }, "/language"],
    [{ host: "claude", message: "{}", language: `en-${"x".repeat(256)}` }, "/language"],
    [{ host: "claude", message: "{}", name: "x".repeat(257) }, "/name"],
    [{ host: "claude", message: `{"tool_input":${"[".repeat(10_000)}${"]".repeat(10_000)}}` }, "/message"],
  ])("%j", async (params, pointer) => {
    const { rig } = await hookStage();
    const peer = await rig.rpc();
    expect(await peer.refusal("aaepd.hook", params)).toMatchObject({ code: "invalid_params", pointer });
  });

  it("a name that is the daemon's own is refused", async () => {
    const { rig } = await hookStage();
    const peer = await rig.rpc();
    const params = { host: "claude", message: "{}", name: "AAEPD" };
    expect(await peer.refusal("aaepd.hook", params)).toMatchObject({ code: "invalid_params", pointer: "/name" });
  });

  it("a connection without the right publishes nothing by it", async () => {
    const { rig } = await hookStage({ accessPolicy: { of: () => ({ may: (operation) => operation !== "publish" }) } });
    const peer = await rig.rpc("memory");
    const message = JSON.stringify(CLAUDE.UserPromptSubmit);
    expect(await peer.refusal("aaepd.hook", { host: "claude", message })).toMatchObject({ code: "permission_denied" });
  });
});

describe("the status", () => {
  it("names the events that were seen, with their times", async () => {
    const { hook, rig } = await hookStage();
    const peer = await rig.rpc();
    expect((await peer.request("aaepd.status", {})).hooks).toBeUndefined();
    await hook(CLAUDE.SessionStart);
    await hook(CODEX.Stop, { host: "codex" });
    const { hooks } = await peer.request("aaepd.status", {});
    expect(hooks).toEqual({
      claude: { SessionStart: expect.stringMatching(/^\d{4}-.*Z$/) },
      codex: { Stop: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
  });
});
