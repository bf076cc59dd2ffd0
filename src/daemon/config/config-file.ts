// Reads the configuration file: one JSON object, with comments and trailing commas if wanted. Each fault has its line and its pointer.

import type * as jsonc from "jsonc-parser";
import { Fault } from "../../base/errors.js";
import { pointerStep } from "../../base/json-pointer.js";
import { didYouMean } from "../../base/nearest.js";
import type { OptionName } from "./config.js";
import { OPTION_NAMES, OPTIONS } from "./config-schema.js";
import type { ReadValue } from "./config-values.js";
import { loadJsonc } from "./load-jsonc.js";
import { keyOf } from "./option-names.js";
import type { OptionRow } from "./option-row.js";

/** A fault of the file, with the line in which it begins, from 1. */
export interface FileFault {
  readonly line: number;
  readonly fault: Fault;
}

/** A member of the file that has the key of an option. */
interface FileValue {
  readonly line: number;
  /** JSON pointer of the value. */
  readonly pointer: string;
  readonly json: unknown;
  readonly read: ReadValue<unknown>;
}

export interface ConfigFile {
  readonly path: string;
  /** The values by their options. */
  readonly values: ReadonlyMap<OptionName, FileValue>;
  /** Everything wrong with the file except refused values: syntax, unknown keys, keys that stand twice. */
  readonly faults: readonly FileFault[];
}

/** The key of the file whose members may stand in an object of their own: `{"a2e": {"providers": …}}` is `a2e_providers`. */
const GROUP = "a2e";
const LONGEST_QUOTED = 80;

/** Reads the text of the file at `path`. */
export function configFileOf(path: string, text: string): ConfigFile {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const lineAt = lineFinder(source);
  const faults: FileFault[] = [];
  const refuse = (offset: number, pointer: string, sentence: string): void => {
    faults.push({ line: lineAt(offset), fault: fileFault(sentence, pointer) });
  };

  const { getNodeValue, parseTree, printParseErrorCode } = loadJsonc();
  const errors: jsonc.ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  let previous = "";
  for (const { error, offset } of errors) {
    const code: string = printParseErrorCode(error);
    // The parser also misses the value in whose place it found a strange word.
    if (code !== "ValueExpected" || previous !== "InvalidSymbol")
      refuse(offset, "", `This is not JSON: ${SYNTAX[code] ?? "something else was expected here"}. Correct it.`);
    previous = code;
  }
  if (root?.type !== "object") {
    if (errors.length === 0)
      refuse(root?.offset ?? 0, "", 'The file holds no object. Write {"max_hold_ms": 5000}, for instance.');
    return { path, values: new Map(), faults };
  }

  const values = new Map<OptionName, FileValue>();
  for (const { key, pointer, offset, value } of flattened(root, refuse)) {
    const name = NAMES.get(key);
    if (name === undefined) {
      const advice = didYouMean(inKeyForm(key), [...NAMES.keys()]) || "Remove it.";
      refuse(offset, pointer, `The key ${quoted(key)} is not known. ${advice}`);
    } else if (values.has(name)) {
      refuse(offset, pointer, `The key ${key} stands twice in the file. Keep one of both.`);
    } else {
      const json: unknown = getNodeValue(value);
      const { type } = OPTIONS[name] as OptionRow<unknown>;
      values.set(name, { line: lineAt(offset), pointer, json, read: type.fromJson(json) });
    }
  }
  return { path, values, faults };
}

/** Returns every fault of the file, refused values included, in the order of the lines. */
export function faultsOf({ values, faults }: ConfigFile): readonly FileFault[] {
  const refusals = [...values].flatMap(([name, { line, pointer, json, read }]): readonly FileFault[] =>
    read.kind === "value" ? [] : [{ line, fault: fileFault(refusalOf(name, keyOf(name), json, read.wanted), pointer) }],
  );
  return [...faults, ...refusals].sort((one, other) => one.line - other.line);
}

/** Says that a value is refused. `what` names its place. A value that may open something is not repeated. */
export function refusalOf(name: OptionName, what: string, value: unknown, wanted: string): string {
  if (OPTIONS[name].type.isSecret === true) return `${what} cannot be used. Give ${wanted}.`;
  // JSON has no infinity, which is what a number beyond all doubles becomes.
  const said = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? String(value));
  return `${what} is ${said.slice(0, 200)}. Give ${wanted}.`;
}

const NAMES: ReadonlyMap<string, OptionName> = new Map(OPTION_NAMES.map((name) => [keyOf(name), name]));

/** `maxHoldMs`, `max-hold-ms` and `--max-hold-ms` in the spelling of a key. */
function inKeyForm(name: string): string {
  return name
    .replace(/^--/, "")
    .replaceAll("-", "_")
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface Member {
  readonly key: string;
  readonly pointer: string;
  readonly offset: number;
  readonly value: jsonc.Node;
}

/** The members of the file, those of a group in the spelling of a key. */
function flattened(
  root: jsonc.Node,
  refuse: (offset: number, pointer: string, sentence: string) => void,
): readonly Member[] {
  return membersOf(root, "").flatMap((member): readonly Member[] => {
    const { key, value, offset, pointer } = member;
    if (key !== GROUP) return [member];
    if (value.type === "object")
      return membersOf(value, pointer).map((inner) => ({ ...inner, key: `${GROUP}_${inner.key}` }));
    refuse(offset, pointer, `The key "${GROUP}" must be an object, as in {"${GROUP}": {"max_parallel": 8}}.`);
    return [];
  });
}

/** A member without a value is a fault of syntax, which has been reported. */
function membersOf(object: jsonc.Node, within: string): readonly Member[] {
  return (object.children ?? []).flatMap(({ offset, children: [name, value] = [] }) => {
    if (name === undefined || value === undefined) return [];
    const key = String(name.value);
    return [{ key, pointer: `${within}/${pointerStep(key)}`, offset, value }];
  });
}

/** The fault behind each code of the parser. */
const SYNTAX: Readonly<Record<string, string>> = {
  InvalidSymbol: "this word is neither true, false nor null, and texts need quotes",
  InvalidNumberFormat: "this is no number",
  PropertyNameExpected: "a key in quotes is missing",
  ValueExpected: "a value is missing",
  ColonExpected: "a colon is missing behind the key",
  CommaExpected: "a comma is missing between two members",
  CloseBraceExpected: "a closing brace is missing",
  CloseBracketExpected: "a closing bracket is missing",
  EndOfFileExpected: "more follows behind the end of the object",
  InvalidCommentToken: "comments are not possible here",
  UnexpectedEndOfComment: "a comment has no end",
  UnexpectedEndOfString: "a text has no closing quote",
  UnexpectedEndOfNumber: "a number has no end",
  InvalidUnicode: "\\u needs four hexadecimal digits",
  InvalidEscapeCharacter: "a backslash stands before a character that needs none",
  InvalidCharacter: "a text holds a control character, which has to be written as \\n or \\u0000",
};

function fileFault(sentence: string, pointer: string): Fault {
  return new Fault("usage", sentence, { pointer, rule: "P5", origin: "local" });
}

function quoted(key: string): string {
  return JSON.stringify(key.length <= LONGEST_QUOTED ? key : `${key.slice(0, LONGEST_QUOTED)}…`);
}

/** Returns a function that finds the line of an offset, from 1. A hostile file has many faults (R34). */
function lineFinder(text: string): (offset: number) => number {
  let line = 1;
  let from = 0;
  return (offset) => {
    if (offset < from) [line, from] = [1, 0];
    for (let end = text.indexOf("\n", from); end >= 0 && end < offset; end = text.indexOf("\n", from)) {
      line += 1;
      from = end + 1;
    }
    return line;
  };
}
