// A tool of a terminal agent: what it does, and to what, by its name and its arguments.
import { createHash } from "node:crypto";
import { membersOf, ownMember, someText } from "../../base/members.js";
import type { Wording } from "../../engine/messages/wording.js";
import { argumentsOf } from "../fields.js";
import { NO_FACTS, type ToolFacts } from "../tool-facts.js";

/** Tools that both hosts name, and what they do. */
const KINDS: Readonly<Record<string, string>> = {
  Bash: "execute",
  PowerShell: "execute",
  Read: "read",
  NotebookRead: "read",
  Edit: "edit",
  MultiEdit: "edit",
  Write: "edit",
  NotebookEdit: "edit",
  apply_patch: "edit",
  WebFetch: "fetch",
  Glob: "search",
  Grep: "search",
  LS: "search",
  WebSearch: "search",
};

/** Tools that run another agent. */
const AGENTS: ReadonlySet<string> = new Set(["Agent", "Task"]);

/** The agent's own notes and waits, of which nobody wants to hear. */
const SILENT: ReadonlySet<string> = new Set([
  "BashOutput",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskOutput",
  "TaskUpdate",
  "TodoWrite",
  "ToolSearch",
  "update_plan",
]);

/** Tools with a dialog of their own, which a yes or a no does not answer. */
const DIALOGS: ReadonlySet<string> = new Set([
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "request_user_input",
]);

/** Tools whose permission is a yes or a no. Every other tool is announced, and left to the host's own dialog. */
const ANSWERABLE: ReadonlySet<string> = new Set([
  ...Object.keys(KINDS),
  ...AGENTS,
  "KillShell",
  "Skill",
  "SlashCommand",
]);

const MCP = /^mcp__(.+?)__(.+)$/s;
/** A line of a patch that names a file. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

export function isSilent(tool: string): boolean {
  return SILENT.has(tool);
}

export function isDialog(tool: string): boolean {
  return DIALOGS.has(tool);
}

export function isAnswerable(tool: string): boolean {
  return ANSWERABLE.has(tool) || MCP.test(tool);
}

/** The facts of a call that are known before it runs. */
export function toolFacts(tool: string, given: unknown, words: Wording): ToolFacts {
  const input = argumentsOf(given);
  const kind = ownMember(KINDS, tool);
  const base = { ...NO_FACTS, name: nameForPeople(tool), kind, input };
  if (tool === "apply_patch") {
    const { command, ...others } = input;
    const patch = someText(command) ?? someText(input.input) ?? "";
    const paths = Array.from(patch.matchAll(PATCHED), ([, path = ""]) => path.trim());
    // It is no command.
    return { ...base, paths, input: typeof command === "string" ? { patch: command, ...others } : input };
  }
  if (kind === "execute") return { ...base, title: someText(input.command) };
  if (kind === "search") return { ...base, title: words.say("searches") };
  if (AGENTS.has(tool)) return { ...base, title: someText(input.description) ?? base.name };
  const path = someText(input.file_path) ?? someText(input.notebook_path) ?? someText(input.path);
  return { ...base, title: base.name.replaceAll("_", " "), paths: path === undefined ? [] : [path] };
}

/** The tool and its arguments, whatever the order of their members. Codex adds the model's description to a command only when it asks. */
export function callKey(tool: string, given: unknown): string {
  const { description: _, ...described } = membersOf(given);
  return createHash("sha256")
    .update(JSON.stringify([tool, sorted(ownMember(KINDS, tool) === undefined ? given : described)]))
    .digest("hex")
    .slice(0, 32);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)]);
}

/** "github: create_issue" for `mcp__github__create_issue`. */
function nameForPeople(tool: string): string {
  const [, server, name] = MCP.exec(tool) ?? [];
  return server === undefined || name === undefined ? tool : `${server}: ${name}`;
}
