// Makes speeches of events, by the table of the mode.
import type { Envelope } from "#gen/aaep/types.js";
import { keepNewest } from "../../base/keep-newest.js";
import { membersOf, textOf } from "../../base/members.js";
import type { BrailleDisplay } from "../../braille/braille-display.js";
import { isCritical } from "../../client/event-types.js";
import type { Clock, Millis } from "../../contracts/clock.js";
import type { Part, Speech } from "../../speak/speech.js";
import type { SpeechQueue } from "../../speak/speech-queue.js";
import { endsSession, summaryOf } from "../terminal/event-text.js";
import { createHeardTexts, type HeardText, type HeardTexts, leftOutOf } from "../terminal/heard-texts.js";
import { createSignsOfLife, type SignsOfLife } from "../terminal/signs-of-life.js";
import { kindOf, type Mode, NARRATION } from "./narration-table.js";
import { createSpokenOutput, gistOf, type SpokenOptions, type SpokenOutput, wordsOf } from "./spoken-output.js";
import {
  asSentence,
  gapParts,
  languageOf,
  lastSentence,
  named,
  own,
  revealedPart,
  shortName,
  spokenName,
  textOfParts,
  theirs,
} from "./spoken-parts.js";
import type { SpokenQuestion, SpokenQuestions } from "./spoken-questions.js";

export interface NarratorOptions {
  readonly queue: SpeechQueue;
  readonly questions: SpokenQuestions;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  readonly mode: Mode;
  /** `names`: who speaks and what happens, without the words of agents. `none`: nothing but answers to keys. */
  readonly aloud: "all" | "names" | "none";
  /** Where the agent of an event is, as in "ssh library"; "" for an agent here. */
  readonly placeOf: (event: Envelope) => string;
  readonly speakable: Pick<SpokenOptions, "code" | "links" | "emoji">;
  /** The braille display, which has each word whatever is said aloud. */
  readonly display?: Pick<BrailleDisplay, "add"> | undefined;
  /** Nothing is spoken: a question counts as said where it was read. */
  readonly isReadOnly?: boolean;
}

/** A session that is open. */
export interface NarratedSession {
  readonly event: Envelope;
  readonly name: string;
  /** Its latest words, for the key `where`. */
  latest: Part;
  lastOutput: HeardText | undefined;
}

interface Output {
  readonly heard: HeardText;
  /** Its newest chunk, without what is told of it but once. */
  latest: Envelope;
  readonly spoken: SpokenOutput;
}

/** The same words of progress and of states are said once in this time, ms. */
const REPEATED_MS = 10_000;
const MOST_REMEMBERED = 256;
/** Open sessions and outputs that are remembered, the newest. */
const MOST_OPEN = 1024;
/** A summary of so few words, as in "Done.", says nothing of what was done. */
const FEW_WORDS = 3;

export class Narrator {
  /** The open sessions by their ids, the one that was heard last at the end. */
  readonly sessions = new Map<string, NarratedSession>();
  readonly texts: HeardTexts = createHeardTexts();
  /** Texts that were not said because the sound was off. */
  missedCount = 0;
  readonly #options: NarratorOptions;
  readonly #asked = new WeakMap<HeardText, SpokenQuestion>();
  readonly #outputs = new Map<string, Output>();
  /** Outputs of which a person wants to hear no more. */
  readonly #ended = new Set<string>();
  /** Sessions that have ended. */
  readonly #over = new Set<string>();
  readonly #repeated = new Map<string, Millis>();
  readonly #signs: SignsOfLife;
  #lastNamed = "";
  #isCrowdTold = false;
  /** Something of the present event is said. */
  #isHeard = false;

  constructor(options: NarratorOptions) {
    this.#options = options;
    this.#signs = createSignsOfLife(options.clock, (event, words) => {
      if (NARRATION[options.mode].progress === "never") return;
      const name = this.sessions.get(event.session_id)?.name ?? spokenName(event);
      const parts = named(name, `: ${words}.`, languageOf(event));
      this.#add({ source: "aaepd", rank: "passing", parts });
    });
  }

  /** No sign of life follows. */
  close(): void {
    this.#signs.close();
  }

  /** Takes an event with the short spelling of its type. */
  heard(event: Envelope): void {
    const { questions } = this.#options;
    this.#isHeard = false;
    const session = this.#sessionOf(event);
    const kind = kindOf(event);
    if (kind === "question") this.#question(event, session);
    else {
      const ended = questions.heard(event);
      for (const one of ended) this.#options.queue.remove(questionSource(one));
      if (kind === "outcome") this.#say(event, outcomeParts(event, ended[0]));
      else if (kind === "text") this.#text(event, session);
      else if (kind === "end") this.#end(event, session);
      else this.#say(event, this.#partsOf(event, kind, session));
    }
    // Critical events overtake others: what comes behind the end of a session is said, and wakes no agent.
    if (!this.#over.has(event.session_id)) this.#signs.heard(event, this.#isHeard);
    if (!endsSession(event)) return;
    this.sessions.delete(event.session_id);
    this.#over.add(event.session_id);
    keepNewest(this.#over, MOST_OPEN);
  }

  /** Says what waits of the texts of a session, before any other event of it but progress is said, as the daemon releases text for it (R30). */
  finishTexts(event: Envelope): void {
    const kind = kindOf(event);
    const isPassing = kind === "text" || kind === "progress" || (kind === "state" && event.urgency === "background");
    if (isPassing || NARRATION[this.#options.mode].text === "never") return;
    for (const [source, { latest, spoken }] of this.#outputs)
      if (latest.session_id === event.session_id && !this.#ended.has(source))
        this.#say(latest, [spoken.flush()], undefined, source);
  }

  /** Says words of the daemon's own in their turn. */
  tell(text: string): void {
    this.#add({ source: "aaepd", rank: "text", parts: [own(text)] });
  }

  /** Says that an answer did not count: as urgent as its question was, which may have ended. */
  tellNotTaken(token: string): void {
    const number = this.#options.questions.numberOf(token);
    const opening = own(number === undefined ? "A question:" : `Question ${number}:`);
    this.#add({ source: `notice\n${token}`, rank: "critical", opening, parts: [own("The answer did not count.")] });
  }

  /** A question has ended while nobody here could hear it. */
  endUnheard(question: SpokenQuestion): void {
    this.#options.questions.forget(question);
    this.#options.queue.remove(questionSource(question));
    this.tell(`Question ${question.number} is over.`);
  }

  /** Leaves the rest of this source unsaid. */
  endSource(source: string): void {
    this.#ended.add(source);
    keepNewest(this.#ended, MOST_OPEN);
  }

  /** Whether more of this output may come. */
  isOpen(source: string): boolean {
    const output = this.#outputs.get(source);
    return output !== undefined && !this.#ended.has(source) && !this.#over.has(output.latest.session_id);
  }

  /** The output of a source, as the daemon names it; undefined for a source of another kind. */
  outputOf(source: string): { readonly session_id: string; readonly output_id?: string } | undefined {
    const [kind, session_id = "", output_id = ""] = source.split("\n");
    return kind === "output" ? { session_id, ...(output_id === "" ? {} : { output_id }) } : undefined;
  }

  /** The words of a heard text, code included. */
  partsOfText(heard: HeardText): readonly Part[] {
    const { speaker, language, text } = heard;
    const words = wordsOf(text, { ...this.#options.speakable, code: "read", language });
    return [...named(speaker, ":", language), words, own(leftOutOf(heard))];
  }

  /** The open question that this text asks; undefined if there is none. */
  questionOf(text: HeardText): SpokenQuestion | undefined {
    const question = this.#asked.get(text);
    return question && this.#options.questions.byToken(question.asked.token);
  }

  #sessionOf(event: Envelope): NarratedSession {
    const { session_id: id } = event;
    const place = this.#options.placeOf(event);
    const name = place === "" ? spokenName(event) : `${spokenName(event)} from ${place}`;
    const session = this.sessions.get(id) ?? { event, name, latest: own("has begun."), lastOutput: undefined };
    if (kindOf(event) === "start") this.#over.delete(id);
    if (this.#over.has(id)) return session;
    this.sessions.delete(id);
    this.sessions.set(id, session);
    keepNewest(this.sessions, MOST_OPEN);
    return session;
  }

  #question(event: Envelope, session: NarratedSession): void {
    const { questions } = this.#options;
    const question = questions.ask(event);
    if (question === undefined) {
      // A handoff asks nothing that could be answered here. A question that has come before is known.
      if (event.reply_token === undefined)
        this.#say(
          event,
          [revealedPart(summaryOf(event) || textOf(event.reason), languageOf(event))],
          named(shortName(event), " hands over.", languageOf(event)),
        );
      return;
    }
    const words = questions.parts(question).filter(({ isOwn }) => !isOwn);
    const heard = this.texts.add({ speaker: session.name, language: languageOf(event) }, textOfParts(words));
    this.#asked.set(heard, question);
    this.#add(this.#speechOf(question));
  }

  /** Asks what was not said to its end yet with the time that is left by now. */
  askAgain(): void {
    const { questions, queue } = this.#options;
    for (const question of questions.open()) {
      if (question.saidAt !== undefined) continue;
      queue.remove(questionSource(question));
      this.#speak(this.#speechOf(question));
    }
  }

  #speechOf(question: SpokenQuestion): Speech {
    const { questions, clock, placeOf } = this.#options;
    const { event } = question.asked;
    const [opening, ...more] = named(shortName(event), " asks.", languageOf(event));
    const place = placeOf(event);
    return {
      source: questionSource(question),
      rank: "critical",
      ...(opening && { opening }),
      parts: [...more, ...(place === "" ? [] : [own(`From ${place}.`)]), ...questions.parts(question)],
      onBegun: () => {
        question.begunAt = clock.now();
      },
      onSaid: () => questions.noteSaid(question),
    };
  }

  #partsOf(event: Envelope, kind: ReturnType<typeof kindOf>, session: NarratedSession): readonly Part[] {
    const language = languageOf(event);
    const summary = summaryOf(event);
    const words = (text: string): Part => wordsOf(text, { ...this.#options.speakable, language });
    switch (kind) {
      case "error":
        return [words(summary), words(textOf(event.remediation_hint))];
      case "start":
        return [...named(session.name, " begins.", language), words(summary)];
      case "tool":
        if (!event.type.endsWith("completed")) return [words(summary || textOf(event.tool))];
        return event.status === "error"
          ? [own("A tool has failed:"), words(summary || textOf(event.error_message) || textOf(event.tool))]
          : [];
      case "progress": {
        const { percent, step, total_steps: total, description } = membersOf(event.progress);
        const amount =
          typeof percent === "number"
            ? `${percent} percent.`
            : typeof step === "number"
              ? `Step ${step}${typeof total === "number" ? ` of ${total}` : ""}.`
              : "";
        return [own(amount), words(textOf(description) || summary)];
      }
      default:
        return [words(summary || textOf(event.to_state).replace(/.$/, "$&.").replaceAll("_", " "))];
    }
  }

  #text(event: Envelope, session: NarratedSession): void {
    const { speakable } = this.#options;
    const source = `output\n${event.session_id}\n${textOf(event.output_id)}`;
    const language = languageOf(event);
    let output = this.#outputs.get(source);
    if (output === undefined) {
      const heard = this.texts.add({ speaker: session.name, language }, "");
      output = { heard, latest: event, spoken: createSpokenOutput({ ...speakable, language }) };
      this.#outputs.set(source, output);
      keepNewest(this.#outputs, MOST_OPEN);
    }
    session.lastOutput = output.heard;
    output.latest = { ...event, extensions: {} };
    const chunk = textOf(event.chunk);
    this.texts.append(output.heard, chunk);
    const isLast = event.complete === true;
    if (isLast) this.#outputs.delete(source);
    if (NARRATION[this.#options.mode].text === "never") {
      if (isLast && this.#options.mode === "done")
        this.#options.display?.add({ source, rank: "text", parts: this.partsOfText(output.heard) });
      return;
    }
    const words = output.spoken.push(chunk, isLast);
    if (!this.#ended.has(source)) this.#say(event, [words], undefined, source);
  }

  #end(event: Envelope, { lastOutput, name }: NarratedSession): void {
    const isDone = event.type.endsWith("completed");
    const language = languageOf(event);
    const options = { ...this.#options.speakable, language };
    const summary = wordsOf(summaryOf(event), options);
    const parts = [...named(name, isDone ? " is done." : " has stopped.", language)];
    if (!isDone || summary.text.trim().split(/\s+/).length > FEW_WORDS) parts.push(summary);
    else if (lastOutput !== undefined && NARRATION[this.#options.mode].text === "never") {
      const { first, rest } = gistOf(lastOutput, options);
      parts.push(theirs(first, lastOutput.language), own(rest));
    }
    this.#say(event, parts);
  }

  /** Says it as the table wants it. A critical event of any kind is said now (R4). */
  #say(event: Envelope, given: readonly Part[], opening?: readonly Part[], source = event.event_id): void {
    const kind = kindOf(event);
    const { [kind]: usual } = NARRATION[this.#options.mode];
    const how = isCritical(event) && kind !== "outcome" ? "now" : usual;
    const parts = [...gapParts(event), ...given].filter(({ text }) => text.trim() !== "");
    const [first] = parts;
    if (first === undefined) return;
    const session = this.sessions.get(event.session_id);
    if (session !== undefined) session.latest = lastSentence(parts.findLast(({ isOwn }) => !isOwn) ?? first);
    if (how === "never" || this.#isRepeated(kind, parts)) return;
    const language = languageOf(event);
    const short = shortName(event);
    if (how === "now") {
      const [begins, ...more] = opening ?? named(short, kind === "error" ? " failed." : ", important.", language);
      const speech = { source, rank: "critical", isOutput: kind === "text", parts: [...more, ...parts] } as const;
      this.#add({ ...speech, ...(begins && { opening: begins }) });
      this.#lastNamed = "";
      return;
    }
    const name = session?.name ?? short;
    const isNamed = (first.isOwn && first.text.startsWith(name)) || this.#lastNamed === name;
    const speech = {
      source,
      rank: how === "silence" ? "passing" : "text",
      isOutput: kind === "text",
      parts: isNamed ? parts : [...named(name, ".", language), ...parts],
    } as const;
    if (this.#add(speech)) this.#lastNamed = name;
  }

  #add(speech: Speech): boolean {
    if (speech.rank !== "passing") this.#options.display?.add(speech);
    return this.#speak(speech);
  }

  #speak(speech: Speech): boolean {
    const { aloud, queue, isReadOnly } = this.#options;
    if (aloud === "none") return false;
    const { onSaid, ...unnoted } = speech;
    const parts = aloud === "all" ? speech.parts : speech.parts.filter(({ isOwn }) => isOwn).map(asSentence);
    const isTaken = queue.add({ ...(aloud === "all" && !isReadOnly ? speech : unnoted), parts });
    this.#isHeard ||= isTaken;
    if (!isTaken && queue.held === "muted" && speech.rank === "text") this.missedCount += 1;
    if (!isTaken && speech.rank === "critical") this.#tellCrowd();
    return isTaken;
  }

  /** Says once behind what waits that more came. */
  #tellCrowd(): void {
    if (this.#isCrowdTold) return;
    const parts = [
      own("Errors and questions were left out, because 100 waited. aaepd questions reads the open questions."),
    ];
    const onSaid = (): void => {
      this.#isCrowdTold = false;
    };
    this.#isCrowdTold = this.#options.queue.add({ source: "aaepd", rank: "text", parts, onSaid });
  }

  #isRepeated(kind: string, parts: readonly Part[]): boolean {
    if (kind !== "progress" && kind !== "state") return false;
    const now = this.#options.clock.now();
    const words = parts.map(({ text }) => text).join("\n");
    const saidAt = this.#repeated.get(words);
    if (saidAt !== undefined && now - saidAt < REPEATED_MS) return true;
    this.#repeated.delete(words);
    this.#repeated.set(words, now);
    keepNewest(this.#repeated, MOST_REMEMBERED);
    return false;
  }
}

export function questionSource({ asked }: SpokenQuestion): string {
  return `question\n${asked.token}`;
}

/** The outcome of a question, and where this side did not decide it, the daemon's text about it. */
function outcomeParts(event: Envelope, ended: SpokenQuestion | undefined): readonly Part[] {
  const { decision, decided_by } = event.extensions?.aaepd ?? {};
  const outcome = own(`${ended === undefined ? "The question" : `Question ${ended.number}`}: ${textOf(decision)}.`);
  return decided_by === "reply" ? [outcome] : [outcome, revealedPart(summaryOf(event), languageOf(event))];
}
