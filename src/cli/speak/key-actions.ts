// The action of each key.
import { hostMarkIn } from "../../adapters/host-marks.js";
import type { BrailleDisplay } from "../../braille/braille-display.js";
import type { Subscription } from "../../client/listener/types.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import { startedByAgent, whyNoPerson } from "../../daemon/listener-lineage.js";
import type { Part, Speech } from "../../speak/speech.js";
import type { SpeechQueue } from "../../speak/speech-queue.js";
import { detailsPage } from "../questions/asked-question.js";
import { counted } from "../terminal/amounts.js";
import type { HeardText } from "../terminal/heard-texts.js";
import { KEYS, type KeyAnswer, type KeyCommand, type KeyMessage, type KeyName } from "./key-names.js";
import { type NarratedSession, type Narrator, questionSource } from "./narrator.js";
import { languageOf, named, own, revealedPart, textOfParts, theirs } from "./spoken-parts.js";
import { listParts, type SpokenQuestions, wholeParts } from "./spoken-questions.js";

interface KeyActionsOptions {
  readonly queue: SpeechQueue;
  readonly narrator: Narrator;
  readonly questions: SpokenQuestions;
  readonly subscription: Subscription;
  readonly display: BrailleDisplay | undefined;
  /** Nothing is spoken: a question counts as said where it was read. */
  readonly isReadOnly: boolean;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
}

/** Time in which a second `stop` is meant for the agent that the first one named, ms. */
const STOP_AGAIN_MS = 15_000;
/** Agents that `where` tells, the newest first. */
const MOST_TOLD = 5;
const MOST_MUTED_MINUTES = 1440;
const NOT_CONNECTED = "Not sent: its daemon is not connected at the moment.";

export class KeyActions {
  readonly #options: KeyActionsOptions;
  #cancelMute = (): void => {};
  #stopAsked: { readonly session: NarratedSession; readonly until: Millis } | undefined;
  readonly #actions: Readonly<Record<KeyName, (message: KeyMessage) => KeyAnswer>> = {
    hush: () => this.#hush(),
    skip: () => this.#skip(),
    again: () => this.#read(this.#options.narrator.texts.again()),
    back: () => this.#read(this.#options.narrator.texts.back()),
    where: () => this.#where(),
    pause: () => this.#pause(),
    resume: () => this.#resume(),
    mute: ({ words: [minutes] }) => this.#mute(minutes),
    questions: () => this.#readQuestions(),
    details: () => this.#details(),
    answer: (message) => this.#answer(message),
    braille: ({ words: [which] }) => this.#braille(which),
    stop: ({ words }) => this.#stop(words.join(" ")),
  };

  constructor(options: KeyActionsOptions) {
    this.#options = options;
  }

  /** `processId`: the program that was started for the key, where the system tells. */
  pressed(message: KeyMessage, processId?: number): KeyAnswer {
    if (message.key === "who") return { said: String(process.pid) };
    const key: KeyCommand = KEYS[message.key];
    const why = key.isPersons === true ? whyNotPressed(message, processId) : undefined;
    if (why !== undefined) return { said: why, isRefused: true };
    return this.#actions[message.key](message);
  }

  /** Says it at once, in place of what the key before said, and tells the key. */
  #say(parts: readonly Part[], isRefused = false, onSaid?: () => void, rank: Speech["rank"] = "answer"): KeyAnswer {
    const { queue, display, isReadOnly } = this.#options;
    const speech = { source: "key", rank, parts };
    const noted = { ...speech, ...(onSaid && { onSaid }) };
    display?.answer(noted);
    queue.remove("key");
    queue.add(isReadOnly ? speech : noted);
    return { said: textOfParts(parts), ...(isRefused && { isRefused }) };
  }

  #tell(text: string): KeyAnswer {
    return this.#say([own(text)]);
  }

  #refuse(text: string): KeyAnswer {
    return this.#say([own(text)], true);
  }

  /** A key that makes silent says nothing. */
  #hush(): KeyAnswer {
    const source = this.#options.queue.hush() ?? this.#betweenSentences();
    if (source === undefined) return { said: "Nothing is spoken." };
    this.#options.narrator.endSource(source);
    return { said: "Silent." };
  }

  /** The output whose next sentence its agent is writing. */
  #betweenSentences(): string | undefined {
    const { queue, narrator } = this.#options;
    return queue.lastOutput !== undefined && narrator.isOpen(queue.lastOutput) ? queue.lastOutput : undefined;
  }

  #skip(): KeyAnswer {
    const { queue, narrator, subscription } = this.#options;
    const source = queue.skip() ?? this.#betweenSentences();
    if (source === undefined) return { said: "Nothing is spoken." };
    narrator.endSource(source);
    const output = narrator.outputOf(source);
    if (output !== undefined) subscription.skip(output);
    return { said: "Skipped." };
  }

  #read(text: HeardText | string): KeyAnswer {
    const { narrator, questions } = this.#options;
    if (typeof text === "string") return this.#refuse(text);
    const question = narrator.questionOf(text);
    if (question !== undefined)
      return this.#say(wholeParts(questions, question), false, () => questions.noteSaid(question));
    const parts = narrator.partsOfText(text);
    const said = textOfParts(parts).trim() === "" ? [theirs(text.text, text.language)] : parts;
    return this.#say(said, false, undefined, "reading");
  }

  #where(): KeyAnswer {
    const { narrator, questions, queue } = this.#options;
    const sessions = [...narrator.sessions.values()].reverse().slice(0, MOST_TOLD);
    const open = questions.open().length;
    return this.#say([
      ...(sessions.length === 0 ? [own("No agent is at work.")] : []),
      ...sessions.flatMap(({ name, latest }) => [...named(name, ":", latest.language), latest]),
      ...(open === 0 ? [] : [own(`${counted(open, "open question")}.`)]),
      ...(queue.waitingCount === 0 ? [] : [own(`${counted(queue.waitingCount, "text")} waiting.`)]),
      ...(queue.held === "no" ? [] : [own(queue.held === "paused" ? "Paused." : `The sound is off.${this.#missed()}`)]),
    ]);
  }

  /** Texts that came while the sound was off; "" if there are none. */
  #missed(): string {
    const { missedCount } = this.#options.narrator;
    return missedCount === 0 ? "" : ` ${counted(missedCount, "text")} came meanwhile.`;
  }

  /** A daemon that refuses, or is away, holds nothing back: the queue does. */
  #pace(paused: boolean): void {
    this.#options.subscription.renegotiate({ aaepd: { paused } }).catch(() => {});
  }

  #pause(): KeyAnswer {
    this.#cancelMute();
    this.#options.queue.hold("paused");
    this.#pace(true);
    return this.#tell("Paused.");
  }

  #resume(): KeyAnswer {
    const { queue, narrator } = this.#options;
    this.#cancelMute();
    const answer = this.#tell(`${queue.held === "muted" ? "The sound is on again." : "Speaking on."}${this.#missed()}`);
    narrator.missedCount = 0;
    if (queue.held === "paused") this.#pace(false);
    if (queue.held === "muted") narrator.askAgain();
    queue.resume();
    return answer;
  }

  #mute(minutes: string | undefined): KeyAnswer {
    const { queue, narrator, clock } = this.#options;
    const amount = minutes === undefined ? undefined : Number(minutes);
    if (amount !== undefined && !(amount > 0 && amount <= MOST_MUTED_MINUTES))
      return this.#refuse(`Give minutes, up to ${MOST_MUTED_MINUTES}.`);
    this.#cancelMute();
    if (queue.held === "paused") this.#pace(false);
    const span = amount === undefined ? "until resume" : `for ${counted(amount, "minute")}`;
    const answer = this.#tell(`The sound is off ${span}.`);
    narrator.missedCount += queue.hold("muted");
    if (amount !== undefined) this.#cancelMute = clock.wakeAt(clock.now() + amount * 60_000, () => this.#resume());
    return answer;
  }

  #readQuestions(): KeyAnswer {
    const { questions } = this.#options;
    const last = questions.open().at(-1);
    // The question that was read last is the one that an answer means.
    return this.#say(listParts(questions), false, last && (() => questions.noteSaid(last)));
  }

  #details(): KeyAnswer {
    const { questions } = this.#options;
    const question = questions.lastSaid() ?? questions.open().at(-1);
    if (question === undefined) return this.#refuse("No question was asked.");
    const { event } = question.asked;
    const { lines, next } = detailsPage(event, question.detailsTold, {
      details: "details",
      repeat: "questions",
    });
    question.detailsTold = next;
    return this.#say(lines.map((line) => revealedPart(line, languageOf(event))));
  }

  #answer({ words, question: number }: KeyMessage): KeyAnswer {
    const { questions, subscription, queue } = this.#options;
    const read = questions.answer(words.join(" "), number);
    if (read.kind === "none") return this.#refuse(read.why);
    const { question } = read;
    const isSent =
      read.kind === "leave"
        ? subscription.leave({ reply_token: question.asked.token })
        : subscription.reply(read.reply);
    if (!isSent) return this.#refuse(NOT_CONNECTED);
    // An answered question is not read on.
    queue.remove(questionSource(question));
    return this.#tell(`Sent for question ${question.number}: ${read.kind === "leave" ? "leave." : read.said}`);
  }

  /** Fingers feel that it has changed: nothing is said. */
  #braille(which: string | undefined): KeyAnswer {
    const { display } = this.#options;
    if (display === undefined) return this.#refuse("Braille is off. To start with it: aaepd speak --braille");
    const wanted = which ?? (display.isTaken ? "release" : "take");
    if (wanted === "release") display.giveBack();
    else if (wanted !== "take") return this.#refuse("Say take or release.");
    else if (!display.take()) return this.#refuse("There is no braille display at the moment.");
    return { said: wanted === "take" ? "The braille display shows aaepd." : "The braille display is given back." };
  }

  #stop(name: string): KeyAnswer {
    const { narrator, subscription, clock } = this.#options;
    const sessions = [...narrator.sessions.values()].reverse();
    const isMeant = (one: NarratedSession): boolean => one.name.toLowerCase().startsWith(name.toLowerCase());
    const asked = this.#stopAsked;
    // Another agent may have been heard since the person was asked back.
    const isAsked = asked !== undefined && clock.now() < asked.until && isMeant(asked.session);
    const session = isAsked && sessions.includes(asked.session) ? asked.session : sessions.find(isMeant);
    if (session === undefined)
      return this.#refuse(`No agent ${name === "" ? "" : `of the name ${name.slice(0, 40)} `}is at work.`);
    const isAgain = isAsked && asked.session === session;
    this.#stopAsked = isAgain ? undefined : { session, until: clock.now() + STOP_AGAIN_MS };
    if (!isAgain) return this.#tell(`Stop ${session.name}? Once more stops it.`);
    return subscription.stop(session.event) ? this.#tell(`Sent: stop ${session.name}.`) : this.#refuse(NOT_CONNECTED);
  }
}

/** Why a key that is a person's alone does nothing (R5d). The names of variables count where the system tells nothing of the program. */
function whyNotPressed({ variables }: KeyMessage, processId: number | undefined): string | undefined {
  const mark = hostMarkIn(Object.fromEntries(variables.map((name) => [name, "set"])));
  if (mark !== undefined) return startedByAgent(mark);
  return processId === undefined ? undefined : whyNoPerson(processId);
}
