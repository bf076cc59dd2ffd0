// Puts one member into a text of JSON with comments, or takes one out, and touches no byte around it.
import type { Node, SyntaxKind } from "jsonc-parser";
import { loadJsonc } from "../../daemon/config/load-jsonc.js";

/** `SyntaxKind.CommaToken`, which exists only as a type. */
const COMMA: SyntaxKind = 5;

export type Path = readonly (string | number)[];

/** Undefined if the path leads nowhere. The text has no faults. */
function nodeAt(text: string, path: Path): Node | undefined {
  const { findNodeAtLocation, parseTree } = loadJsonc();
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, [...path]);
}

/** Appends a member to the object or the list at the path. `name` is undefined for a list. */
export function append(text: string, path: Path, name: string | undefined, value: unknown): string {
  const container = nodeAt(text, path);
  if (container === undefined) return text;
  const written = (unit: string, indent: string): string => {
    const json = unit === "" ? JSON.stringify(value) : JSON.stringify(value, undefined, unit);
    const key = name === undefined ? "" : `${JSON.stringify(name)}: `;
    return `${key}${json.replaceAll("\n", indent)}`;
  };
  const last = container.children?.at(-1);
  const unit = unitOf(text);
  if (last !== undefined) {
    const indent = indentOf(text, last.offset);
    const added = indent === undefined ? ` ${written("", "")}` : `${indent}${written(unit, indent)}`;
    return inserted(text, endOf(last), `,${added}`);
  }
  const outer = `${eolOf(text)}${leadOf(text, container.offset)}`;
  const isOnOneLine = unit === "" || (path.length > 0 && indentOf(text, container.offset, true) === undefined);
  const added = isOnOneLine ? written("", "") : `${outer}${unit}${written(unit, outer + unit)}${outer}`;
  return inserted(text, container.offset + 1, added);
}

/** Takes out the member at the path, with its comma. Comments beside it stay. */
export function remove(text: string, path: Path): string {
  const found = nodeAt(text, path);
  const node = found?.parent?.type === "property" ? found.parent : found;
  const siblings = node?.parent?.children ?? [];
  if (node === undefined) return text;
  const at = siblings.indexOf(node);
  const [before, after] = [siblings[at - 1], siblings[at + 1]];
  if (before !== undefined) {
    const comma = commaBehind(text, endOf(before));
    if (isBlank(text.slice(endOf(before), comma)) && isBlank(text.slice(comma + 1, node.offset)))
      return cut(text, endOf(before), endOf(node));
    return cut(cut(text, node.offset, endOf(node)), comma, comma + 1);
  }
  if (after !== undefined) {
    const comma = commaBehind(text, endOf(node));
    if (isBlank(text.slice(comma + 1, after.offset))) return cut(text, node.offset, after.offset);
    return cut(text, node.offset, comma + 1);
  }
  const container = node.parent;
  if (container === undefined) return text;
  const inner = [container.offset + 1, endOf(container) - 1] as const;
  const rest = text.slice(inner[0], node.offset) + text.slice(endOf(node), inner[1]);
  return isBlank(rest.replace(",", "")) ? cut(text, ...inner) : cut(text, node.offset, endOf(node));
}

/** The next comma that stands in no comment. */
function commaBehind(text: string, from: number): number {
  const scanner = loadJsonc().createScanner(text);
  scanner.setPosition(from);
  // Comments and blanks are tokens too, so the walk ends.
  while (scanner.scan() !== COMMA) if (scanner.getPosition() >= text.length) return text.length;
  return scanner.getTokenOffset();
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function inserted(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at);
}

function cut(text: string, from: number, to: number): string {
  return text.slice(0, from) + text.slice(to);
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** One step of indentation: that of the text; two blanks for an empty object, none for what stands on one line. */
function unitOf(text: string): string {
  const trimmed = text.trim();
  if (trimmed === "{}") return "  ";
  return /\n([ \t]+)\S/.exec(trimmed)?.[1] ?? (trimmed.includes("\n") ? "  " : "");
}

/** The blanks at the beginning of the line of a place. */
function leadOf(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/** The line end and the blanks in front of a place; undefined if something else stands before it in its line. `ofName`: but for a name. */
function indentOf(text: string, at: number, ofName = false): string | undefined {
  const start = text.lastIndexOf("\n", at) + 1;
  const lead = leadOf(text, at);
  const rest = text.slice(start + lead.length, at);
  if (!isBlank(rest) && !(ofName && /^"[^"]*"\s*:\s*$/.test(rest))) return undefined;
  return eolOf(text) + lead;
}
