// R8c: hooks run as a process each, and the daemon owns the sessions that come of them, a turn of the person each.
import { describe, expect, it } from "vitest";
import { CLAUDE_MESSAGES as CLAUDE, CODEX_MESSAGES as CODEX } from "../../adapters/hooks/hook-messages.js";
import { hookStage } from "./hook-stage.js";

const HALF_AN_HOUR = 30 * 60_000;
/** What is heard of the beginning of a turn. */
const BEGUN = "session.started: Mend the build. Then commit.";
/** The mode in which the host asks nobody. */
const UNASKED = { permission_mode: "bypassPermissions" };

describe("R8c: a turn of the person is a session", () => {
  const call = (id: string) => ({ ...CLAUDE.PreToolUse, tool_use_id: id, tool_input: { command: id } });
  const end = (id: string) => ({ ...CLAUDE.PostToolUse, tool_use_id: id });
  it.each<readonly [string, readonly object[], readonly string[]]>([
    [
      "with its tools and its text, and ends by the host's own end",
      [
        CLAUDE.SessionStart,
        CLAUDE.UserPromptSubmit,
        CLAUDE.PreToolUse,
        CLAUDE.PostToolUse,
        CLAUDE.MessageDisplay,
        { ...CLAUDE.MessageDisplay, index: 1, delta: "Good.", final: true },
        CLAUDE.Stop,
      ],
      [
        BEGUN,
        "tool.invoked: Runs npm test",
        "Bash success",
        "All is well.\n",
        "Good.",
        ".",
        "session.completed: Done.",
      ],
    ],
    [
      "says the last message where none was displayed",
      [CLAUDE.UserPromptSubmit, CLAUDE.Stop],
      [BEGUN, "The build is mended.", ".", "session.completed: Done."],
    ],
    [
      "ends by the next turn",
      [CLAUDE.UserPromptSubmit, CLAUDE.PreToolUse, { ...CLAUDE.UserPromptSubmit, prompt: "Stop that." }],
      [BEGUN, "session.cancelled: Stopped.", "session.started: Stop that."],
    ],
    [
      "begins in the middle where the daemon did not hear its beginning, and has no end without a beginning",
      [{ ...CLAUDE.Stop, last_assistant_message: undefined }, CLAUDE.PostToolUse, CLAUDE.MessageDisplay],
      ["session.started: Works on your request.", "All is well.\n"],
    ],
    [
      "has several calls at once, by the host's own ids",
      [CLAUDE.UserPromptSubmit, call("a"), call("b"), call("c"), end("b"), end("a")],
      [BEGUN, "tool.invoked: Runs b", "Bash success", "tool.invoked: Runs a", "Bash success"],
    ],
  ])("%s", async (_, messages, told) => {
    const { hook, heard } = await hookStage();
    for (const message of messages) await hook(message as typeof CLAUDE.Stop);
    expect(await heard()).toEqual(told);
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
    expect(await heard()).toEqual([BEGUN, "thinking: Compacts the conversation."]);
    await rig.advance(1);
    expect(await heard()).toEqual(["session.cancelled: Stopped."]);
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
    expect(await heard()).toEqual([BEGUN]);
    await hook(CLAUDE.PostToolUseFailure);
    expect(await heard()).toEqual(["tool.invoked: Runs npm test", "Bash error"]);
  });

  it("after 5 s, where the mode asks nobody, unless a rule of the person's asks all the same", async () => {
    const { hook, heard, rig } = await hookStage();
    await hook(CLAUDE.UserPromptSubmit);
    await hook({ ...CLAUDE.PreToolUse, ...UNASKED });
    await rig.advance(4999);
    expect(await heard()).toEqual([BEGUN]);
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
    // The daemon's own.
    [{ host: "claude", message: "{}", name: "AAEPD" }, "/name"],
    [{ host: "claude", message: `{"tool_input":${"[".repeat(10_000)}${"]".repeat(10_000)}}` }, "/message"],
  ])("%j", async (params, pointer) => {
    const { rig } = await hookStage();
    const peer = await rig.rpc();
    expect(await peer.refusal("aaepd.hook", params)).toMatchObject({ code: "invalid_params", pointer });
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
