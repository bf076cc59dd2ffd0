// A text of somebody else as it is shown to a person who decides: nothing in it is out of sight.
import { characterEscape } from "./json-line.js";

/** Characters that nobody sees or hears, and marks that override the direction of text. Some scripts and pictures need joiners and variants. */
export const INVISIBLE =
  /(?<!\P{ASCII})(?:\p{Join_Control}|\p{Variation_Selector})|(?!\p{Join_Control}|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/gu;
/** Controls but line feeds and tabs. */
const UNHEARD = /(?![\n\t])\p{Cc}/gu;

/**
 * A text that hides nothing: what could not be heard, would show the text in another order, or would move a cursor, is named by its number, as
 * `\u202e`. Line feeds and tabs stay.
 */
export function unhidden(text: string): string {
  const byNumbers = (found: string): string => found.replace(/[\s\S]/g, characterEscape);
  return text.replaceAll("\r\n", "\n").replace(INVISIBLE, byNumbers).replace(UNHEARD, byNumbers);
}
