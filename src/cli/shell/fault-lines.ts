import type { Fault } from "../../base/errors.js";
import { jsonText } from "../terminal/json-text.js";
import { shownText } from "../terminal/shown-text.js";
import { helpOf } from "./fault-help.js";

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
