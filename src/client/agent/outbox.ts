// Sends the intents of a session in their order: one publish at a time, in a new voice if a daemon has lost the session.
import { Fault, type FaultCode, faultFrom } from "../../base/errors.js";
import { backOffMs } from "../back-off.js";
import { createPause } from "../pause.js";
import type { Timers } from "../platform-clock.js";
import { newSessionId } from "../random-ids.js";
import type { AgentTrouble, OpenAgentOptions } from "./agent-options.js";
import type { Contact } from "./contact.js";
import { charactersIn, createIntentQueue, type QueueLimits } from "./intent-queue.js";
import type { Fields, Intent, TextIntent, Voice } from "./intents.js";
import { createVoice } from "./voice.js";

export interface Outbox {
  readonly sessionId: () => string;
  /** Whether nothing is sent: there is no daemon, or none that takes the session. */
  readonly isMute: () => boolean;
  /** Sends text soon; false if it was dropped. */
  readonly text: (outputId: string, chunk: string) => boolean;
  /** Sends an intent at once; false if it was dropped. */
  readonly add: (intent: Exclude<Intent, TextIntent>, isEssential?: boolean) => boolean;
  /** Counts what was dropped. */
  readonly drop: (characters: number, events: number) => void;
  readonly dropped: () => number;
  /** Tells the author, who need not hear of a fault of one session twice. */
  readonly tell: (fault: Fault) => void;
  /** A daemon has lost these sessions. */
  readonly lose: (sessionIds: readonly string[]) => void;
  /** Resolves when nothing waits. */
  readonly drained: () => Promise<void>;
  /** Sends nothing more. Text that waits is dropped. */
  readonly end: () => void;
}

export interface OutboxOptions extends QueueLimits, Pick<OpenAgentOptions, "backOff"> {
  readonly gatherMs: number;
  readonly timers: Timers;
  readonly chance: () => number;
  /** The events that begin a session. */
  readonly opening: (voice: Voice) => readonly Fields[];
  readonly onTrouble: (trouble: AgentTrouble) => void;
}

/** Codes of a daemon that may take the same events later. */
const LATER: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "peer_gone",
  "shutting_down",
  "storage_unavailable",
  "rate_limit",
  "timed_out",
]);
/** Codes of a daemon that does not know a session any more. */
export const LOST: ReadonlySet<FaultCode> = new Set<FaultCode>([
  "session_not_started",
  "session_ended",
  "session_not_yours",
]);

export function createOutbox(contact: Contact, options: OutboxOptions): Outbox {
  const { timers, chance, gatherMs, opening, onTrouble } = options;
  const queue = createIntentQueue(options);
  const pause = createPause(timers);
  const firstId = newSessionId();
  let voice: Voice | undefined;
  /** The intents that are being sent. */
  let underway: readonly Intent[] = [];
  let isRunning = false;
  let isEnded = false;
  let isRefused = false;
  let isHurried = false;
  let cancelGathering: (() => void) | undefined;
  let dropped = 0;
  // Between the first drop and the next answer of a daemon, drops are gathered.
  let isHoled = false;
  const untold = { characters: 0, events: 0 };
  const drained: (() => void)[] = [];

  const tell = (fault: Fault): void => {
    const { characters, events } = untold;
    untold.characters = 0;
    untold.events = 0;
    onTrouble({
      fault,
      session_id: voice?.sessionId ?? firstId,
      droppedCharacters: characters,
      droppedEvents: events,
    });
  };
  const tellDropped = (): void => {
    if (untold.characters > 0 || untold.events > 0) tell(tooMuch(untold));
  };
  const drop = (characters: number, events: number): void => {
    const isFirst = untold.characters === 0 && untold.events === 0 && !isHoled;
    isHoled = true;
    dropped += characters;
    untold.characters += characters;
    untold.events += events;
    if (isFirst) tellDropped();
  };
  const forget = (intents: readonly Intent[]): void => {
    for (const intent of intents) {
      if (intent.kind === "question") intent.unheard();
      else if (intent.kind === "events") intent.settled?.("unheard");
    }
  };

  /** Publishes until a daemon has answered. "lost": the session is lost, and its events have to be rendered for another. */
  async function publish(of: Voice, events: readonly Fields[]): Promise<"taken" | "lost" | Fault> {
    for (let retry = 0; ; retry += 1) {
      if (events.length === 0) return "taken";
      try {
        await of.client.publishUntyped(events);
        isHoled = false;
        tellDropped();
        return "taken";
      } catch (caught) {
        const fault = faultFrom(caught);
        if (isEnded || of.isLost || contact.client() !== of.client) return "lost";
        if (!LATER.has(fault.code)) {
          if (!LOST.has(fault.code) || !of.hasStarted) return fault;
          of.isLost = true;
          tell(lostSession());
          return "lost";
        }
        await pause.take(backOffMs(retry, chance(), options.backOff));
      }
    }
  }

  /** Publishes part by part, if together they were refused. False: the session has to begin again. */
  async function deliverParts(of: Voice, intents: readonly Intent[]): Promise<boolean> {
    const start = of.hasStarted ? [] : opening(of);
    const parts = intents.map((intent) => (intent.kind === "question" ? [] : of.render(intent)));
    const together = await publish(of, [...start, ...parts.flat()]);
    if (together === "lost") return false;
    const isWhole = together === "taken";
    if (!isWhole && !of.hasStarted) {
      const started = await publish(of, start);
      if (started === "lost") return false;
      if (started instanceof Fault) {
        isRefused = true;
        tell(started);
        forget([...intents, ...queue.clear()]);
        return true;
      }
    }
    of.hasStarted = true;
    for (const [index, intent] of intents.entries()) {
      const result = isWhole ? "taken" : await publish(of, parts[index] ?? []);
      if (result === "lost") {
        // The parts that were taken have been heard. The rest goes into the next session.
        return deliver(intents.slice(index)).then(() => true);
      }
      if (result instanceof Fault) {
        const characters = charactersIn([intent]);
        dropped += characters;
        untold.characters += characters;
        untold.events += intent.kind === "text" ? 0 : (parts[index]?.length ?? 0);
        tell(result);
      }
      if (intent.kind === "question") intent.ask(of);
      else if (intent.kind === "events") intent.settled?.(result === "taken" ? "taken" : "refused");
    }
    return true;
  }

  async function deliver(intents: readonly Intent[]): Promise<void> {
    for (;;) {
      const client = await contact.found();
      if (client === undefined || isEnded || isRefused) return forget(intents);
      if (voice === undefined || voice.client !== client || voice.isLost)
        voice = createVoice(client, voice === undefined ? firstId : newSessionId());
      if (await deliverParts(voice, intents)) return;
    }
  }

  async function run(): Promise<void> {
    if (isRunning) return;
    isRunning = true;
    cancelGathering?.();
    cancelGathering = undefined;
    do {
      // Calls of the same turn are sent together.
      await contact.found();
      underway = queue.take();
      try {
        if (underway.length > 0) await deliver(underway);
      } catch (caught) {
        forget(underway);
        tell(faultFrom(caught));
      }
      underway = [];
    } while (!queue.isEmpty() && (isHurried || !queue.mayGrow()));
    isRunning = false;
    if (queue.isEmpty()) {
      for (const resolve of drained.splice(0)) resolve();
    } else gather();
  }

  const gather = (): void => {
    if (isRunning || cancelGathering !== undefined) return;
    cancelGathering = timers.wakeAt(timers.now() + gatherMs, () => void run());
  };
  const isMute = (): boolean => isRefused || isEnded || contact.isMute();

  return {
    sessionId: () => voice?.sessionId ?? firstId,
    isMute,
    text: (outputId, chunk) => {
      if (isMute()) return true;
      const isTaken = queue.text(outputId, chunk);
      if (isTaken && !isRunning && cancelGathering === undefined) gather();
      return isTaken;
    },
    add: (intent, isEssential) => {
      if (isMute()) {
        forget([intent]);
        return true;
      }
      const isTaken = queue.add(intent, isEssential);
      if (isTaken) void run();
      return isTaken;
    },
    drop,
    dropped: () => dropped,
    tell,
    lose: (sessionIds) => {
      if (voice !== undefined && sessionIds.includes(voice.sessionId)) voice.isLost = true;
    },
    drained: () => {
      isHurried = true;
      if (queue.isEmpty() && !isRunning) return Promise.resolve();
      void run();
      return new Promise((resolve) => {
        drained.push(resolve);
      });
    },
    end: () => {
      isEnded = true;
      cancelGathering?.();
      pause.cutShort();
      const left = queue.clear();
      // Without an answer nobody knows what of the last publish was heard.
      const characters = charactersIn([...underway, ...left]);
      dropped += characters;
      untold.characters += characters;
      forget(left);
      tellDropped();
      for (const resolve of drained.splice(0)) resolve();
    },
  };
}

function tooMuch({ characters, events }: { readonly characters: number; readonly events: number }): Fault {
  const sentence = `The daemon did not take everything in time: ${characters} characters and ${events} other events were dropped.`;
  return new Fault("rate_limit", sentence, { origin: "local" });
}

/** The fault of a lost session: a listener may have missed something. */
export function lostSession(): Fault {
  const sentence = "The daemon has lost the session, which begins again. Listeners may have missed its events so far.";
  return new Fault("session_not_started", sentence, { origin: "local" });
}
