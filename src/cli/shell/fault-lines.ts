// Faults in the lines of an input, and where the installed documentation explains a fault.

import { pathToFileURL } from "node:url";
import type { Fault } from "../../base/errors.js";
import { referenceLinks } from "../../base/reference-links.js";
import { jsonText, shownText } from "../terminal/shown-text.js";
import { packagePath } from "./program-paths.js";

/** Formats a fault of one line of the input: for people "line 3, /timestamp: sentence (code, rule)", or one JSON object. */
export function faultLine(line: number, fault: Fault, asJson: boolean): string {
  const { code, pointer, rule, sentence, eventId } = fault;
  if (asJson)
    return jsonText({ line, code, pointer: pointer ?? "", rule, event_id: eventId, sentence, help: helpOf(fault) });
  return shownText(`${placeOf(line, fault)}: ${sentence} (${rule === undefined ? code : `${code}, ${rule}`})`);
}

/** "line 3, /timestamp" */
export function placeOf(line: number, { pointer }: Pick<Fault, "pointer">): string {
  return pointer === undefined || pointer === "" ? `line ${line}` : `line ${line}, ${pointer}`;
}

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
