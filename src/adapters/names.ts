// The name of an agent: that of the command line, else the host and its folder. Never what the peer calls itself, and never the daemon's own name.
import { basename, extname } from "node:path";
import { usage } from "../base/errors.js";
import { foldedName } from "../base/tool-name.js";
import type { Wording } from "../engine/messages/wording.js";
import { shortenedText } from "../engine/text/shortened-text.js";
import { oneLine } from "./words.js";

/** UTF-16 units of a name. */
export const LONGEST_NAME = 40;

/** Programs that start another one, which their first argument without a hyphen names. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  "node",
  "npx",
  "bun",
  "bunx",
  "deno",
  "uv",
  "uvx",
  "pipx",
  "env",
  "python",
  "python3",
]);
const LAUNCHED: ReadonlySet<string> = new Set(["run", "tool", "exec", "x"]);

/** Names that people know, by the beginning of the program's name. */
const KNOWN: readonly (readonly [string, string])[] = [
  ["claude", "Claude"],
  ["codex", "Codex"],
  ["copilot", "Copilot"],
  ["gemini", "Gemini"],
  ["goose", "Goose"],
  ["opencode", "OpenCode"],
  ["qwen", "Qwen"],
];

/** The name of the program behind a command, for people: "Claude" for `npx @scope/claude-code-acp@1.2`. */
export function hostName(command: readonly string[]): string {
  const program = programOf(command);
  const known = KNOWN.find(([beginning]) => program.toLowerCase().startsWith(beginning));
  const name = known?.[1] ?? `${program.charAt(0).toUpperCase()}${program.slice(1)}`;
  return isReserved(name) || name === "" ? "Agent" : name;
}

/** The same for a server of MCP: "Filesystem" for `npx @scope/server-filesystem`. */
export function serverName(command: readonly string[]): string {
  const name = hostName(command);
  return hostName([name.replace(/^(?:mcp[-_])?(?:server[-_])?/i, "").replace(/[-_](?:mcp|server)$/i, "")]);
}

/** The stable id of the agent behind a command: never with a version. */
export function agentIdOf(command: readonly string[]): string {
  const id = hostName(command)
    .toLowerCase()
    .replace(/[^a-z\d]+/g, "-");
  return id === "-" ? "agent" : id;
}

/** The name for people: `given`, else host and folder. At most 40 units. */
export function agentName(given: string | undefined, host: string, folder: string, words: Wording): string {
  if (given !== undefined) return given;
  const name = oneLine(basename(folder));
  return shortenedText(name === "" ? host : words.say("agentIn", { host, folder: name }), LONGEST_NAME);
}

/** A name from the command line. Throws a Fault "usage" for one that is empty, or that could be taken for the daemon's. */
export function givenName(text: string): string {
  const name = shortenedText(oneLine(text), LONGEST_NAME);
  if (name !== "" && !isReserved(name)) return name;
  throw usage(`--name is ${JSON.stringify(text.slice(0, 200))}. Give a name that is not the daemon's.`);
}

function isReserved(name: string): boolean {
  return foldedName(name) === foldedName("aaepd");
}

function programOf(command: readonly string[]): string {
  const [first = "", ...rest] = command;
  const name = plainName(first);
  if (!LAUNCHERS.has(name)) return name;
  const at = rest.findIndex((word) => !word.startsWith("-") && !LAUNCHED.has(word) && !word.includes("="));
  const next = rest[at];
  // A script on the command line is no name.
  return next === undefined || ["-e", "-c", "--eval"].includes(rest[at - 1] ?? "") ? name : plainName(next);
}

/** Without folder, scope, version and ending. */
function plainName(word: string): string {
  const last = basename(word.replaceAll("\\", "/"));
  const version = last.indexOf("@", 1);
  const name = version < 0 ? last : last.slice(0, version);
  return name.slice(0, name.length - extname(name).length) || name;
}
