// Names of emoji and symbols from Unicode CLDR 48.2.0 (Unicode-3.0; copyright Unicode, Inc., https://www.unicode.org/license.txt).
// Made by scripts/generate/character-names.mjs. One line for each character, in the order of CHARACTERS; an empty one has no name.
export declare const CHARACTERS: string;
export declare const NAMES: {
  readonly en: string;
  readonly es: string;
  readonly fr: string;
  readonly de: string;
  readonly ja: string;
  readonly ar: string;
};
