// Sends the intents of a session in their order: one publish at a time, in a new voice if a daemon has lost the session.
import { Fault, type FaultCode, faultFrom } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import { newSessionId } from "../random-ids.js";
import { backOffMs, keepRunning, Pause } from "../timers.js";
import type { AgentTrouble } from "./agent-options.js";
import type { AgentSettings, Contact } from "./contact.js";
import { Drops } from "./drops.js";
import { charactersIn, eventsIn, IntentQueue, type QueueRoom } from "./intent-queue.js";
import { type Intent, type Taken, type TextIntent, Voice } from "./voice.js";

export interface OutboxServices {
  readonly options: AgentSettings;
  readonly contact: Contact;
  readonly room: QueueRoom;
  readonly onTrouble: (trouble: AgentTrouble) => void;
  /** Resolves when this session may be heard: the sessions that ended before it began are told. */
  readonly after: Promise<unknown>;
  /** The events that begin a session. */
  readonly opening: (voice: Voice) => readonly Members[];
}

/** Codes of a daemon that may take the same events later. */
const PUBLISH_LATER: ReadonlySet<FaultCode> = new Set<FaultCode>([
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

export class Outbox {
  readonly drops: Drops;
  readonly #options: AgentSettings;
  readonly #services: OutboxServices;
  readonly #queue: IntentQueue;
  readonly #pause: Pause;
  readonly #firstId = newSessionId();
  #voice: Voice | undefined;
  /** The intents that are being sent. */
  #underway: readonly Intent[] = [];
  #isRunning = false;
  #isEnded = false;
  #isRefused = false;
  #isHurried = false;
  #cancelGathering: (() => void) | undefined;
  readonly #waitForEmpty: (() => void)[] = [];

  constructor(services: OutboxServices) {
    const { options, room, onTrouble } = services;
    this.#options = options;
    this.#services = services;
    this.#queue = new IntentQueue(options, room);
    this.#pause = new Pause(options.timers);
    this.drops = new Drops((trouble) => onTrouble({ ...trouble, session_id: this.sessionId }));
  }

  get sessionId(): string {
    return this.#voice?.sessionId ?? this.#firstId;
  }

  /** Whether nothing is sent: there is no daemon, or none that takes the session. */
  get isMute(): boolean {
    return this.#isEnded || this.#services.contact.isMute;
  }

  /** Sends text soon; false if it was dropped. */
  text(outputId: string, chunk: string): boolean {
    if (this.isMute) return true;
    if (this.#isRefused) return false;
    const isTaken = this.#queue.text(outputId, chunk);
    if (isTaken) this.#gather();
    return isTaken;
  }

  /** Sends an intent at once; false if it was dropped. */
  add(intent: Exclude<Intent, TextIntent>, isEssential?: boolean): boolean {
    if (this.#isRefused || this.isMute) {
      forget([intent]);
      return true;
    }
    const isTaken = this.#queue.add(intent, isEssential);
    if (isTaken) void this.#run();
    return isTaken;
  }

  /** Takes nothing of this session: there is no room for it. */
  refuse(): void {
    this.#isRefused = true;
    this.drops.drop(0, 1);
  }

  /** A daemon has lost sessions. */
  lose(isLost: (sessionId: string) => boolean): void {
    const voice = this.#voice;
    if (voice?.hasStarted !== true || !isLost(voice.sessionId)) return;
    voice.isLost = true;
    // Listeners hear at once that the session goes on, also if its author has nothing to say now.
    if (!this.#isHurried) this.add({ kind: "events", render: () => [] }, true);
  }

  /** Resolves when nothing waits, and everything dropped is told. */
  async drained(): Promise<void> {
    this.#isHurried = true;
    if (!this.#queue.isEmpty || this.#isRunning) {
      void this.#run();
      await new Promise<void>((resolve) => this.#waitForEmpty.push(resolve));
    }
    this.drops.tellRest();
  }

  /** Sends nothing more. Text that waits is dropped. */
  end(): void {
    this.#isEnded = true;
    this.#cancelGathering?.();
    this.#pause.cutShort();
    // Without an answer nobody knows what of the last publish was heard.
    this.#lose([...this.#underway, ...this.#queue.clear()]);
    this.drops.tellRest(this.#services.contact.status.kind === "connected" ? "timed_out" : "peer_gone");
    for (const resolve of this.#waitForEmpty.splice(0)) resolve();
  }

  #gather(): void {
    if (this.#isRunning || this.#cancelGathering !== undefined) return;
    const { timers, gatherMs } = this.#options;
    const release = keepRunning(LINGER_MS);
    const cancel = timers.wakeAt(timers.now() + gatherMs, () => void this.#run());
    this.#cancelGathering = () => {
      release();
      cancel();
    };
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#cancelGathering?.();
    this.#cancelGathering = undefined;
    const { after, contact } = this.#services;
    do {
      // Calls of the same turn are sent together.
      await after;
      await contact.found();
      const release = keepRunning(LINGER_MS);
      await contact.audible();
      this.#underway = this.#queue.take();
      try {
        if (this.#underway.length > 0) await this.#deliver(this.#underway);
      } catch (caught) {
        forget(this.#underway);
        this.drops.tell(faultFrom(caught));
      }
      release();
      this.#underway = [];
      this.#queue.settled();
    } while (!this.#queue.isEmpty && (this.#isHurried || !this.#queue.mayGrow));
    this.#isRunning = false;
    if (this.#queue.isEmpty) {
      for (const resolve of this.#waitForEmpty.splice(0)) resolve();
    } else this.#gather();
  }

  async #deliver(intents: readonly Intent[]): Promise<void> {
    const { contact } = this.#services;
    for (;;) {
      const client = await contact.found();
      if (this.#isEnded || this.#isRefused || (client === undefined && this.#voice === undefined))
        return forget(intents);
      if (client === undefined) {
        // The daemon that heard the beginning is gone, and there is no other.
        this.#lose(intents);
        return this.drops.tellRest("peer_gone");
      }
      if (this.#voice === undefined || this.#voice.client !== client || this.#voice.isLost) {
        // A daemon that loses each session as soon as it begins is not asked again at once.
        if (this.#voice !== undefined) await this.#waitToRetry(1);
        this.#voice = new Voice(client, this.#voice === undefined ? this.#firstId : newSessionId());
      }
      if (await this.#deliverIn(this.#voice, intents)) return;
    }
  }

  /** Publishes together, and part by part if that was refused. False: the session has to begin again. */
  async #deliverIn(voice: Voice, intents: readonly Intent[]): Promise<boolean> {
    const undo = voice.save();
    const start = voice.hasStarted ? [] : this.#services.opening(voice);
    const events = rendered(voice, intents);
    const together = events instanceof Fault ? events : await this.#publish(voice, [...start, ...events]);
    if (together === "lost") return false;
    if (together === "taken") {
      voice.hasStarted = true;
      for (const intent of intents) settle(intent, voice, "taken");
      return true;
    }
    undo();
    const [first, ...others] = intents;
    if (first === undefined || others.length > 0 || !voice.hasStarted) return this.#deliverApart(voice, intents);
    this.#refuse(voice, first, events, together);
    return true;
  }

  async #deliverApart(voice: Voice, intents: readonly Intent[]): Promise<boolean> {
    if (!voice.hasStarted) {
      const started = await this.#publish(voice, this.#services.opening(voice));
      if (started === "lost") return false;
      if (started instanceof Fault) {
        const unheard = [...intents, ...this.#queue.clear()];
        this.#isRefused = true;
        this.#lose(unheard);
        this.drops.tell(started);
        return true;
      }
      voice.hasStarted = true;
    }
    for (const [index, intent] of intents.entries()) {
      const undo = voice.save();
      const events = rendered(voice, [intent]);
      const result = events instanceof Fault ? events : await this.#publish(voice, events);
      // The intents that were taken have been heard. The rest goes into the next session.
      if (result === "lost") return this.#deliver(intents.slice(index)).then(() => true);
      if (result === "taken") settle(intent, voice, "taken");
      else {
        undo();
        this.#refuse(voice, intent, events, result);
      }
    }
    return true;
  }

  /** Publishes until a daemon has answered. "lost": the session is lost, and its events have to be rendered for another. */
  async #publish(voice: Voice, events: readonly Members[]): Promise<"taken" | "lost" | Fault> {
    for (let retry = 0; ; retry += 1) {
      if (events.length === 0) return "taken";
      try {
        await voice.client.publish(events);
        this.drops.holeEnds();
        return "taken";
      } catch (caught) {
        const fault = faultFrom(caught);
        if (this.#isEnded || voice.isLost || this.#services.contact.client !== voice.client) return "lost";
        if (!PUBLISH_LATER.has(fault.code)) {
          if (!LOST.has(fault.code) || !voice.hasStarted) return fault;
          voice.isLost = true;
          this.drops.tell(lostSession());
          return "lost";
        }
        await this.#waitToRetry(retry);
      }
    }
  }

  #waitToRetry(retry: number): Promise<void> {
    return this.#pause.take(backOffMs(retry, this.#options.chance(), this.#options.backOff));
  }

  #refuse(voice: Voice, intent: Intent, events: readonly Members[] | Fault, because: Fault): void {
    if (intent.kind === "text") this.drops.count(intent.text.length, 0);
    else this.drops.count(0, events instanceof Fault ? 1 : events.length);
    this.drops.tell(because);
    settle(intent, voice, "refused");
  }

  #lose(intents: readonly Intent[]): void {
    this.drops.count(charactersIn(intents), eventsIn(intents));
    forget(intents);
  }
}

/** Nobody takes these. */
function forget(intents: readonly Intent[]): void {
  for (const intent of intents) {
    if (intent.kind === "question") intent.unheard();
    else if (intent.kind === "events") intent.settled?.("unheard");
  }
}

function settle(intent: Intent, voice: Voice, taken: Taken): void {
  if (intent.kind === "question") intent.ask(voice);
  else if (intent.kind === "events") intent.settled?.(taken);
}

/** The events of intents, or why there are none: an author's event may be anything. */
function rendered(voice: Voice, intents: readonly Intent[]): readonly Members[] | Fault {
  try {
    return intents.flatMap((intent) => voice.render(intent));
  } catch (caught) {
    return faultFrom(caught);
  }
}

/** The fault of a lost session: a listener may have missed something. */
export function lostSession(): Fault {
  const sentence = "The daemon has lost the session, which begins again. Listeners may have missed events.";
  return new Fault("session_not_started", sentence, { origin: "local" });
}
