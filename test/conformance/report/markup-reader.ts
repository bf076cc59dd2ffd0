// HTML and XML as Python's parsers read them, which know nothing of the code that wrote them.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { shared, whenFinished } from "../../support/lifetime.js";

const PROGRAM = fileURLToPath(new URL("read_markup.py", import.meta.url));

/** One thing that a parser saw, in the order of the document. Neighbouring texts are one. */
export type Seen =
  | readonly ["start", string, Readonly<Record<string, string | null>>]
  | readonly ["end", string]
  | readonly ["text", string]
  | readonly ["comment", string];

/** Rejects if the document is not well-formed XML. HTML is always read somehow. */
export type ReadMarkup = (kind: "xml" | "html", text: string) => Promise<readonly Seen[]>;

/** To be called beside tests, which share one parser. */
export function sharedMarkupReader(): ReadMarkup {
  const started = shared(async () => {
    const child = spawn("python3", [PROGRAM], { stdio: ["pipe", "pipe", "inherit"] });
    whenFinished(() => child.stdin.end());
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  return async (kind, text) => {
    const { child, lines } = await started();
    child.stdin.write(`${JSON.stringify({ kind, text })}\n`);
    const { value, done } = await lines.next();
    if (done === true) throw new Error("the parser ended");
    const seen = JSON.parse(value) as readonly Seen[] | { readonly error: string };
    if ("error" in seen) throw new Error(seen.error);
    return seen;
  };
}

/** The document without its texts and the values of its attributes: its elements and the names of their attributes. */
export function shapeOf(seen: readonly Seen[]): readonly string[] {
  return seen.flatMap((one) => {
    if (one[0] === "text") return [];
    return one[0] === "start" ? [`<${one[1]} ${Object.keys(one[2]).sort().join(" ")}>`] : [`${one[0]} ${one[1]}`];
  });
}

/** The whole text of each element of that name. */
export function textsOf(seen: readonly Seen[], name: string): readonly string[] {
  const texts: string[] = [];
  let depth = 0;
  for (const one of seen) {
    if (one[0] === "start" && one[1] === name && depth++ === 0) texts.push("");
    if (one[0] === "end" && one[1] === name) depth--;
    if (one[0] === "text" && depth > 0) texts.push((texts.pop() ?? "") + one[1]);
  }
  return texts;
}

/** The values of an attribute, of each element of that name that has it. */
export function valuesOf(seen: readonly Seen[], name: string, attribute: string): readonly string[] {
  return seen.flatMap((one) => {
    const value = one[0] === "start" && one[1] === name ? one[2][attribute] : undefined;
    return typeof value === "string" ? [value] : [];
  });
}
