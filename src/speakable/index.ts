// Text as it is said and shown: for a screen reader, a braille display, a terminal.
export { type NamedCharacter, type RevealedText, type RevealOptions, revealed, spelled } from "./consent.js";
export type { Block, Leaf, LeafKind, OpenText, SpeakableLanguage, SpeakableOptions } from "./segment.js";
export { lastPart, type SpeakablePart, speakable, speakablePart } from "./speakable.js";
export { SpeakableStream, type SpeakableStreamState } from "./stream.js";
