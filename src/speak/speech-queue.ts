// The queue decides which utterance is next. One is in flight, and the next follows its end. Other programs that speak go first: an utterance that
// they cut off is said again.
import { Fault } from "../base/errors.js";
import { withResolvers } from "../base/with-resolvers.js";
import type { Clock, Millis } from "../contracts/clock.js";
import { piecesOf } from "./pieces.js";
import type { Speech } from "./speech.js";
import type { Outcome, Utterance, Voice } from "./voice.js";

export interface SpeechQueueOptions {
  readonly voice: Voice;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** Reports that nothing can be spoken, once, with the last fault, and then that it can again. */
  readonly onSilent: (fault: Fault) => void;
  readonly onHeard: () => void;
  /** Reports that an utterance has waited long for its begin. It goes on waiting. */
  readonly onUnbegun: () => void;
  /** Reports that the rest of a speech waits, because somebody else kept speaking. */
  readonly onParked: (speech: Speech) => void;
}

/** Speeches of one rank stand in the order in which they came. */
const RANKS: readonly Speech["rank"][] = ["answer", "critical", "reading", "text", "passing"];

/** The wait before an utterance is said again that somebody else has cut off, ms, and how often that is done. */
const QUIET_MS = 700;
const MOST_AGAIN = 3;
/** Failures in a row after which nothing is tried for a while. */
const MOST_FAILURES = 3;
const SILENT_MS = 30_000;
/** Critical speeches that wait at most: some ten minutes. */
const MOST_CRITICAL = 100;
/** Characters that wait, from which on `room` holds the source of speeches back. */
const ROOM = 20_000;
/** How long an utterance may wait for its begin, ms, until that is told: others may speak, or may have paused everything. */
const UNBEGUN_MS = 30_000;
/** An utterance that has begun counts as lost without an end after this, ms, and so much for each character: twice the time of the slowest voice. */
const LATE_MS = 5000;
const CHARACTER_MS = 250;

interface Entry {
  readonly speech: Speech;
  /** Utterances that were not said to their end yet. */
  readonly left: Utterance[];
  hasBegun: boolean;
  /** How often somebody else has cut its first utterance off. */
  cutCount: number;
}

interface Flight {
  readonly entry: Entry;
  cancelTimer: () => void;
  /** This side has ended it. */
  isOurs: boolean;
  isOver: boolean;
}

export class SpeechQueue {
  readonly #options: SpeechQueueOptions;
  #entries: Entry[] = [];
  #flight: Flight | undefined;
  #held: "no" | "paused" | "muted" = "no";
  /** Sources whose rest waits for `resume` or for the next critical speech. */
  readonly #parked = new Set<string>();
  #failures = 0;
  /** Nothing begins before. */
  #quietUntil: Millis = 0;
  #cancelWait = (): void => {};
  #room: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #waitingCharacters = 0;
  #lastOutput: string | undefined;
  #isClosed = false;

  constructor(options: SpeechQueueOptions) {
    this.#options = options;
  }

  /** The speech that is being said, or is said next. */
  get current(): Speech | undefined {
    return (this.#flight?.entry ?? this.#entries[0])?.speech;
  }

  /** The output that was said last; undefined while the sound is held. Between two of its sentences nothing waits. */
  get lastOutput(): string | undefined {
    return this.#held === "no" ? this.#lastOutput : undefined;
  }

  /** Texts that wait behind the speech that is being said. */
  get waitingCount(): number {
    return this.#countOf("text");
  }

  get held(): "no" | "paused" | "muted" {
    return this.#held;
  }

  /**
   * Says it in its turn. False: it was dropped, because the sound is off, because it only passes and there is no silence, or because 100 critical
   * ones wait.
   */
  add(speech: Speech): boolean {
    const isQuiet = this.#entries.length === 0 && this.#held === "no" && this.#options.clock.now() >= this.#quietUntil;
    if (this.#isClosed || (speech.rank === "passing" && !isQuiet)) return false;
    if (speech.rank === "text" && this.#held === "muted") return false;
    if (speech.rank === "critical" && this.#countOf("critical") >= MOST_CRITICAL) return false;
    const entry = { speech, left: utterancesOf(speech), hasBegun: false, cutCount: 0 };
    if (entry.left.length === 0) {
      speech.onSaid?.();
      return true;
    }
    const rank = RANKS.indexOf(speech.rank);
    const at = this.#entries.findIndex((one) => RANKS.indexOf(one.speech.rank) > rank);
    this.#entries.splice(at < 0 ? this.#entries.length : at, 0, entry);
    this.#waitingCharacters += lengthOf(entry);
    const spoken = this.#flight?.entry.speech.rank;
    const isUrgent = rank <= RANKS.indexOf("reading");
    if (spoken !== undefined && RANKS.indexOf(spoken) > rank) this.#giveWay();
    // Somebody else's words hold back neither the first words of a critical speech nor what a key asks for.
    if (isUrgent && this.#failures < MOST_FAILURES) this.#quietUntil = 0;
    this.#goOn();
    return true;
  }

  /** Resolves when there is room for more text; undefined: there is. */
  room(): Promise<void> | undefined {
    if (this.#waitingCharacters < ROOM) return undefined;
    this.#room ??= withResolvers();
    return this.#room.promise;
  }

  /** Ends the speech that is being said, and the text that waits. Critical speeches go on. Returns the source that was ended. */
  hush(): string | undefined {
    return this.#end(({ rank }) => rank !== "critical");
  }

  /** Ends the speech that is being said, with everything of its source, and goes on to the next. Returns the source. */
  skip(): string | undefined {
    return this.#end(() => false);
  }

  /** Takes everything of a source out, as when its question has ended. */
  remove(source: string): void {
    this.#drop((speech) => speech.source === source);
  }

  /**
   * Holds text back, or everything but answers: then text that waits is dropped. The utterance in flight is said again afterwards. Returns how many
   * texts were dropped.
   */
  hold(how: "paused" | "muted"): number {
    this.#held = how;
    const texts = how === "muted" ? this.#entries.filter(({ speech }) => speech.rank === "text") : [];
    if (how === "muted") this.#drop(({ rank }) => rank === "text" || rank === "passing");
    if (this.#flight !== undefined && !this.#mayBeSaid(this.#flight.entry)) {
      this.#giveWay();
      this.#options.voice.cancel();
    }
    return texts.length;
  }

  /** Goes on, also with what somebody else has cut off too often. */
  resume(): void {
    this.#held = "no";
    this.#unpark();
    this.#goOn();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelWait();
    this.#flight?.cancelTimer();
    this.#entries = [];
    this.#makeRoom();
  }

  #countOf(rank: Speech["rank"]): number {
    const said = this.#flight?.entry;
    return this.#entries.filter((one) => one.speech.rank === rank && one !== said).length;
  }

  /** A speech that is held back does not end: nobody has said it yet. */
  #end(isOther: (speech: Speech) => boolean): string | undefined {
    const current = this.#flight?.entry.speech ?? (this.#held === "no" ? this.current : undefined);
    if (current === undefined) return undefined;
    this.#drop((speech) => speech.source === current.source || isOther(speech));
    return current.source;
  }

  #drop(isMeant: (speech: Speech) => boolean): void {
    const dropped = this.#entries.filter(({ speech }) => isMeant(speech));
    if (dropped.length === 0) return;
    this.#entries = this.#entries.filter((one) => !dropped.includes(one));
    for (const one of dropped) this.#waitingCharacters -= lengthOf(one);
    if (this.#flight !== undefined && dropped.includes(this.#flight.entry)) {
      this.#giveWay();
      this.#options.voice.cancel();
    }
    this.#makeRoom();
    this.#goOn();
  }

  /** The utterance in flight is said again later, unless it only passes. */
  #giveWay(): void {
    if (this.#flight === undefined) return;
    const { entry } = this.#flight;
    this.#flight.cancelTimer();
    this.#flight.isOurs = true;
    this.#flight = undefined;
    if (entry.speech.rank === "passing") this.#entries = this.#entries.filter((one) => one !== entry);
  }

  #mayBeSaid({ speech }: Entry): boolean {
    if (speech.rank === "answer" || speech.rank === "reading") return true;
    return this.#held === "paused" ? speech.rank === "critical" : this.#held === "no";
  }

  #goOn(): void {
    if (this.#flight !== undefined || this.#isClosed) return;
    const entry = this.#entries.find((one) => this.#mayBeSaid(one) && !this.#parked.has(one.speech.source));
    const [utterance] = entry?.left ?? [];
    if (entry === undefined || utterance === undefined) return;
    const { clock, voice } = this.#options;
    this.#cancelWait();
    if (clock.now() < this.#quietUntil) {
      this.#cancelWait = clock.wakeAt(this.#quietUntil, () => this.#goOn());
      return;
    }
    const cancelTimer = clock.wakeAt(clock.now() + UNBEGUN_MS, this.#options.onUnbegun);
    const flight: Flight = { entry, cancelTimer, isOurs: false, isOver: false };
    this.#flight = flight;
    void voice.speak(utterance, () => this.#begun(flight, utterance)).then((outcome) => this.#landed(flight, outcome));
  }

  #begun(flight: Flight, utterance: Utterance): void {
    if (this.#flight !== flight) return;
    const { entry } = flight;
    const { clock } = this.#options;
    flight.cancelTimer();
    const lateAt = clock.now() + utterance.text.length * CHARACTER_MS + LATE_MS;
    flight.cancelTimer = clock.wakeAt(lateAt, () => this.#isLate(flight));
    if (!entry.hasBegun) entry.speech.onBegun?.();
    entry.hasBegun = true;
  }

  #isLate(flight: Flight): void {
    if (flight.isOver) return;
    flight.isOver = true;
    if (this.#flight === flight) {
      this.#flight = undefined;
      this.#options.voice.cancel();
      this.#failed(undefined);
    }
    this.#goOn();
  }

  #landed(flight: Flight, outcome: Outcome): void {
    flight.cancelTimer();
    if (flight.isOver || this.#isClosed) return;
    flight.isOver = true;
    if (this.#flight === flight) this.#flight = undefined;
    const { entry, isOurs } = flight;
    if (outcome.kind === "done") this.#saidOne(entry);
    // An utterance that this side has ended is gone, or begins again in its turn.
    else if (!isOurs && outcome.kind === "cancelled") this.#cutOff(entry);
    else if (!isOurs && outcome.kind === "failed") this.#failed(outcome.fault);
    this.#goOn();
  }

  #saidOne(entry: Entry): void {
    if (this.#failures >= MOST_FAILURES) this.#options.onHeard();
    this.#failures = 0;
    entry.cutCount = 0;
    if (entry.speech.isOutput === true) this.#lastOutput = entry.speech.source;
    const said = entry.left.shift();
    // It may have been hushed in the moment in which it ended.
    if (!this.#entries.includes(entry)) return;
    this.#waitingCharacters -= said?.text.length ?? 0;
    if (entry.left.length === 0) {
      this.#entries.splice(this.#entries.indexOf(entry), 1);
      if (entry.speech.rank === "critical") this.#unpark();
      entry.speech.onSaid?.();
    }
    this.#makeRoom();
  }

  #cutOff(entry: Entry): void {
    const { speech } = entry;
    this.#quietUntil = this.#options.clock.now() + QUIET_MS;
    entry.cutCount += 1;
    if (speech.rank === "passing") this.#drop((one) => one === speech);
    else if ((speech.rank === "text" || speech.rank === "reading") && entry.cutCount > MOST_AGAIN) {
      this.#parked.add(speech.source);
      this.#options.onParked(speech);
    }
  }

  /** Says the utterance again over another connection: at once, and after some failures after a while. */
  #failed(fault: Fault | undefined): void {
    this.#failures += 1;
    this.#options.voice.reset();
    if (this.#failures === MOST_FAILURES) this.#options.onSilent(fault ?? noEnd());
    if (this.#failures >= MOST_FAILURES) this.#quietUntil = this.#options.clock.now() + SILENT_MS;
  }

  #unpark(): void {
    for (const entry of this.#entries) if (this.#parked.has(entry.speech.source)) entry.cutCount = 0;
    this.#parked.clear();
  }

  #makeRoom(): void {
    if (this.#waitingCharacters >= ROOM && !this.#isClosed) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}

function lengthOf({ left }: Entry): number {
  return left.reduce((sum, { text }) => sum + text.length, 0);
}

function utterancesOf({ rank, opening, parts }: Speech): Utterance[] {
  const priority = rank === "passing" ? "notification" : "text";
  const rest = parts.flatMap(({ text, ...part }) =>
    piecesOf(text).map((piece) => ({ ...part, text: piece, priority }) as const),
  );
  return opening === undefined ? rest : [{ ...opening, priority: "important" }, ...rest];
}

function noEnd(): Fault {
  return new Fault("timed_out", "The speech has begun, and its end is not told.", { origin: "local" });
}
