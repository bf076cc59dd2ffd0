// Finds sentences in comments and guides that are read twice: those that begin with a relative clause in place of a noun, and words for
// which this project has others. `node scripts/check-words.mjs [FILE …]`; without files, the source, the scripts and the documentation.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const BEGINNINGS = /^(What|Who|Whoever|Whose|Whatever|Those|One that|One who|Of (?:what|those|whom|one)|Which of)\b/;
const WORDS = /\b(whoever|anew|spokesman|desk|saying[s]?)\b/i;
// Questions may begin so.
const QUESTION = /\?["»)]*$/;

function files() {
  const listed = execFileSync("git", ["ls-files", "src", "transports", "bench", "scripts", "docs", "*.md"], {
    encoding: "utf8",
  });
  return listed.split("\n").filter((name) => /\.(ts|mjs|md)$/.test(name) && name !== "CHANGELOG.md");
}

/** The prose of a file as paragraphs, each with the line that it begins in. */
function paragraphs(name) {
  const lines = readFileSync(name, "utf8").split("\n");
  const found = [];
  let open;
  let isCode = false;
  const add = (text, line, isNew) => {
    if (open === undefined || isNew) {
      open = { line, text };
      found.push(open);
    } else open.text += ` ${text}`;
  };
  for (const [index, line] of lines.entries()) {
    const text = name.endsWith(".md") ? guideText(line) : commentText(line);
    if (name.endsWith(".md") && /^\s*```/.test(line)) isCode = !isCode;
    if (isCode || text === undefined || text === "") open = undefined;
    else add(text, index + 1, /^\s*([-*|>#]|\d+\.)\s/.test(line) && name.endsWith(".md"));
  }
  return found;
}

function commentText(line) {
  const whole = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))\s?(.*?)(?:\s*\*\/)?$/.exec(line);
  if (whole !== null) return whole[1];
  return /[;,{})]\s+\/\/ (.*)$/.exec(line)?.[1];
}

function guideText(line) {
  if (/^\s*(#|\||```)/.test(line)) return "";
  return line.replace(/^\s*(?:[-*>]|\d+\.)\s+/, "").trim();
}

function sentences(text) {
  return text
    .replace(/`[^`]*`/g, (code) => code.replace(/[.?!]/g, "·"))
    .replace(/\b(e\.g|i\.e|ch|app|vs|etc|No)\./g, "$1·")
    .split(/(?<=[.?!:])\s+(?=[A-Z`"“(*])|;\s+/);
}

const names = process.argv.slice(2);
let count = 0;
for (const name of names.length > 0 ? names : files()) {
  for (const { line, text } of paragraphs(name)) {
    for (const sentence of sentences(text)) {
      const plain = sentence.replace(/^[("“*]+/, "");
      if ((!BEGINNINGS.test(plain) || QUESTION.test(plain)) && !WORDS.test(plain.replace(/`[^`]*`/g, ""))) continue;
      count += 1;
      console.error(`${name}:${line}: ${sentence.slice(0, 160)}`);
    }
  }
}
if (count > 0) {
  console.error(`${count} sentences are read twice: begin with the noun that the sentence is about.`);
  process.exitCode = 1;
}
