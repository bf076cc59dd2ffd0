// Text: joined by position it is what was published, without a hole, once, and completed once (R10).
import { type Heard, type Listening, type SentSession, STREAMING } from "./record.js";

type Fault = (count: "lost" | "reordered" | "duplicated" | "invented", what: string) => void;

interface SentOutput {
  readonly characters: string[];
  /** Whether its agent has completed it, as far as it knows. */
  isCompleted: boolean;
  /** Of each character that was acknowledged, its event's epoch. */
  readonly epochs: number[];
  completedAt: number | undefined;
}

interface Progress {
  begin: number;
  end: number;
  isComplete: boolean;
}

export interface TextCheck {
  /** Whether something of it is new. `isLate`: a text may be heard from its middle on. */
  readonly accept: (event: Heard, isLate: boolean) => boolean;
  /** When everything has come. `excusedUpTo`: the epoch up to which nothing of a session is owed. */
  readonly end: (excusedUpTo: (sessionId: string) => number) => void;
}

export function createTextCheck(
  listener: Listening,
  sessions: ReadonlyMap<string, SentSession>,
  fault: Fault,
): TextCheck {
  const sent = new Map([...sessions].map(([id, session]) => [id, outputsOf(session)]));
  const heard = new Map<string, Progress>();
  return {
    accept: (event, isLate) => {
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
        return true;
      }
      const isOwed = listener.wants(STREAMING);
      if (!isOwed) fault("invented", `${event.id} is text, which was not asked for`);
      const first = isLate ? position : 0;
      const progress = heard.get(key) ?? { begin: first, end: first, isComplete: false };
      heard.set(key, progress);
      if (position > progress.end) fault("lost", `${key} has a hole from ${progress.end} to ${position}`);
      if (end > progress.end && progress.isComplete) fault("duplicated", `${key} went on after it was complete`);
      if (completes && end < published.characters.length && sessions.get(sessionId)?.lost === undefined)
        fault("lost", `${key} was completed at ${end} of ${published.characters.length}`);
      const isNews = end > progress.end || (completes && !progress.isComplete);
      progress.end = Math.max(progress.end, end);
      progress.isComplete ||= completes;
      return isNews;
    },
    end: (excusedUpTo) => {
      if (!listener.wants(STREAMING)) return;
      for (const [sessionId, outputs] of sent) {
        const excused = excusedUpTo(sessionId);
        for (const [output, { epochs, completedAt }] of outputs) {
          if ((epochs.at(-1) ?? completedAt ?? 0) <= excused) continue;
          const { end, isComplete } = heard.get(`${sessionId}/${output}`) ?? { end: 0, isComplete: false };
          if (end < epochs.length)
            fault("lost", `${sessionId}/${output} came up to ${end}, of ${epochs.length} that were acknowledged`);
          if (completedAt !== undefined && completedAt > excused && !isComplete)
            fault("lost", `the end of ${sessionId}/${output} never came`);
        }
      }
    },
  };
}

function outputsOf(session: SentSession): ReadonlyMap<string, SentOutput> {
  const outputs = new Map<string, SentOutput>();
  for (const { text, epoch } of session.events) {
    if (text === undefined) continue;
    const output = outputs.get(text.output) ?? {
      characters: [],
      isCompleted: false,
      epochs: [],
      completedAt: undefined,
    };
    outputs.set(text.output, output);
    for (const character of text.chunk) {
      output.characters.push(character);
      if (epoch !== undefined) output.epochs.push(epoch);
    }
    if (!text.completes) continue;
    output.isCompleted = true;
    output.completedAt = epoch;
  }
  return outputs;
}
