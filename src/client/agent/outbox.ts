// Sends the intents of a session in their order: one publish at a time, in a new voice if a daemon has lost the session.
import { Fault, type FaultCode, faultFrom } from "../../base/errors.js";
import { backOffMs } from "../back-off.js";
import { Pause } from "../pause.js";
import { keepRunning, type Timers } from "../platform-clock.js";
import { newSessionId } from "../random-ids.js";
import type { AgentTrouble, OpenAgentOptions } from "./agent-options.js";
import type { Contact } from "./contact.js";
import { Drops } from "./drops.js";
import { charactersIn, eventsIn, IntentQueue, type QueueLimits, type QueueRoom } from "./intent-queue.js";
import type { Fields, Intent, Taken, TextIntent, Voice } from "./intents.js";
import { createVoice } from "./voice.js";

export interface Outbox {
  readonly sessionId: () => string;
  /** Whether nothing is sent: there is no daemon, or none that takes the session. */
  readonly isMute: () => boolean;
  /** Sends text soon; false if it was dropped. */
  readonly text: (outputId: string, chunk: string) => boolean;
  /** Sends an intent at once; false if it was dropped. */
  readonly add: (intent: Exclude<Intent, TextIntent>, isEssential?: boolean) => boolean;
  /** Takes nothing of this session: there is no room for it. */
  readonly refuse: () => void;
  /** Counts what was dropped. */
  readonly drop: (characters: number, events: number) => void;
  readonly dropped: () => number;
  /** Tells the author, who need not hear of a fault of one session twice. */
  readonly tell: (fault: Fault) => void;
  /** A daemon has lost sessions. */
  readonly lose: (isLost: (sessionId: string) => boolean) => void;
  /** Resolves when nothing waits, and everything dropped is told. */
  readonly drained: () => Promise<void>;
  /** Sends nothing more. Text that waits is dropped. */
  readonly end: () => void;
}

export interface OutboxOptions extends QueueLimits, Pick<OpenAgentOptions, "backOff"> {
  readonly gatherMs: number;
  readonly room: QueueRoom;
  readonly timers: Timers;
  readonly chance: () => number;
  /** Resolves when this session may be heard: the sessions that ended before it began are told. */
  readonly after: Promise<unknown>;
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

/** While a daemon takes what waits, a Node process keeps running at least so long for each answer, ms. */
const LINGER_MS = 2000;

export function createOutbox(contact: Contact, options: OutboxOptions): Outbox {
  const { timers, chance, gatherMs, opening, onTrouble } = options;
  const queue = new IntentQueue(options, options.room);
  const pause = new Pause(timers);
  const firstId = newSessionId();
  let voice: Voice | undefined;
  /** The intents that are being sent. */
  let underway: readonly Intent[] = [];
  let isRunning = false;
  let isEnded = false;
  let isRefused = false;
  let isHurried = false;
  let cancelGathering: (() => void) | undefined;
  const drained: (() => void)[] = [];
  const drops = new Drops((trouble) => onTrouble({ ...trouble, session_id: voice?.sessionId ?? firstId }));

  const forget = (intents: readonly Intent[]): void => {
    for (const intent of intents) {
      if (intent.kind === "question") intent.unheard();
      else if (intent.kind === "events") intent.settled?.("unheard");
    }
  };
  const lose = (intents: readonly Intent[]): void => {
    drops.count(charactersIn(intents), eventsIn(intents));
    forget(intents);
  };
  const settle = (intent: Intent, of: Voice, taken: Taken): void => {
    if (intent.kind === "question") intent.ask(of);
    else if (intent.kind === "events") intent.settled?.(taken);
  };

  /** Publishes until a daemon has answered. "lost": the session is lost, and its events have to be rendered for another. */
  async function publish(of: Voice, events: readonly Fields[]): Promise<"taken" | "lost" | Fault> {
    for (let retry = 0; ; retry += 1) {
      if (events.length === 0) return "taken";
      try {
        await of.client.publishUntyped(events);
        drops.holeEnds();
        return "taken";
      } catch (caught) {
        const fault = faultFrom(caught);
        if (isEnded || of.isLost || contact.client() !== of.client) return "lost";
        if (!LATER.has(fault.code)) {
          if (!LOST.has(fault.code) || !of.hasStarted) return fault;
          of.isLost = true;
          drops.tell(lostSession());
          return "lost";
        }
        await pause.take(backOffMs(retry, chance(), options.backOff));
      }
    }
  }

  /** Publishes together, and part by part if that was refused. False: the session has to begin again. */
  async function deliverParts(of: Voice, intents: readonly Intent[]): Promise<boolean> {
    const undo = of.save();
    const start = of.hasStarted ? [] : opening(of);
    const events = rendered(of, intents);
    const together = events instanceof Fault ? events : await publish(of, [...start, ...events]);
    if (together === "lost") return false;
    if (together === "taken") {
      of.hasStarted = true;
      for (const intent of intents) settle(intent, of, "taken");
      return true;
    }
    undo();
    const [first, ...others] = intents;
    if (first === undefined || others.length > 0 || !of.hasStarted) return deliverApart(of, intents);
    refuse(of, first, events, together);
    return true;
  }

  async function deliverApart(of: Voice, intents: readonly Intent[]): Promise<boolean> {
    if (!of.hasStarted) {
      const started = await publish(of, opening(of));
      if (started === "lost") return false;
      if (started instanceof Fault) {
        const unheard = [...intents, ...queue.clear()];
        isRefused = true;
        lose(unheard);
        drops.tell(started);
        return true;
      }
      of.hasStarted = true;
    }
    for (const [index, intent] of intents.entries()) {
      const undo = of.save();
      const events = rendered(of, [intent]);
      const result = events instanceof Fault ? events : await publish(of, events);
      // The intents that were taken have been heard. The rest goes into the next session.
      if (result === "lost") return deliver(intents.slice(index)).then(() => true);
      if (result === "taken") settle(intent, of, "taken");
      else {
        undo();
        refuse(of, intent, events, result);
      }
    }
    return true;
  }

  function refuse(of: Voice, intent: Intent, events: readonly Fields[] | Fault, because: Fault): void {
    if (intent.kind === "text") drops.count(intent.text.length, 0);
    else drops.count(0, events instanceof Fault ? 1 : events.length);
    drops.tell(because);
    settle(intent, of, "refused");
  }

  async function deliver(intents: readonly Intent[]): Promise<void> {
    for (;;) {
      const client = await contact.found();
      if (isEnded || isRefused || (client === undefined && voice === undefined)) return forget(intents);
      if (client === undefined) {
        // The daemon that heard the beginning is gone, and there is no other.
        lose(intents);
        return drops.tellRest("peer_gone");
      }
      if (voice === undefined || voice.client !== client || voice.isLost) {
        // A daemon that loses each session as soon as it begins is not asked again at once.
        if (voice !== undefined) await pause.take(backOffMs(1, chance(), options.backOff));
        voice = createVoice(client, voice === undefined ? firstId : newSessionId());
      }
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
      await options.after;
      await contact.found();
      const release = keepRunning(LINGER_MS);
      await contact.audible();
      underway = queue.take();
      try {
        if (underway.length > 0) await deliver(underway);
      } catch (caught) {
        forget(underway);
        drops.tell(faultFrom(caught));
      }
      release();
      underway = [];
      queue.settled();
    } while (!queue.isEmpty && (isHurried || !queue.mayGrow));
    isRunning = false;
    if (queue.isEmpty) {
      for (const resolve of drained.splice(0)) resolve();
    } else gather();
  }

  const gather = (): void => {
    if (isRunning || cancelGathering !== undefined) return;
    const release = keepRunning(LINGER_MS);
    const cancel = timers.wakeAt(timers.now() + gatherMs, () => void run());
    cancelGathering = () => {
      release();
      cancel();
    };
  };
  const isMute = (): boolean => isEnded || contact.isMute();

  const add: Outbox["add"] = (intent, isEssential) => {
    if (isRefused || isMute()) {
      forget([intent]);
      return true;
    }
    const isTaken = queue.add(intent, isEssential);
    if (isTaken) void run();
    return isTaken;
  };

  return {
    sessionId: () => voice?.sessionId ?? firstId,
    isMute,
    text: (outputId, chunk) => {
      if (isMute()) return true;
      if (isRefused) return false;
      const isTaken = queue.text(outputId, chunk);
      if (isTaken && !isRunning && cancelGathering === undefined) gather();
      return isTaken;
    },
    add,
    refuse: () => {
      isRefused = true;
      drops.drop(0, 1);
    },
    drop: (characters, events) => drops.drop(characters, events),
    dropped: () => drops.characters,
    tell: (fault) => drops.tell(fault),
    lose: (isLost) => {
      if (voice?.hasStarted !== true || !isLost(voice.sessionId)) return;
      voice.isLost = true;
      // Listeners hear at once that the session goes on, also if its author has nothing to say now.
      if (!isHurried) add({ kind: "events", render: () => [] }, true);
    },
    drained: () => {
      isHurried = true;
      const isDrained = queue.isEmpty && !isRunning;
      if (!isDrained) void run();
      const nothingWaits = isDrained ? Promise.resolve() : new Promise<void>((resolve) => drained.push(resolve));
      return nothingWaits.then(() => drops.tellRest());
    },
    end: () => {
      isEnded = true;
      cancelGathering?.();
      pause.cutShort();
      // Without an answer nobody knows what of the last publish was heard.
      lose([...underway, ...queue.clear()]);
      drops.tellRest(contact.status().kind === "connected" ? "timed_out" : "peer_gone");
      for (const resolve of drained.splice(0)) resolve();
    },
  };
}

/** The events of intents, or why there are none: an author's event may be anything. */
function rendered(of: Voice, intents: readonly Intent[]): readonly Fields[] | Fault {
  try {
    return intents.flatMap(of.render);
  } catch (caught) {
    return faultFrom(caught);
  }
}

/** The fault of a lost session: a listener may have missed something. */
export function lostSession(): Fault {
  const sentence = "The daemon has lost the session, which begins again. Listeners may have missed events.";
  return new Fault("session_not_started", sentence, { origin: "local" });
}
