// What listeners hear of the run that every framework makes.
import type { Envelope } from "#gen/aaep/types.js";

/** The newest versions of the frameworks, in place of those with which the pages say that they are tried. */
export const IS_NEWEST = process.env.FRAMEWORK_VERSIONS === "newest";

/** What is heard of a page's program, where a person says yes. */
export const PAGE_HEARD: readonly string[] = [
  "session.started | Tidies the shop.",
  "text | I burn old.txt.",
  "awaiting.confirmation | Use burn | file: old.txt",
  "tool.invoked | burn | burn",
  "tool.completed | burn | success",
  "text | The shop is tidy.",
  "session.completed | Ended.",
];

export const isAboutOld = ({ consequence }: Envelope) => String(consequence).includes("old.txt");

export const endsIn = (events: readonly Envelope[]) =>
  events.filter(({ type }) => /session\.(completed|cancelled|errored)$/.test(type)).length;

/** One line an event: all pieces of a text together, and no states. */
export function linesOf(events: readonly Envelope[]): readonly string[] {
  const lines: string[] = [];
  for (const { type, tool, status, chunk, summary_normal, action, consequence } of events) {
    const last = lines.at(-1);
    if (type.endsWith("state.changed") || (type.endsWith("output.streaming") && typeof chunk !== "string")) continue;
    if (typeof chunk === "string" && last?.startsWith("text | ")) lines[lines.length - 1] = `${last}${chunk}`;
    else if (typeof chunk === "string") lines.push(`text | ${chunk}`);
    else {
      const told = [tool, status, summary_normal, action, consequence].filter((one) => typeof one === "string");
      lines.push([type.replace("aaep:agent.", ""), ...told].join(" | "));
    }
  }
  return lines;
}
