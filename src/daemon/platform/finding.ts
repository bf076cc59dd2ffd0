// Findings: a start logs them, the status of a running daemon has them, and `aaepd doctor` lists all.
import type { Log } from "../../contracts/log.js";

/** A problem keeps a daemon from starting, loses events, or lets others in. Advice is about anything less. */
export interface Complaint {
  readonly grade: "problem" | "advice";
  /** Names the kind of finding for programs; stable. */
  readonly code: string;
  /** In a sentence, as the remedy. */
  readonly message: string;
  readonly remedy: string;
}

export type Finding = Complaint | { readonly grade: "fact"; readonly code: string; readonly message: string };

/** Tells what a start has found, except facts. */
export function logComplaints(findings: readonly Finding[], log: Pick<Log, "warn">): void {
  for (const one of findings) if (one.grade !== "fact") log.warn({ remedy: one.remedy }, one.message);
}

export function problem(code: string, message: string, remedy: string): Complaint {
  return { grade: "problem", code, message, remedy };
}

export function advice(code: string, message: string, remedy: string): Complaint {
  return { grade: "advice", code, message, remedy };
}

export function fact(code: string, message: string): Finding {
  return { grade: "fact", code, message };
}

/** A path as one word of a POSIX shell. */
export function shellWord(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
