// Pieces of Markdown. All headings of a page differ, so that their anchors last.
import GithubSlugger from "github-slugger";

const WIDTH = 150;

/** Breaks a paragraph at WIDTH columns. No line begins with a character that would make it a list or a heading. */
export function paragraph(text, indent = "") {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    const isMark = /^([-+*#>]|\d+\.)$/.test(word);
    if (indent.length + longer.length <= WIDTH || line === "" || isMark) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  lines.push(line);
  return lines.join(`\n${indent}`);
}

export function list(items) {
  return items.map((item) => `- ${paragraph(item, "  ")}`).join("\n");
}

export function heading(level, text) {
  return `${"#".repeat(level)} ${text}`;
}

const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

export function table(columns, rows) {
  const line = (cells) => `| ${cells.map(cell).join(" | ")} |`;
  return [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}

export function json(value) {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

export function code(text) {
  return `\`${text}\``;
}

/** Joins blocks to the text of a page; undefined blocks are left out. Throws if two headings have one anchor. */
export function page(blocks) {
  const text = `${blocks.filter((block) => block !== undefined).join("\n\n")}\n`;
  const seen = new Set();
  for (const [, title] of text.matchAll(/^#+ (.*)$/gm)) {
    const slug = new GithubSlugger().slug(title);
    if (seen.has(slug)) throw new Error(`two headings have the anchor #${slug}`);
    seen.add(slug);
  }
  return text;
}

/** The link to a heading of this page or of another one below docs/reference. */
export function link(title, file = "") {
  return `[${title}](${file}#${new GithubSlugger().slug(title)})`;
}

/** A description of a schema as a sentence: descriptions of forms begin small and have no full stop. */
export function sentence(text) {
  const ended = /[.!?]$/.test(text) ? text : `${text}.`;
  return ended.charAt(0).toUpperCase() + ended.slice(1);
}
