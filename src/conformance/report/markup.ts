// HTML and XML in which text cannot become markup: whatever is put into a template is escaped, unless a template made it.
import { visibleText } from "./visible-text.js";

/** A symbol, because no JSON that was read from a file can have it: a report cannot bring markup of its own. */
const WRITTEN: unique symbol = Symbol("written");

/** A well-formed piece of HTML or XML. */
export interface Markup {
  readonly [WRITTEN]: string;
}

/** Takes text as markup that the project itself wrote, such as a style sheet. */
export function ownMarkup(text: string): Markup {
  return { [WRITTEN]: text };
}

/** The finished document. */
export function documentOf(markup: Markup): string {
  return markup[WRITTEN];
}

/** Text, a number, pieces, or nothing. */
export type Content = string | number | Markup | readonly Markup[] | undefined;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
/** A parser of XML turns both into blanks within attributes. */
const SPACING_ESCAPES: Readonly<Record<string, string>> = { "\t": "&#9;", "\n": "&#10;" };

/** Joins the pieces of a template. Values of attributes stand in double quotes, directly behind the equals sign. */
export function markup(pieces: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  let joined = pieces[0] ?? "";
  for (const [index, content] of contents.entries()) {
    const isAttribute = pieces[index]?.endsWith('="') === true;
    joined += written(content, isAttribute) + (pieces[index + 1] ?? "");
  }
  return ownMarkup(joined);
}

function written(content: Content, isAttribute: boolean): string {
  if (content === undefined) return "";
  if (typeof content === "string") return isAttribute ? escapedAttribute(content) : escapedText(content);
  if (typeof content === "number") return String(content);
  return isList(content) ? content.map(documentOf).join("") : documentOf(content);
}

function isList(content: Markup | readonly Markup[]): content is readonly Markup[] {
  return Array.isArray(content);
}

function escapedText(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}

function escapedAttribute(text: string): string {
  return escapedText(text).replace(/[\t\n]/g, (character) => SPACING_ESCAPES[character] ?? "");
}
