// A tool in words: an announcement has names and titles only, a question everything.
import { argumentParts } from "../base/argument-words.js";
import type { Wording } from "../engine/messages/wording.js";
import { someText } from "./fields.js";
import { shortAction, type WholeText, wholeText } from "./question-words.js";
import { commandIn, type ToolFacts } from "./tool-facts.js";
import { announced, fileName, hostOf, linesIn } from "./words.js";

/** The actions of tools that have a sentence of their own. */
const TOOL_ACTIONS = ["read", "edit", "delete", "move", "execute", "fetch"] as const;

/** "Edits config.ts", or the tool's own title. */
export function runsWords(facts: ToolFacts, words: Wording): string {
  const action = actionOf(facts);
  const title = facts.title ?? facts.name ?? facts.kind ?? "";
  const [path, ...others] = pathsOf(facts);
  const address = someText(facts.input.url);
  const host = address === undefined ? undefined : hostOf(address);
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
  const address = someText(input.url);
  const host = address === undefined ? undefined : hostOf(address);
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
