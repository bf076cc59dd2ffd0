import { expect, test } from "vitest";
import { revealed, spelled } from "../../src/speakable/index.js";

test("what is invisible or reorders is named in its place, and nothing is taken away", () => {
  const { text, speech, named } = revealed("pay \u202egnp.exe\u202c a\u200bb");
  expect(text).toBe("pay [right-to-left override]gnp.exe[end of direction change] a[zero-width space]b");
  expect(speech).toBe("pay , right-to-left override, gnp.exe, end of direction change,  a, zero-width space, b");
  expect(named).toEqual([
    { from: 4, to: 5, name: "right-to-left override" },
    { from: 12, to: 13, name: "end of direction change" },
    { from: 15, to: 16, name: "zero-width space" },
  ]);
});

test("a text that is what it looks like stays as it is, and its symbols are said", () => {
  expect(revealed("rm -rf **/*.log && echo 50%")).toEqual({
    text: "rm -rf **/*.log && echo 50%",
    speech: "rm dash rf asterisk asterisk slash asterisk.log and and echo 50 percent",
    named: [],
  });
});

test.each([
  ["\u001b[8mhidden\u001b[0m", "[control sequence [8m]hidden[control sequence [0m]"],
  ["x\u{e0041}y", "x[tag A]y"],
  ["a\u2003b\u00a0c", "a[odd space U+2003]b[no-break space]c"],
  ["a\u0007b\u2800c", "a[control character U+0007]b[odd space U+2800]c"],
  ["pay $1\ufe0f00", "pay $1[variation selector]00"],
  [`a\u001b]0;${"x".repeat(90)}\u0007b`, `a[control sequence ]0;${"x".repeat(37)}, 53 characters left out]b`],
  [
    "a\ufff9b\u{1d159}\ue000\u{13430}",
    `a${["FFF9]b", "1D159]", "E000]", "13430]"].map((code) => `[invisible character U+${code}`).join("")}`,
  ],
  ["\ud800", "[invisible character U+D800]"],
  ["z\u0301\u0302\u0303\u0304\u0305", "z\u0301\u0302\u0303\u0304[U+0305]"],
  // Whatever a text says of itself.
  ["rm [5 characters left out] a[0]", "rm [open square bracket]5 characters left out] a[0]"],
  ["[zero-width space]", "[open square bracket]zero-width space]"],
  ["[control sequence ]8;;https://a.org]x", "[open square bracket]control sequence ]8;;https://a.org]x"],
  ["[ Right-to-left override]", "[open square bracket] Right-to-left override]"],
  ["n\u0336o", "n[U+0336]o"],
  ["\u00a9\u200d\u00ae", "\u00a9[zero-width joiner]\u00ae"],
  [`ls${" ".repeat(30)}; rm -rf /`, "ls[30 × space]; rm -rf /"],
  ["[invisible character U+202E]", "[open square bracket]invisible character U+202E]"],
  ["\u{e0100}\u2065", "[invisible character U+E0100][invisible character U+2065]"],
])("%j is shown as %j", (text, shown) => {
  expect(revealed(text).text).toBe(shown);
});

test("texts that differ sound different", () => {
  const said = ["my_file", "my file", "myFile", "a & b", "a && b", "a=b", "a==b"].map((text) => revealed(text).speech);
  expect(new Set(said).size).toBe(said.length);
});

test("emoji keep the characters that join and colour them, and have their names", () => {
  const { text, speech, named } = revealed("👨‍👩‍👧 ❤️ 1️⃣ 👍🏽");
  expect([text, named]).toEqual(["👨‍👩‍👧 ❤️ 1️⃣ 👍🏽", []]);
  expect(speech).toBe("man, woman, girl red heart 1 thumbs up");
});

test("a joiner that joins no pictures is named", () => {
  expect(revealed("a\u200db ❤️\u200d").text).toBe("a[zero-width joiner]b ❤️[zero-width joiner]");
});

test("what is left out is counted", () => {
  expect(revealed("abcdefghij", { limit: 4 }).text).toBe("abcd[6 characters left out]");
  expect(revealed("abcde", { limit: 4, language: "de-AT" }).text).toBe("abcd[1 Zeichen ausgelassen]");
  expect(revealed("abcd", { limit: 4 }).named).toEqual([]);
});

test("a text is spelled letter by letter", () => {
  expect(spelled("Ра1 -\u200b").map(({ name }) => name)).toEqual([
    "Cyrillic capital Р",
    "Cyrillic а",
    "1",
    "space",
    "dash",
    "zero-width space",
  ]);
  expect(spelled('\u0261\u01c3\u2215\u0660"(').map(({ name }) => name)).toEqual([
    ..."\u0261 U+0261|\u01c3 U+01C3|\u2215 U+2215|\u0660 U+0660|quotation mark|open parenthesis".split("|"),
  ]);
  expect(spelled("É").map(({ name }) => name)).toEqual(["capital É"]);
  expect(spelled("Ａ.").map(({ name }) => name)).toEqual(["capital Ａ U+FF21", "period"]);
});

test.each(["en", "es", "fr", "de", "ja", "ar"])("in %s every name is a word", (language) => {
  const names = spelled("\u202e\u200b\u00ad\ufeff\u2066 \n", { language }).map(({ name }) => name);
  expect(names.filter((name) => name.trim() === "" || name.includes("{"))).toEqual([]);
});
