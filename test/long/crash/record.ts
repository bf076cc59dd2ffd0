// What a run with kills leaves for the judge: what was published and acknowledged, what everybody heard, and how questions were said to have ended.
// Plain data, so that a test of the judge can write it by hand.
import { STREAMING } from "../../support/oracles/delivery-facts.js";
import {
  type ClientEvent,
  clientEvent,
  type PublishedEvent,
  type ToldPlace,
} from "../../support/oracles/place-facts.js";
import type { Message } from "../../support/oracles/wire-sniffer.js";

/** One event as its agent sent it, however often. */
export interface Sent extends PublishedEvent {
  /** What it is told apart by where it is no text. */
  readonly mark: string;
  /** As it was acknowledged for the first time; undefined where it never was. */
  epoch: number | undefined;
  /** In which run of the daemon that was; 1 is the first. */
  ackedInRun: number;
  /** Epochs of later acknowledgements that said something else. */
  readonly otherEpochs: number[];
}

export interface SentSession {
  readonly id: string;
  readonly agent: string;
  /** In the order in which they were sent. */
  readonly events: Sent[];
  /** Undefined: it goes on or was ended by its agent. Else why the agent could not or would not go on. */
  lost: "abandoned" | "grace" | undefined;
}

/** What somebody says of how a question ended. */
interface OutcomeReport {
  readonly by: string;
  /** Equal for equal outcomes, whoever says them. */
  readonly outcome: string;
}

export interface AskedQuestion {
  readonly token: string;
  readonly eventId: string;
  readonly sessionId: string;
  /** It was acknowledged before the kill of this run, and open then; -1 where none. */
  openAtKills: number;
  /** To its agent. */
  readonly reports: OutcomeReport[];
  /** Outcomes that replies would bring about of which somebody was told that they count. */
  readonly countedReplies: string[];
  /** The daemon did not know it any more although it had acknowledged it. */
  forgotten: number;
}

/** Its subscription was accepted. What follows came on this connection, until the next one. */
export interface Joined {
  readonly kind: "joined";
  /** From 1 on. */
  readonly connection: number;
  readonly run: number;
  /** The cursor that it named (R17); undefined of a newcomer. */
  readonly named: string | undefined;
  /** How that was met. */
  readonly resumed: string | undefined;
}

/** The daemon told it a place (R17). */
export interface PlaceTold extends ToldPlace {
  /** In which message. */
  readonly by: "accepted" | "checkpoint" | "close" | "ping";
  /** The last epoch of which an agent knew by then. Default 0. */
  readonly head?: number;
}

/** The connection is over. */
interface Left {
  readonly kind: "left";
  /** ms, on a clock of its own. */
  readonly at: number;
}

/** What of an event is judged. */
export interface Heard extends ClientEvent {
  /** ms, on the same clock. */
  readonly at: number;
  readonly mark: string;
  readonly isCritical?: boolean;
  /** Marks of the daemon: `by` and what it says. */
  readonly isDaemons?: boolean;
  /** Its session ended for want of an agent (R8). */
  readonly tellsLostAgent?: boolean;
  /** Of a resolution: the question's event, and how it ended. */
  readonly question?: string;
  readonly resolution?: string;
}

type LogEntry = Joined | PlaceTold | Heard | Left;

export interface Listening {
  readonly name: string;
  /** Every piece as it comes, without a rate: all is owed, in the order of epochs, and what was handed over is soon in a cursor. */
  readonly isExact: boolean;
  readonly wants: (type: string) => boolean;
  /** In the order in which it came. */
  readonly log: LogEntry[];
}

/** What the audit log says of a question's end, in the order of its lines. */
export interface AuditedLine {
  readonly kind: "counted" | "outcome";
  readonly token: string;
  /** The outcome, or what a reply that counted must bring about. */
  readonly outcome: string;
  /** The whole line: equal lines are one, which was written again after a kill. */
  readonly line: string;
}

export interface Recording {
  readonly sessions: readonly SentSession[];
  readonly questions: readonly AskedQuestion[];
  readonly listeners: readonly Listening[];
  readonly audited: readonly AuditedLine[];
  /** How each run of the daemon ended that has ended; `ends[1]` is the first one's. */
  readonly ends: readonly ("kill" | "restart" | undefined)[];
  /** What the daemon holds to be open: sessions by their ids, questions by their events'. */
  readonly open: { readonly sessions: ReadonlySet<string>; readonly questions: ReadonlySet<string> };
  /** What went wrong on the way, in sentences. */
  readonly accidents: readonly string[];
}

const TERMINAL = /^aaep:agent\.session\.(?:completed|errored|cancelled)$/;

export function isTerminal(type: string): boolean {
  return TERMINAL.test(type);
}

/** What the events of one type are told apart by, as they were sent and as they come. */
export function markOf(event: Message): string {
  const { summary_normal, tool, status, action, question, progress } = event;
  return JSON.stringify([summary_normal, tool, status, action, question, progress]);
}

/** The judged part of an event that came. */
export function heardOf(event: Message, at: number): Heard {
  const { type, urgency, extensions } = event;
  const marks = ((extensions as Message | undefined)?.aaepd ?? {}) as Message;
  return {
    ...clientEvent(event),
    at,
    mark: type === STREAMING || marks.by === "daemon" ? "" : markOf(event),
    ...(urgency === "critical" ? { isCritical: true } : {}),
    ...(marks.by === "daemon" ? { isDaemons: true } : {}),
    ...(event.error_code === "AGENT_DISCONNECTED" ? { tellsLostAgent: true } : {}),
    ...(marks.decision === undefined
      ? {}
      : { question: String(marks.question), resolution: `${String(marks.decision)} by ${String(marks.decided_by)}` }),
  };
}

/** An outcome as an agent or the audit log has it, in one line. */
export function outcomeLine(outcome: Message): string {
  const { decision, response, resolved_by: by, decided_by: who } = outcome;
  return JSON.stringify([decision ?? null, response ?? null, by, who ?? null]);
}

/** The last epoch that was acknowledged. */
export function headOf(sessions: readonly SentSession[]): number {
  let head = 0;
  for (const { events } of sessions) for (const { epoch = 0 } of events) head = Math.max(head, epoch);
  return head;
}
