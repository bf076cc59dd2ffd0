// A tool in words: an announcement has names and titles only, a question everything. Its action is short and says what it leaves out; its
// consequence has everything.
import { argumentParts } from "../base/argument-words.js";
import { someText } from "../base/members.js";
import { unhidden } from "../base/unhidden.js";
import { wholeEnd } from "../base/whole-end.js";
import type { Wording } from "../engine/messages/wording.js";
import { shortenedText } from "../engine/text/shortened-text.js";
import { commandIn, type ToolFacts } from "./tool-facts.js";
import { announced, fileName, hostOf, LONGEST_ANNOUNCEMENT, linesIn } from "./words.js";

/** UTF-16 units of a consequence. AAEP takes 16,384. */
const LONGEST_CONSEQUENCE = 16_000;
/** The actions of tools that have a sentence of their own. */
const TOOL_ACTIONS = ["read", "edit", "delete", "move", "execute", "fetch"] as const;

/** "Edits config.ts", or the tool's own title. */
export function runsWords(facts: ToolFacts, words: Wording): string {
  const action = actionOf(facts);
  const title = facts.title ?? facts.name ?? facts.kind ?? "";
  const [path, ...others] = pathsOf(facts);
  const host = hostOf(someText(facts.input.url) ?? "");
  switch (action) {
    case "execute":
      // Some agents' titles begin with the verb, as in "Run npm test".
      return announced(words.say("runs.execute", { what: title.replace(/^Run(?:s|ning)? /, "") }), words);
    case "fetch":
      return announced(host === undefined ? title : words.say("runs.fetch", { what: host }), words);
    case undefined:
      return announced(title, words);
    default: {
      if (path === undefined) return announced(title, words);
      const more = others.length === 0 ? "" : ` ${words.say("moreFiles", { count: others.length })}`;
      return announced(`${words.say(`runs.${action}`, { what: fileName(path) })}${more}`, words);
    }
  }
}

export interface QuestionWords {
  readonly action: string;
  readonly consequence: WholeText;
}

/**
 * The whole of a call: the command, paths and addresses, and each argument. The agent's own description of it comes last, and never in place of
 * anything else. Of a tool without arguments the agent's title is all that is known.
 */
export function questionWords(facts: ToolFacts, words: Wording): QuestionWords {
  const { input, diffs, title } = facts;
  const command = commandIn(input);
  const host = hostOf(someText(input.url) ?? "");
  const values = new Set(Object.values(input));
  const given = Object.entries(input).filter(([name]) => name !== "description" && name !== command?.argument);
  const isBare = Object.keys(input).length === 0;
  const saysPathsOnly = [...values].every((value) => typeof value === "string" && pathsOf(facts).includes(value));
  const parts = [
    ...(command === undefined ? [] : [`${words.say("label.command")}: ${command.text}`]),
    ...pathsOf(facts)
      .filter((path) => !values.has(path))
      .map((path) => `${words.say("label.file")}: ${path}`),
    ...(host === undefined ? [] : [`${words.say("label.host")}: ${host}`]),
    ...argumentParts(Object.fromEntries(given)),
    ...(isBare ? linesIn(title ?? "") : []),
    ...(saysPathsOnly ? diffs.map(({ text }) => `${words.say("label.text")}: ${text}`) : []),
    ...(input.description === undefined ? [] : descriptionParts(facts, words)),
  ];
  return { action: actionWords(facts, command?.text, host, words), consequence: wholeText(parts, words) };
}

/** Beside a command it is what the agent says of it. Of another tool it may be anything, such as a text that is sent. */
function descriptionParts(facts: ToolFacts, words: Wording): readonly string[] {
  const { description } = facts.input;
  if (typeof description !== "string" || commandIn(facts.input) === undefined || !runsCommand(facts))
    return argumentParts({ description });
  return [words.say("agentSays", { description })];
}

/** Of another tool an argument of the name `command` may be anything. */
function runsCommand(facts: ToolFacts): boolean {
  return actionOf(facts) === "execute" || facts.name === undefined;
}

function actionWords(facts: ToolFacts, command: string | undefined, host: string | undefined, words: Wording): string {
  const action = actionOf(facts);
  const [path, ...others] = pathsOf(facts);
  if (command !== undefined && runsCommand(facts))
    return words.say("asks.execute", { what: shortAction(command, words) });
  if (action === "execute" && facts.title !== undefined)
    return words.say("asks.execute", { what: shortAction(facts.title, words) });
  if (action === "fetch" && host !== undefined) return words.say("asks.fetch", { what: host });
  if (action !== undefined && action !== "execute" && action !== "fetch" && path !== undefined) {
    const more = others.length === 0 ? "" : ` ${words.say("moreFiles", { count: others.length })}`;
    return `${words.say(`asks.${action}`, { what: shortAction(path, words) })}${more}`;
  }
  return words.say("use", { tool: shortAction(facts.name ?? facts.title ?? facts.kind ?? "", words) });
}

/** The files that the agent names, each once. */
function pathsOf({ paths, diffs }: ToolFacts): readonly string[] {
  return [...new Set([...paths, ...diffs.map(({ path }) => path)])];
}

function actionOf({ kind }: ToolFacts): (typeof TOOL_ACTIONS)[number] | undefined {
  return TOOL_ACTIONS.find((action) => action === kind);
}

/** The first line of what will be done, and how much of it and how many lines follow. */
export function shortAction(what: string, words: Wording): string {
  const [line = "", ...others] = linesIn(unhidden(what)).map((one) => one.trim());
  const shown = shortenedText(line, LONGEST_ANNOUNCEMENT / 2);
  // One of its characters is the ellipsis.
  const rest = shown === line ? 0 : line.length - shown.length + 1;
  return [
    shown,
    ...(rest === 0 ? [] : [words.say("moreCharacters", { count: rest })]),
    ...(others.length === 0 ? [] : [words.say("moreLines", { count: others.length })]),
  ].join(" ");
}

export interface WholeText {
  readonly text: string;
  /** The text has not everything, and says so first. */
  readonly isCut: boolean;
}

/** The parts of a consequence, each in a line of its own. */
export function wholeText(parts: readonly string[], words: Wording): WholeText {
  const text = unhidden(parts.join("\n"));
  if (text.length <= LONGEST_CONSEQUENCE)
    return { text: text.trim() === "" ? words.say("noDetails") : text, isCut: false };
  const end = wholeEnd(text, LONGEST_CONSEQUENCE);
  return { text: `${words.say("leftOut", { count: text.length - end })}\n${text.slice(0, end)}`, isCut: true };
}
