/** Texts that a host may call a tool, or hand to one. */
export function hostileTexts(): readonly string[] {
  return [
    "",
    " \n\t ",
    "`".repeat(500),
    "a".repeat(30_000),
    "😀".repeat(9000),
    `${"/very/long/path".repeat(50)}/end.txt`,
    "one\ntwo\u2028three\u2029four\r\nfive",
    "\u0000\u0007\u001b[31mred\u001b[0m\u0085",
    "left \u202eright\u202c \u2066isolated\u2069 \u200f",
    "in\u200bvisi\u00adble\u061c \ufeff\u{e0041}\u3164\u2060",
    "می\u200cخواهم 👩\u200d💻 ❤\ufe0f",
    '{ "json": { "a": [1, 2] } }',
    "\ud800 half",
    "e\u0301".repeat(300),
    `${"word ".repeat(100)}\n${"line\n".repeat(2000)}`,
    "مرحبا بالعالم ".repeat(40),
  ];
}
