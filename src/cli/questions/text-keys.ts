// The words of `aaepd speak` that mean something in a text: what is shown of it, and what of it is told again.
import type { Envelope } from "#gen/aaep/types.js";
import { keepNewest } from "../../base/keep-newest.js";
import { textOf } from "../../base/members.js";
import type { Clock } from "../../contracts/clock.js";
import { piecesOf } from "../../speak/pieces.js";
import { agentText, createReadText, shownName } from "../terminal/agent-text.js";
import { counted } from "../terminal/amounts.js";
import { chunkOf, endsSession, eventText } from "../terminal/event-text.js";
import { createHeardTexts, type HeardText, leftOutOf } from "../terminal/heard-texts.js";
import { KEY_HELP } from "./answer-help.js";
import type { TextKey } from "./typed-answer.js";

/** The daemon of an output. */
export interface KeySource {
  readonly skip: (output: { readonly session_id: string; readonly output_id?: string }) => boolean;
}

export interface TextKeysOptions {
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** Prints a line of the command's own. */
  readonly say: (line: string) => void;
  /** Prints a line of an agent's. */
  readonly tell: (line: string) => void;
  /** Lets all daemons hold text back, or go on. */
  readonly pace: (isPaused: boolean) => void;
}

interface Output {
  readonly source: KeySource;
  readonly id: { readonly session_id: string; readonly output_id?: string };
  readonly text: HeardText;
  isHushed: boolean;
}

const MOST_OUTPUTS = 1024;
/** Agents that `where` tells, the newest first. */
const MOST_TOLD = 5;
/** Critical events and states of connections that wait while nothing is shown; the oldest are left out. */
const MOST_HELD = 1000;
const MOST_MUTED_MINUTES = 1440;

export class TextKeys {
  readonly #options: TextKeysOptions;
  readonly #texts = createHeardTexts();
  readonly #outputs = new Map<string, Output>();
  /** The last words of each agent, the newest at the end. */
  readonly #latest = new Map<string, string>();
  readonly #read = createReadText("braille", { code: "read" });
  #last: Output | undefined;
  /** Lines to show later, while nothing is shown. */
  #held: (() => void)[] | undefined;
  #isPaused = false;
  #cancelMute = (): void => {};
  readonly #actions: Readonly<Record<TextKey, (number: number | undefined) => void>> = {
    hush: () => this.#hush(false),
    skip: () => this.#hush(true),
    again: () => this.#readAgain(this.#texts.again()),
    back: () => this.#readAgain(this.#texts.back()),
    where: () => this.#where(),
    pause: () => {
      const waited = this.#endMute();
      this.#pause("Paused. Questions and errors come. resume goes on.");
      for (const show of waited) show();
    },
    resume: () => this.#resume(),
    mute: (minutes) => this.#mute(minutes),
    keys: () => {
      for (const line of KEY_HELP) this.#options.say(line);
    },
  };

  constructor(options: TextKeysOptions) {
    this.#options = options;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Takes an event. Returns whether the person wants to see nothing of it. */
  heard(source: KeySource, event: Envelope): boolean {
    const { session_id } = event;
    const speaker = shownName(event);
    const chunk = chunkOf(event);
    const words = piecesOf(chunk === undefined ? eventText(event).text : agentText(chunk)).at(-1);
    if (words !== undefined) {
      this.#latest.delete(session_id);
      this.#latest.set(session_id, `${speaker}: ${words}`);
      keepNewest(this.#latest, MOST_OUTPUTS);
    }
    if (endsSession(event)) this.#latest.delete(session_id);
    if (chunk === undefined) return false;
    this.#last = this.#outputOf(source, event, speaker);
    this.#texts.append(this.#last.text, chunk);
    return this.#last.isHushed;
  }

  /** Keeps what is to be shown while nothing is shown, and returns whether that is so. */
  holds(show: () => void): boolean {
    if (this.#held === undefined) return false;
    this.#held.push(show);
    if (this.#held.length > MOST_HELD) this.#held.shift();
    return true;
  }

  pressed(key: TextKey, number: number | undefined): void {
    this.#actions[key](number);
  }

  close(): void {
    this.#cancelMute();
  }

  #outputOf(source: KeySource, event: Envelope, speaker: string): Output {
    const { session_id } = event;
    const output_id = textOf(event.output_id);
    const name = `${session_id}\n${output_id}`;
    const text = { speaker, language: textOf(event.language) || "en" };
    const id = { session_id, ...(output_id === "" ? {} : { output_id }) };
    const output = this.#outputs.get(name) ?? { source, id, text: this.#texts.add(text, ""), isHushed: false };
    this.#outputs.set(name, output);
    keepNewest(this.#outputs, MOST_OUTPUTS);
    if (event.complete === true) this.#outputs.delete(name);
    return output;
  }

  /** `isSkipped`: the daemon sends no more of it, and what waited behind it comes at once. */
  #hush(isSkipped: boolean): void {
    const last = this.#last;
    if (last !== undefined) last.isHushed = true;
    if (isSkipped) last?.source.skip(last.id);
    this.#options.say(last === undefined ? "There is no text yet." : `No more of this text of ${last.text.speaker}.`);
  }

  #readAgain(text: HeardText | string): void {
    const { say, tell } = this.#options;
    if (typeof text === "string") say(text);
    else {
      const event = { localization_hints: { primary_language: text.language } } as unknown as Envelope;
      const pieces = piecesOf(this.#read(text.text, event, false)).map(agentText);
      for (const [index, piece] of pieces.entries()) tell(index === 0 ? `${text.speaker}: ${piece}` : piece);
      if (text.leftOut > 0) say(leftOutOf(text));
    }
  }

  #where(): void {
    const { say, tell } = this.#options;
    const all = [...this.#latest.values()].reverse().slice(0, MOST_TOLD);
    if (all.length === 0) say("No agent is at work.");
    for (const line of all) tell(line);
    if (this.#held !== undefined) say(`Nothing is shown. ${counted(this.#held.length, "line")} waiting.`);
    else if (this.#isPaused) say("Paused. Text waits.");
  }

  #pause(words: string): void {
    const { say, pace } = this.#options;
    this.#isPaused = true;
    pace(true);
    say(words);
  }

  #resume(): void {
    const { say, pace } = this.#options;
    const waited = this.#endMute();
    const count = waited.length === 0 ? "" : ` ${counted(waited.length, "line")} waited.`;
    say(this.#isPaused ? `Going on.${count}` : "Nothing is held back.");
    if (this.#isPaused) pace(false);
    this.#isPaused = false;
    for (const show of waited) show();
  }

  /** Returns what waited to be shown. */
  #endMute(): readonly (() => void)[] {
    this.#cancelMute();
    const waited = this.#held ?? [];
    this.#held = undefined;
    return waited;
  }

  #mute(minutes: number | undefined): void {
    const { say, clock } = this.#options;
    if (minutes === 0 || (minutes ?? 1) > MOST_MUTED_MINUTES) {
      say(`Give minutes, up to ${MOST_MUTED_MINUTES}.`);
      return;
    }
    this.#cancelMute();
    this.#held ??= [];
    const span = minutes === undefined ? "until resume" : `for ${counted(minutes, "minute")}`;
    this.#pause(`Nothing is shown ${span}. Questions wait.`);
    if (minutes !== undefined) this.#cancelMute = clock.wakeAt(clock.now() + minutes * 60_000, () => this.#resume());
  }
}
