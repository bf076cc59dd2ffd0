// Where the installed documentation explains a fault.
import { pathToFileURL } from "node:url";
import type { Fault } from "../../base/errors.js";
import { referenceLinks } from "../../base/reference-links.js";
import { packagePath } from "./package-path.js";

/** The entries about a fault, that of its code first, as `file:` addresses of the pages in this package. */
export function helpOf(fault: Pick<Fault, "code" | "rule">): readonly string[] {
  const pages = pathToFileURL(packagePath("docs", "reference")).href;
  return referenceLinks(fault).map((link) => `${pages}/${link}`);
}

/** Makes the lines of `--verbose` below a fault: the address of each entry about it, once in a run. */
export type HelpLines = (fault: Fault) => readonly string[];

/** Without `isVerbose`, there are no lines. */
export function createHelpLines(isVerbose: boolean): HelpLines {
  const told = new Set<string>();
  return (fault) => {
    const links = isVerbose ? helpOf(fault).filter((link) => !told.has(link)) : [];
    for (const link of links) told.add(link);
    return links.map((link) => `  See ${link}`);
  };
}
