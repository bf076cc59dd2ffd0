// The form of a catalogue. The English one decides which words there are: another that lacks one does not compile.
import type { ENGLISH } from "./catalogues/en.js";

/** A text, with its parameters in braces. A text with a `{count}` has a form for each plural of its language. */
type Text = string | ({ readonly other: string } & { readonly [Form in Intl.LDMLPluralRule]?: string });

export interface Catalogue {
  readonly texts: Readonly<Record<keyof (typeof ENGLISH)["texts"], Text>>;
  /** Words for single symbols. CLDR's names serve for all others. */
  readonly symbols: Readonly<Record<string, string>>;
  /** Names of marks where several stand in a row. */
  readonly rows: Readonly<Record<string, string>>;
  /** Names of characters that are not seen, by their code points in hexadecimal digits. */
  readonly unseen: Readonly<Record<string, string>>;
}
