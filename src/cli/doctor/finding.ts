// One result of an examination.
import type { Fault } from "../../base/errors.js";
import { helpOf } from "../shell/fault-help.js";

/** The areas that are examined, in the order of the report. */
export const AREAS = [
  "configuration",
  "folders",
  "sockets",
  "ports",
  "clock",
  "versions",
  "disk",
  "journal",
  "service",
  "daemons",
  "agents",
] as const;
export type Area = (typeof AREAS)[number];

/** A problem keeps a daemon from starting, loses events, or lets others in. Advice is about anything less. */
export interface Complaint {
  readonly grade: "problem" | "advice";
  readonly area: Area;
  /** Names the kind of finding for programs; stable. */
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

export type Finding =
  | Complaint
  | { readonly grade: "fact"; readonly area: Area; readonly code: string; readonly message: string };

export function problem(area: Area, code: string, message: string, remedy: string): Complaint {
  return { grade: "problem", area, code, message, remedy };
}

export function advice(area: Area, code: string, message: string, remedy: string): Complaint {
  return { grade: "advice", area, code, message, remedy };
}

export function fact(area: Area, code: string, message: string): Finding {
  return { grade: "fact", area, code, message };
}

/** A problem from the sentences of a fault, the last of which says what to do. */
export function problemFrom(
  area: Area,
  { code, rule, sentence }: Pick<Fault, "code" | "rule" | "sentence">,
): Complaint {
  const [message, remedy] = lastSentenceApart(sentence.replace(/ \([A-Z_0-9]+\)$/, ""));
  return problem(area, code, message, remedy === "" ? `Read ${helpOf({ code, rule })[0]}` : remedy);
}

/** Splits a text before its last sentence. A text of one sentence has no second part. */
export function lastSentenceApart(text: string): readonly [string, string] {
  const at = text.lastIndexOf(". ");
  return at < 0 ? [text, ""] : [text.slice(0, at + 1), text.slice(at + 2)];
}

/** A path as one word of a POSIX shell. */
export function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
