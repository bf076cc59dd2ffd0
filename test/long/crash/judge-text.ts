// Text: joined by position it is what was published, without a hole that was not declared, once on each connection, and completed once (R10, R17, R27).
import { type Covered, digestOf } from "./cursor-facts.js";
import type { Fault } from "./judge.js";
import { type Heard, type Listening, type SentSession, STREAMING } from "./record.js";

interface SentOutput {
  readonly characters: string[];
  /** Of each character that was acknowledged, its event's epoch. */
  readonly epochs: number[];
  readonly events: { readonly from: number; readonly to: number; readonly isAcknowledged: boolean }[];
  completedAt: number | undefined;
  readonly digest: string;
}

interface Progress {
  /** Up to here all has come but for the holes. */
  end: number;
  readonly holes: (readonly [from: number, to: number])[];
  isComplete: boolean;
  /** Up to where it came on the connection of now. */
  connectionEnd: number | undefined;
}

export interface TextHeard {
  /** Something of it is new. */
  readonly isNews: boolean;
  /** Characters that had come before. */
  readonly againCount: number;
}

export interface TextCheck {
  /** A connection begins. */
  readonly joined: () => void;
  /** `covered`: what the listener was told last that it has. */
  readonly accept: (event: Heard, covered: Covered | undefined, hasGap: boolean) => TextHeard;
  /** When everything has come: how many events with text are missing of a session. */
  readonly missing: (sessionId: string) => number;
}

export function createTextCheck(
  listener: Listening,
  sessions: ReadonlyMap<string, SentSession>,
  fault: Fault,
): TextCheck {
  const sent = new Map([...sessions].map(([id, session]) => [id, outputsOf(session)]));
  const heard = new Map<string, Progress>();

  const judgeCover = (
    { id, sessionId, output }: Heard,
    { epochs, digest }: SentOutput,
    covered: Covered,
    [from, to, heardTo]: readonly [number, number, number],
  ): void => {
    const coveredTo = covered.outputs.get(digest) ?? 0;
    for (let at = from; at < to; at += 1) {
      if (at >= coveredTo && (epochs[at] ?? Number.POSITIVE_INFINITY) > covered.after) continue;
      const where = `${sessionId}/${output} at ${at} (${epochs[at]}, ${id})`;
      const cursor = `a cursor up to ${covered.after} and ${coveredTo} of it`;
      if (at < heardTo) fault("again", `${where} came again, which ${cursor} covered`);
      else fault("ranAhead", `${where} came for the first time after ${cursor} had covered it`);
      return;
    }
  };

  return {
    joined: () => {
      for (const progress of heard.values()) progress.connectionEnd = undefined;
    },
    accept: (event, covered, hasGap) => {
      const { sessionId, output = "", chunk = "", position = 0, completes = false } = event;
      const key = `${sessionId}/${output}`;
      const published = sent.get(sessionId)?.get(output);
      const characters = [...chunk];
      const end = position + characters.length;
      if (published?.characters.slice(position, end).join("") !== chunk) {
        fault(
          "invented",
          `${event.id} has other text at ${position} of ${key} than was published: ${JSON.stringify(chunk)}`,
        );
        return { isNews: true, againCount: 0 };
      }
      if (!listener.wants(STREAMING)) fault("invented", `${event.id} is text, which was not asked for`);
      const progress = heard.get(key) ?? { end: 0, holes: [], isComplete: false, connectionEnd: undefined };
      heard.set(key, progress);
      const { connectionEnd } = progress;
      if (connectionEnd !== undefined && position < connectionEnd && chunk !== "")
        fault("duplicated", `${key} was at ${connectionEnd} and came from ${position} on the same connection`);
      progress.connectionEnd = Math.max(end, connectionEnd ?? 0);
      if (position > progress.end) {
        if (!hasGap) fault("lost", `${key} has a hole from ${progress.end} to ${position}`);
        progress.holes.push([progress.end, position]);
        progress.end = position;
      }
      if (covered !== undefined) judgeCover(event, published, covered, [position, end, progress.end]);
      if (end > progress.end && progress.isComplete) fault("duplicated", `${key} went on after it was complete`);
      if (completes && end < published.characters.length && sessions.get(sessionId)?.lost === undefined)
        fault("lost", `${key} was completed at ${end} of ${published.characters.length}`);
      const isNews = end > progress.end || (completes && !progress.isComplete);
      if (completes && chunk === "" && !isNews && (published.completedAt ?? Infinity) <= (covered?.after ?? 0))
        fault("again", `the end of ${key} (${published.completedAt}) came again, which a cursor covered`);
      const againCount = Math.max(0, Math.min(end, progress.end) - position);
      progress.end = Math.max(progress.end, end);
      progress.isComplete ||= completes;
      return { isNews, againCount };
    },
    missing: (sessionId) => {
      let count = 0;
      if (!listener.wants(STREAMING)) return 0;
      for (const [output, { events, completedAt }] of sent.get(sessionId) ?? []) {
        const progress = heard.get(`${sessionId}/${output}`) ?? { end: 0, holes: [], isComplete: false };
        for (const { from, to, isAcknowledged } of events) {
          const isWhole = to <= progress.end && !progress.holes.some((hole) => from < hole[1] && to > hole[0]);
          if (isAcknowledged && from < to && !isWhole) count += 1;
        }
        if (completedAt !== undefined && !progress.isComplete) count += 1;
      }
      return count;
    },
  };
}

function outputsOf(session: SentSession): ReadonlyMap<string, SentOutput> {
  const outputs = new Map<string, SentOutput>();
  for (const { text, epoch } of session.events) {
    if (text === undefined) continue;
    const output = outputs.get(text.output) ?? {
      characters: [],
      epochs: [],
      events: [],
      completedAt: undefined,
      digest: digestOf(session.id, text.output),
    };
    outputs.set(text.output, output);
    const from = output.characters.length;
    for (const character of text.chunk) {
      output.characters.push(character);
      if (epoch !== undefined) output.epochs.push(epoch);
    }
    output.events.push({ from, to: output.characters.length, isAcknowledged: epoch !== undefined });
    if (text.completes) output.completedAt = epoch;
  }
  return outputs;
}
