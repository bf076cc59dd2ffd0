// Reads pages of the documentation: headings with their anchors, tables, links and blocks of code.
import GithubSlugger from "github-slugger";

export interface Section {
  readonly level: number;
  readonly title: string;
  readonly anchor: string;
  /** The text between this heading and the next one of any level. */
  readonly text: string;
}

/** Replaces the lines of code blocks by empty ones, so that a line keeps its number. */
function withoutCode(page: string): string {
  let isCode = false;
  return page
    .split("\n")
    .map((line) => {
      const isFence = /^\s*```/.test(line);
      if (isFence) isCode = !isCode;
      return isCode || isFence ? "" : line;
    })
    .join("\n");
}

/** The sections of a page. Anchors are those of GitHub: a title that comes again gets a number. */
export function sectionsOf(page: string): readonly Section[] {
  const slugger = new GithubSlugger();
  const plain = withoutCode(page).split("\n");
  const lines = page.split("\n");
  const heads = plain.flatMap((line, index) => {
    const [, marks, title] = /^(#{1,6}) +(.*?)\s*$/.exec(line) ?? [];
    return marks === undefined || title === undefined ? [] : [{ index, level: marks.length, title }];
  });
  return heads.map(({ index, level, title }, number) => ({
    level,
    title,
    anchor: slugger.slug(plainText(title)),
    text: lines.slice(index + 1, heads[number + 1]?.index).join("\n"),
  }));
}

/** A title without its marks: a link counts by its text. */
function plainText(title: string): string {
  return title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");
}

/** The targets of the links of a page, code aside. */
export function linksIn(page: string): readonly string[] {
  const text = withoutCode(page).replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, "·"));
  return [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].map(([, target = ""]) => target);
}

export interface Table {
  /** The line before the table, as in "Params:"; "" if there is none. */
  readonly label: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** The tables of a text. */
export function tablesIn(text: string): readonly Table[] {
  const tables: { label: string; columns: readonly string[]; rows: (readonly string[])[] }[] = [];
  let label = "";
  let isOpen = false;
  for (const line of withoutCode(text).split("\n")) {
    if (!line.startsWith("|")) {
      isOpen = false;
      if (line !== "") label = line;
      continue;
    }
    const cells = line
      .trimEnd()
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
    if (!isOpen) tables.push({ label, columns: cells, rows: [] });
    else if (!/^\|[-:|]+\|$/.test(line)) tables.at(-1)?.rows.push(cells);
    isOpen = true;
    label = "";
  }
  return tables;
}

/** The texts of the code blocks of one language. */
export function codeBlocks(text: string, language: string): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)\\n\`\`\`$`, "gm"))].map(
    ([, code = ""]) => code,
  );
}
