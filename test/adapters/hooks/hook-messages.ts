// One message of each event, with the members that the hosts' published types and schemas name.

type Message = Readonly<Record<string, unknown>>;

export const INPUT = { command: "npm test", description: "Checks that all is well" };

const claude = (hook_event_name: string, more: Message = {}): Message => ({
  session_id: "5b1f7c1e-0001",
  transcript_path: "/home/ada/.claude/projects/shop/5b1f7c1e-0001.jsonl",
  cwd: "/home/ada/shop",
  permission_mode: "default",
  hook_event_name,
  ...more,
});

export const CLAUDE_MESSAGES = {
  SessionStart: claude("SessionStart", { source: "startup", model: "claude-opus" }),
  UserPromptSubmit: claude("UserPromptSubmit", { prompt: "Mend the build.\nThen commit.", source: "user" }),
  PreToolUse: claude("PreToolUse", { tool_name: "Bash", tool_input: INPUT, tool_use_id: "toolu_1" }),
  PermissionRequest: claude("PermissionRequest", {
    tool_name: "Bash",
    tool_input: INPUT,
    permission_suggestions: [
      {
        type: "addRules",
        rules: [{ toolName: "Bash", ruleContent: "npm test" }],
        behavior: "allow",
        destination: "session",
      },
    ],
  }),
  PermissionDenied: claude("PermissionDenied", {
    tool_name: "Bash",
    tool_input: INPUT,
    tool_use_id: "toolu_1",
    reason: "It looks dangerous.",
  }),
  PostToolUse: claude("PostToolUse", {
    tool_name: "Bash",
    tool_input: INPUT,
    tool_response: { stdout: "ok", stderr: "", interrupted: false },
    tool_use_id: "toolu_1",
    duration_ms: 12,
  }),
  PostToolUseFailure: claude("PostToolUseFailure", {
    tool_name: "Bash",
    tool_input: INPUT,
    tool_use_id: "toolu_1",
    error: "Command failed with exit code 1",
  }),
  MessageDisplay: claude("MessageDisplay", {
    turn_id: "t",
    message_id: "m1",
    index: 0,
    final: false,
    delta: "All is well.\n",
  }),
  Stop: claude("Stop", { stop_hook_active: false, last_assistant_message: "The build is mended." }),
  StopFailure: claude("StopFailure", { error: "rate_limit", error_details: "429" }),
  SubagentStart: claude("SubagentStart", { agent_id: "a1", agent_type: "Explore" }),
  SubagentStop: claude("SubagentStop", {
    stop_hook_active: false,
    agent_id: "a1",
    agent_transcript_path: "/home/ada/a1.jsonl",
    agent_type: "Explore",
    last_assistant_message: "Found it.",
  }),
  Notification: claude("Notification", {
    message: "Claude needs your permission to use Bash",
    notification_type: "permission_prompt",
  }),
  Elicitation: claude("Elicitation", {
    mcp_server_name: "github",
    message: "Which account?",
    mode: "form",
    requested_schema: { type: "object", properties: {} },
  }),
  ElicitationResult: claude("ElicitationResult", { mcp_server_name: "github", action: "accept", content: {} }),
  PreCompact: claude("PreCompact", { trigger: "auto", custom_instructions: null }),
  PostCompact: claude("PostCompact", { trigger: "auto", compact_summary: "We mended the build." }),
  SessionEnd: claude("SessionEnd", { reason: "prompt_input_exit" }),
} as const satisfies Readonly<Record<string, Message>>;

/** Of a conversation. */
const codexAlways = (hook_event_name: string, more: Message = {}): Message => ({
  session_id: "0199-codex",
  transcript_path: null,
  cwd: "/home/ada/shop",
  hook_event_name,
  ...more,
});
/** Of a turn. */
const codexTurn = (event: string, more: Message = {}): Message =>
  codexAlways(event, { turn_id: "turn-1", model: "gpt", ...more });
const codex = (event: string, more: Message = {}): Message => codexTurn(event, { permission_mode: "default", ...more });

export const CODEX_MESSAGES = {
  SessionStart: codexAlways("SessionStart", { model: "gpt", permission_mode: "default", source: "startup" }),
  UserPromptSubmit: codex("UserPromptSubmit", { prompt: "Mend the build." }),
  PreToolUse: codex("PreToolUse", { tool_name: "Bash", tool_input: { command: "npm test" }, tool_use_id: "call_9" }),
  PermissionRequest: codex("PermissionRequest", {
    tool_name: "Bash",
    tool_input: { command: "npm test", description: "May I run the tests?" },
  }),
  PostToolUse: codex("PostToolUse", {
    tool_name: "Bash",
    tool_input: { command: "npm test" },
    tool_response: "ok",
    tool_use_id: "call_9",
  }),
  PreCompact: codexTurn("PreCompact", { trigger: "auto" }),
  PostCompact: codexTurn("PostCompact", { trigger: "auto" }),
  SubagentStart: codex("SubagentStart", { agent_id: "a1", agent_type: "worker" }),
  SubagentStop: codex("SubagentStop", {
    agent_id: "a1",
    agent_transcript_path: null,
    agent_type: "worker",
    stop_hook_active: false,
    last_assistant_message: "Found it.",
  }),
  Stop: codex("Stop", { stop_hook_active: false, last_assistant_message: "The build is mended." }),
  StopFailure: codex("StopFailure", { error: "server_error" }),
  Interrupt: codex("Interrupt"),
  SessionEnd: codexAlways("SessionEnd", { reason: "other" }),
} as const satisfies Readonly<Record<string, Message>>;
