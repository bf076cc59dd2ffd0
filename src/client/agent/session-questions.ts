// Questions of a session: in their place among its events, through the loss of a daemon, and where nobody can be asked.
import { faultFrom } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import { newEventId, newReplyToken } from "../random-ids.js";
import { keepRunning } from "../timers.js";
import { type Asked, cancelledOutcome, hostDecisionIn, lateOutcome, unheardOutcome } from "./consent.js";
import type { AgentSettings, Contact } from "./contact.js";
import { onAbort, type SignalLike } from "./on-abort.js";
import { LOST, type Outbox } from "./outbox.js";
import type { HostDecision } from "./questions.js";
import type { Voice } from "./voice.js";
import type { Waits } from "./waits.js";

export interface QuestionServices {
  readonly options: AgentSettings;
  readonly contact: Contact;
  readonly outbox: Outbox;
  readonly waits: Waits;
}

export interface AskedHere extends Asked {
  /** The AAEP session in which the question was asked. */
  readonly voice: Voice | undefined;
}

/** Seconds that the daemon gives a question that names none. */
const DEFAULT_TIMEOUT_SECONDS = 300;
/** How long a question that was taken back waits for the outcome that it may have had, ms. */
const WITHDRAWAL_MS = 1000;

/** Asks, and resolves with the outcome, whatever becomes of the daemon. Never rejects. */
export function ask(
  { options: { timers, patienceMs }, contact, outbox, waits }: QuestionServices,
  kind: "confirm" | "clarify",
  question: Members,
  signals: readonly (SignalLike | undefined)[],
): Promise<AskedHere> {
  // The daemon refuses what is no number of seconds.
  const seconds = Number(question.timeout_seconds ?? DEFAULT_TIMEOUT_SECONDS) || DEFAULT_TIMEOUT_SECONDS;
  const prepared = { event_id: newEventId(), reply_token: newReplyToken(), ...question };
  const cancelled: Asked = { outcome: cancelledOutcome(prepared), isUnheard: false };
  const unheard: Asked = { outcome: unheardOutcome(kind, prepared), isUnheard: true };

  return new Promise((resolve) => {
    let voice: Voice | undefined;
    const cleanUps: (() => void)[] = [];
    let isSettled = false;
    const settle = (asked: Asked): void => {
      if (isSettled) return;
      isSettled = true;
      // A question that is taken back is over for what follows it.
      if (voice !== undefined) voice.openQuestions -= 1;
      for (const cleanUp of cleanUps) cleanUp();
      waits.over(String(prepared.reply_token));
      resolve({ ...asked, voice });
    };
    /** Takes the question back from a daemon that may have it, or closes it with the decision of the host. */
    const withdraw = (decided?: HostDecision): void =>
      void voice?.client.cancel(prepared.reply_token, decided).catch(() => {});

    const askIn = async (of: Voice): Promise<void> => {
      if (isSettled) return;
      voice = of;
      of.openQuestions += 1;
      // The daemon puts the question's state in the place of those that events imply.
      of.implies(undefined);
      try {
        const outcome = await of.client[kind]({ ...prepared, session_id: of.sessionId });
        settle({ outcome, isUnheard: outcome.resolved_by === "no_subscriber" });
      } catch (caught) {
        const fault = faultFrom(caught);
        // The loss of a daemon or of a session is told once, elsewhere.
        if (!isSettled && fault.code !== "peer_gone" && !LOST.has(fault.code)) outbox.drops.tell(fault);
        settle(cancelled);
      }
    };

    const now = timers.now();
    const { awaySince } = contact;
    if (awaySince !== undefined) {
      const until = Math.max(now, awaySince + patienceMs);
      const giveUp = (): void => {
        // A daemon that was back meanwhile may have asked somebody.
        if (contact.awaySince !== awaySince) return;
        withdraw();
        settle(unheard);
      };
      cleanUps.push(timers.wakeAt(until, giveUp));
    }
    // A daemon that hangs tells no outcome.
    const late = (): void => {
      withdraw();
      settle({ outcome: lateOutcome(kind, prepared), isUnheard: false });
    };
    const longestMs = seconds * 1000 + patienceMs;
    cleanUps.push(timers.wakeAt(now + longestMs, late), keepRunning(longestMs));
    for (const signal of signals) {
      const abort = (): void => {
        const decided = kind === "confirm" ? hostDecisionIn(signal?.reason) : undefined;
        const { outcome } = cancelled;
        const over: Asked =
          decided === undefined
            ? cancelled
            : { outcome: { ...outcome, ...decided, resolved_by: "host" }, isUnheard: false };
        if (voice === undefined) {
          settle(over);
          return;
        }
        withdraw(decided);
        // A daemon that hangs or is away tells no outcome.
        cleanUps.push(timers.wakeAt(timers.now() + WITHDRAWAL_MS, () => settle(over)));
      };
      if (signal?.aborted === true) return abort();
      cleanUps.push(onAbort(signal, abort));
    }
    const isTaken = outbox.add({ kind: "question", ask: (of) => void askIn(of), unheard: () => settle(unheard) });
    if (!isTaken) {
      outbox.drops.drop(0, 1);
      settle(cancelled);
    }
  });
}
