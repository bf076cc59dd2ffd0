// Makes gen/speakable/names.js from CLDR's names for emoji and symbols: `node scripts/generate/character-names.mjs FOLDER`, where FOLDER is an unpacked
// `cldr-annotations-full` of npm. It has 58 MB, so it is no dependency, and `npm run generate` leaves its result alone.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const LANGUAGES = ["en", "es", "fr", "de", "ja", "ar"];
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: character-names.mjs FOLDER");
const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const namesOf = (language) => {
  const { annotations } = JSON.parse(readFileSync(join(folder, "annotations", language, "annotations.json"), "utf8"));
  return (character) => annotations.annotations[character]?.tts?.[0] ?? "";
};
const { annotations } = JSON.parse(readFileSync(join(folder, "annotations/en/annotations.json"), "utf8"));
/** The symbols that texts of agents have, and the punctuation for spelling. The catalogues have shorter words for the most frequent. */
const SYMBOLS = ".,:;!?'\"()[]{}…–—«»“”„‘’¿¡·•§¶、。「」،؟؛←↑→↓⇐⇒⇔∀∂∃∅∆∇∈∉∏∑√∞∠∧∩∪∫∴∵≈≠≡≤≥≪≫⊂⊃⊆⊇⊕⊗⊥■□▲△▼▽◆◇○●◯★☆♪¬∓×÷±";
// Flags are named by their regions, skin tones are not said, and a man's or a woman's emoji is named by that of a person.
const characters = Object.keys(annotations.annotations).filter(
  (character) =>
    annotations.annotations[character].tts !== undefined &&
    (SYMBOLS.includes(character) || (/^\p{Extended_Pictographic}/u.test(character) && !/\u200d[♀♂]/u.test(character))),
);
const listed = (texts) => JSON.stringify(texts.join("\n"));
const tables = LANGUAGES.map((language) => `  ${language}: ${listed(characters.map(namesOf(language)))},\n`);
const notice = `// Names of emoji and symbols from Unicode CLDR ${version} (${license}; copyright Unicode, Inc., https://www.unicode.org/license.txt).
// Made by scripts/generate/character-names.mjs. One line for each character, in the order of CHARACTERS; an empty one has no name.
`;
const target = fileURLToPath(new URL("../../gen/speakable/", import.meta.url));
writeFileSync(
  join(target, "names.js"),
  `${notice}export const CHARACTERS = ${listed(characters)};\nexport const NAMES = {\n${tables.join("")}};\n`,
);
const members = LANGUAGES.map((language) => `  readonly ${language}: string;\n`).join("");
writeFileSync(
  join(target, "names.d.ts"),
  `${notice}export declare const CHARACTERS: string;\nexport declare const NAMES: {\n${members}};\n`,
);
copyFileSync(join(folder, "LICENSE"), join(target, "LICENSE"));
