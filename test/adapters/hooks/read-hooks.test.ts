// One message of a host, in signs: each event, the words of each kind of tool, and what is left to the host's own dialog.
import { describe, expect, it } from "vitest";
import type { Sign } from "../../../src/adapters/adapter.js";
import { permissionOutput } from "../../../src/adapters/hooks/hook-events.js";
import type { HookHost, HookReading } from "../../../src/adapters/hooks/hook-host.js";
import { HOOK_HOSTS } from "../../../src/adapters/hooks/hook-hosts.js";
import { WORDINGS } from "../../../src/engine/messages/wording.js";
import { CLAUDE_MESSAGES, CODEX_MESSAGES, INPUT } from "./hook-messages.js";

type Message = Readonly<Record<string, unknown>>;
const { claude: CLAUDE, codex: CODEX } = HOOK_HOSTS;

function read(message: Message, host: HookHost = CLAUDE, answers = true): HookReading {
  const reading = host.read(message, { words: WORDINGS.en, answers });
  if (reading === undefined) throw new Error("it was not read");
  return reading;
}

/** A sign in a line. */
function told(sign: Sign): string {
  switch (sign.kind) {
    case "turn":
      return `turn: ${sign.words}`;
    case "text":
      return `text ${sign.output}: ${sign.text}`;
    case "tool":
      return `tool ${sign.call}: ${sign.words}`;
    case "tool-end":
      return `tool-end ${sign.call}: ${sign.status}`;
    case "progress":
      return `progress ${sign.step}/${sign.total}: ${sign.words}`;
    case "state":
      return `${sign.state}: ${sign.words ?? ""}`.trim();
    case "question":
      return `question: ${sign.action} | ${sign.consequence.replaceAll("\n", " | ")} | ${sign.seconds} s`;
    case "end":
      return `${sign.how}: ${sign.words}`;
    default:
      return sign.kind;
  }
}

const toldBy = (message: Message, host: HookHost = CLAUDE, answers = true): readonly string[] =>
  read(message, host, answers).signs.map(told);

it("Safety 2: neither an argument nor a subagent's name stands in place of what will be done", () => {
  const asked = { ...CLAUDE_MESSAGES.PermissionRequest, agent_id: "a", agent_type: "x".repeat(500) };
  const { signs } = read({ ...asked, tool_name: "mcp__git__drop", tool_input: { command: "ls" } });
  expect(signs.map(told)).toEqual([`question: Subagent ${"x".repeat(39)}…: Use git: drop | Command: ls | 120 s`]);
});

describe("each event of Claude Code", () => {
  const expected: Readonly<Record<keyof typeof CLAUDE_MESSAGES, readonly string[]>> = {
    SessionStart: [],
    UserPromptSubmit: ["turn: Mend the build. Then commit."],
    PreToolUse: ["tool toolu_1: Runs npm test"],
    PermissionRequest: [
      "question: Run npm test | Command: npm test | As the agent says: Checks that all is well | 120 s",
    ],
    PermissionDenied: ["tool-end toolu_1: cancelled", "thinking: Denied: Run npm test."],
    PostToolUse: ["tool-end toolu_1: success"],
    PostToolUseFailure: ["tool-end toolu_1: error"],
    MessageDisplay: ["text m1: All is well.\n"],
    Stop: ["completed: Done."],
    StopFailure: ["errored: It ended with an error."],
    SubagentStart: ["thinking: Subagent Explore: Works on your request."],
    SubagentStop: ["thinking: Subagent Explore: Done."],
    Notification: ["awaiting_input: Claude needs your permission to use Bash Answer it in the agent’s own window."],
    Elicitation: ["awaiting_input: Which account? Answer it in the agent’s own window."],
    ElicitationResult: ["thinking:"],
    PreCompact: ["thinking: Compacts the conversation."],
    PostCompact: [],
    SessionEnd: ["cancelled: The agent’s window was closed."],
  };
  it.each(Object.entries(expected))("%s", (event, lines) => {
    const message = CLAUDE_MESSAGES[event as keyof typeof CLAUDE_MESSAGES];
    expect(toldBy(message)).toEqual(lines);
    expect(read(message)).toMatchObject({ event, conversation: "5b1f7c1e-0001", folder: "/home/ada/shop" });
  });

  it("has a last message, which counts where none was displayed", () => {
    expect(read(CLAUDE_MESSAGES.Stop).lastMessage).toBe("The build is mended.");
  });

  it("is the end of its conversation, or counts only without a question", () => {
    expect(read(CLAUDE_MESSAGES.SessionEnd).isLast).toBe(true);
    expect(read(CLAUDE_MESSAGES.Notification).isSpare).toBe(true);
  });

  it("says who must sign in, and which call was interrupted", () => {
    expect(toldBy({ ...CLAUDE_MESSAGES.StopFailure, error: "authentication_failed" })).toEqual([
      "errored: It needs you to sign in.",
    ]);
    expect(toldBy({ ...CLAUDE_MESSAGES.PostToolUseFailure, is_interrupt: true })).toEqual([
      "tool-end toolu_1: cancelled",
    ]);
  });

  it("ends a text with its last piece, and passes over that of a subagent", () => {
    expect(toldBy({ ...CLAUDE_MESSAGES.MessageDisplay, delta: "", final: true })).toEqual(["text-end"]);
    expect(toldBy({ ...CLAUDE_MESSAGES.MessageDisplay, agent_id: "a1" })).toEqual([]);
  });

  it("waits for the person, opens an address, or is a request of the machine", () => {
    expect(toldBy({ ...CLAUDE_MESSAGES.Notification, notification_type: "idle_prompt" })).toEqual([
      "idle: Waits for you.",
    ]);
    expect(toldBy({ ...CLAUDE_MESSAGES.Notification, notification_type: "auth_success" })).toEqual([]);
    expect(toldBy({ ...CLAUDE_MESSAGES.Elicitation, mode: "url", url: "https://sign.example/in?token=1" })).toEqual([
      "awaiting_input: It asks you to open sign.example in the agent’s own window.",
    ]);
    expect(toldBy({ ...CLAUDE_MESSAGES.UserPromptSubmit, source: "system" })).toEqual(["turn: Works on your request."]);
  });

  it("puts the name of a subagent in front", () => {
    const message = { ...CLAUDE_MESSAGES.PreToolUse, agent_id: "a1", agent_type: "Explore" };
    expect(toldBy(message)).toEqual(["tool toolu_1: Subagent Explore: Runs npm test"]);
    expect(toldBy({ ...message, agent_type: undefined })).toEqual(["tool toolu_1: Subagent: Runs npm test"]);
    expect(toldBy({ ...CLAUDE_MESSAGES.Elicitation, agent_id: "a1", agent_type: "Explore" })[0]).toContain("Explore: ");
    expect(read(message)).toMatchObject({ actor: "a1", needsAudience: true });
    expect(read(CLAUDE_MESSAGES.PreToolUse).needsAudience).toBeUndefined();
  });
});

describe("each event of Codex", () => {
  const expected: Readonly<Record<keyof typeof CODEX_MESSAGES, readonly string[]>> = {
    SessionStart: [],
    UserPromptSubmit: ["turn: Mend the build."],
    PreToolUse: ["tool call_9: Runs npm test"],
    PermissionRequest: ["question: Run npm test | Command: npm test | As the agent says: May I run the tests? | 60 s"],
    PostToolUse: ["tool-end call_9: success"],
    PreCompact: ["thinking: Compacts the conversation."],
    PostCompact: [],
    SubagentStart: ["thinking: Subagent worker: Works on your request."],
    SubagentStop: ["thinking: Subagent worker: Done."],
    Stop: ["completed: Done."],
    StopFailure: ["errored: It ended with an error."],
    Interrupt: ["cancelled: Stopped."],
    SessionEnd: ["cancelled: The agent’s window was closed."],
  };
  it.each(Object.entries(expected))("%s", (event, lines) => {
    const message = CODEX_MESSAGES[event as keyof typeof CODEX_MESSAGES];
    expect(toldBy(message, CODEX)).toEqual(lines);
    expect(read(message, CODEX)).toMatchObject({ event, conversation: "0199-codex", needsAudience: true });
  });
});

describe("safety: a question says what will be done, whole", () => {
  const ask = (tool_name: string, tool_input: unknown): Extract<Sign, { readonly kind: "question" }> => {
    const [sign] = read({ ...CLAUDE_MESSAGES.PermissionRequest, tool_name, tool_input }).signs;
    if (sign?.kind !== "question") throw new Error("nobody was asked");
    return sign;
  };

  it("never the model's description in its place", () => {
    const { action, consequence } = ask("Bash", { command: "rm -rf /\necho done\ntrue", description: "Lists files" });
    expect(action).toBe("Run rm -rf / and 2 more lines");
    expect(consequence).toBe("Command: rm -rf /\necho done\ntrue\nAs the agent says: Lists files");
  });

  it("with the whole path, and each argument in words", () => {
    expect(ask("Write", { file_path: "/etc/passwd", content: "a\nb" })).toMatchObject({
      action: "Edit /etc/passwd",
      consequence: "file path: /etc/passwd\ncontent: a\nb",
    });
    expect(ask("mcp__github__create_issue", { title: "Late", labels: ["a", "b"], on: { repo: "x" } })).toMatchObject({
      action: "Use github: create_issue",
      consequence: "title: Late\nlabels: a, b\non: repo: x",
    });
    expect(ask("WebFetch", { url: "https://evil.example/a", prompt: "Read it" })).toMatchObject({
      action: "Fetch evil.example",
      consequence: "Host: evil.example\nurl: https://evil.example/a\nprompt: Read it",
    });
  });

  it("with the files and the text of a patch", () => {
    const command = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-x\n+y\n*** Add File: b.ts\n+z\n*** End Patch";
    expect(ask("apply_patch", { command })).toMatchObject({
      action: "Edit src/a.ts and 1 more file",
      consequence: `File: src/a.ts\nFile: b.ts\npatch: ${command}`,
    });
    expect(ask("apply_patch", { command: "x", workdir: "/etc" }).consequence).toBe("patch: x\nworkdir: /etc");
    expect(ask("apply_patch", { command: ["apply_patch", "a b"] }).consequence).toBe("Command: apply_patch 'a b'");
  });

  it("and says what it had to leave out, so that a yes is asked for once more", () => {
    const message = { ...CLAUDE_MESSAGES.PermissionRequest, tool_input: { command: "x".repeat(20_000) } };
    expect(read(message).isCut).toBe(true);
    expect(read(CLAUDE_MESSAGES.PermissionRequest).isCut).toBeUndefined();
  });
});

describe("what is left to the host's own dialog", () => {
  it("a tool that is not in the list, a mode in which the host does not ask, and everything where nobody may answer", () => {
    const left = ["awaiting_input: Run npm test. Answer it in the agent’s own window."];
    const { PermissionRequest } = CLAUDE_MESSAGES;
    expect(toldBy(PermissionRequest, CLAUDE, false)).toEqual(left);
    for (const permission_mode of ["plan", "bypassPermissions", "dontAsk", "auto", undefined])
      expect(toldBy({ ...PermissionRequest, permission_mode })).toEqual(left);
    expect(toldBy({ ...PermissionRequest, permission_mode: "acceptEdits" })[0]).toMatch(/^question/);
    expect(toldBy({ ...PermissionRequest, tool_name: "LaunchRocket", tool_input: {} })).toEqual([
      "awaiting_input: Use LaunchRocket. Answer it in the agent’s own window.",
    ]);
  });

  it("a dialog is announced with its choices when its call begins, and not asked", () => {
    const questions = [{ question: "Which one?", header: "h", options: [{ label: "Red" }, { label: "Blue" }] }];
    const dialog = { tool_name: "AskUserQuestion", tool_input: { questions } };
    expect(toldBy({ ...CLAUDE_MESSAGES.PreToolUse, ...dialog })).toEqual([
      "awaiting_input: Which one? Red, Blue. Answer it in the agent’s own window.",
    ]);
    expect(toldBy({ ...CLAUDE_MESSAGES.PermissionRequest, ...dialog })).toEqual([]);
    expect(toldBy({ ...CLAUDE_MESSAGES.PreToolUse, tool_name: "ExitPlanMode", tool_input: { plan: "1. Do" } })).toEqual(
      ["awaiting_input: ExitPlanMode. Answer it in the agent’s own window."],
    );
  });
});

describe("words of tools", () => {
  it.each([
    ["Read", { file_path: "/home/ada/shop/config.ts" }, "Reads config.ts"],
    ["Edit", { file_path: "/home/ada/shop/config.ts", old_string: "a", new_string: "b" }, "Edits config.ts"],
    ["NotebookEdit", { notebook_path: "/a/b.ipynb", new_source: "x" }, "Edits b.ipynb"],
    ["Grep", { pattern: "x", path: "/a" }, "Searches."],
    ["WebFetch", { url: "https://docs.example/a/b", prompt: "x" }, "Fetches docs.example"],
    ["Task", { description: "Find the bug", subagent_type: "Explore", prompt: "long" }, "Find the bug"],
    ["mcp__github__create_issue", { title: "x" }, "github: create issue"],
    ["Bash", { command: "cd /a/b\nnpm test" }, "Runs cd b and 1 more line"],
    ["Odd", { a: 1 }, "Odd"],
  ])("%s", (tool_name, tool_input, words) => {
    expect(toldBy({ ...CLAUDE_MESSAGES.PreToolUse, tool_name, tool_input })).toEqual([`tool toolu_1: ${words}`]);
  });

  it("the agent's own notes are silent, and its list is progress", () => {
    const todos = [
      { content: "Read", status: "completed", activeForm: "Reading" },
      { content: "Write", status: "in_progress", activeForm: "Writing" },
    ];
    const { PreToolUse } = CLAUDE_MESSAGES;
    expect(toldBy({ ...PreToolUse, tool_name: "TodoWrite", tool_input: { todos } })).toEqual(["progress 2/2: Writing"]);
    for (const tool_name of [
      "BashOutput",
      "TaskCreate",
      "TaskGet",
      "TaskList",
      "TaskOutput",
      "TaskUpdate",
      "ToolSearch",
      "update_plan",
    ])
      expect(toldBy({ ...PreToolUse, tool_name, tool_input: {} })).toEqual([]);
  });
});

describe("a message is bound to its call by tool and arguments", () => {
  it("in whatever order its members stand", () => {
    const swapped = { description: INPUT.description, command: INPUT.command };
    const { key } = read(CLAUDE_MESSAGES.PreToolUse);
    expect(read({ ...CLAUDE_MESSAGES.PermissionRequest, tool_input: swapped }).key).toBe(key);
    expect(read({ ...CLAUDE_MESSAGES.PermissionRequest, tool_input: { ...INPUT, command: "ls" } }).key).not.toBe(key);
    expect(read({ ...CLAUDE_MESSAGES.PermissionRequest, tool_name: "PowerShell" }).key).not.toBe(key);
  });
});

describe("messages that are none", () => {
  it("are not read, and unknown events say nothing", () => {
    const read = (message: Message) => CLAUDE.read(message, { words: WORDINGS.en, answers: true });
    expect(read({})).toBeUndefined();
    expect(read({ session_id: 7, hook_event_name: "Stop" })).toBeUndefined();
    expect(read({ session_id: "s", hook_event_name: "toString" })?.signs).toEqual([]);
    for (const event of Object.keys(CLAUDE_MESSAGES))
      expect(() => read({ session_id: "s", hook_event_name: event })).not.toThrow();
  });
});

it("the output for an answer has the members that the hosts take, and no other", () => {
  expect(permissionOutput("accept")).toEqual({
    hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
  });
  expect(permissionOutput("reject")).toEqual({
    hookSpecificOutput: {
      hookEventName: "PermissionRequest",
      decision: { behavior: "deny", message: "The person rejected this." },
    },
  });
});
