// The form of a catalogue. The English one decides which texts there are: another that lacks one does not compile.
import type { ENGLISH } from "./en.js";

/** A text, with its parameters in braces. A text with a `{count}` has a form for each plural of its language. */
export type Text = string | ({ readonly other: string } & { readonly [Form in Intl.LDMLPluralRule]?: string });

type English = typeof ENGLISH;
export type TextKey = keyof English;
export type Catalogue = Readonly<Record<TextKey, Text>>;

type NamesIn<Value> = Value extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type NamesOf<Value> = Value extends { readonly other: infer Form } ? NamesIn<Form> : NamesIn<Value>;

/** The parameters of a text, which are those of the English text; `[]` for a text without any. */
export type Given<Key extends TextKey> = [NamesOf<English[Key]>] extends [never]
  ? []
  : [{ readonly [Name in NamesOf<English[Key]>]: Name extends "count" ? number : string }];
