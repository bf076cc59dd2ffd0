// Lets a producer elsewhere be heard here (R38). Its events go in as an agent's. The relay tells and marks those that the daemon refuses, because
// the producer has acted anyway. Its questions are put to the listeners of this daemon, and the first reply goes back to it.
import { Fault, faultFrom } from "../../base/errors.js";
import { membersOf } from "../../base/members.js";
import type { AgentClient } from "../../client/agent/agent-client.js";
import type { QuestionOutcome } from "../../client/agent/questions.js";
import { newEventId, newSessionId } from "../../client/random-ids.js";
import type { Timers } from "../../client/timers.js";
import { readCursor } from "../../engine/event/cursor.js";
import type { Wording } from "../../engine/messages/wording.js";
import { PerMinute } from "./per-minute.js";
import { askProducer } from "./producer-http.js";
import { ProducerStream } from "./producer-stream.js";
import type { RelayNews } from "./relay-news.js";
import {
  breached,
  breachIn,
  CONTEXTS,
  ENDS,
  isCritical,
  isOver,
  type Message,
  namedOnly,
  nameOf,
  noEvent,
  producerAt,
  summaryOf,
  topicOf,
} from "./relayed-event.js";
import { isOfSession, newSession, notAnId, OF_ANOTHER, type RelayedSession, type SentText } from "./relayed-session.js";

export interface RelayOptions {
  /** The producer's base address, without a slash at its end. */
  readonly base: string;
  /** A client of this daemon, for this relay alone. */
  readonly client: Pick<AgentClient, "publish" | "confirm" | "clarify" | "cancel">;
  readonly words: Wording;
  readonly timers: Timers;
  /** From [0, 1). */
  readonly chance: () => number;
  /** Asked before each connection. Rejects with why the producer may not be heard from here at present. */
  readonly mayOpen: () => Promise<void>;
  /** Receives each state of the connection, each event that was heard, and then that it was refused. Must not throw. */
  readonly onNews: (news: RelayNews) => void;
}

/** UTF-16 units of the id of a session, which the relay remembers. */
const LONGEST_ID = 256;
/** Open sessions of one producer. The oldest is forgotten. */
const MOST_SESSIONS = 256;
/** Texts of one producer that wait for their answers. */
const MOST_TEXTS = 256;
/** Open questions of one producer: others ask here, too. */
const MOST_QUESTIONS = 16;
/** So many refused events are said a minute, and so many questions asked, so that a producer that errs always does not drown the others. */
const MOST_SAID = 20;
/** A gap of a session is told again after so long, ms. */
const GAP_AGAIN_MS = 60_000;
/** A producer that is away so long has given its sessions up, ms. */
const AWAY_MS = 60_000;

export class Relay {
  readonly #options: RelayOptions;
  readonly #stream: ProducerStream;
  readonly #sessions = new Map<string, RelayedSession>();
  #subscriptionId: string | undefined;
  /** Refused events that were said, and critical ones apart, so that nothing drowns those. */
  readonly #said = { usual: new PerMinute(MOST_SAID), critical: new PerMinute(MOST_SAID) };
  readonly #asked = new PerMinute(MOST_SAID);
  #questionCount = 0;
  #texts: SentText[] = [];
  /** Events that came with the id of another event, and have one of their own now. */
  readonly #renumbered = new WeakSet<Message>();
  #cancelGivingUp = (): void => {};

  constructor(options: RelayOptions) {
    this.#options = options;
    const { timers, onNews } = options;
    this.#stream = new ProducerStream({
      ...options,
      onOpen: (isWhole) => this.#opened(isWhole),
      onMessage: (message, fault) => this.#take(message, fault),
      onTaken: () => this.#settleTexts(),
      onLost: (fault) => {
        onNews({ kind: "lost", fault });
        this.#cancelGivingUp = timers.wakeAt(timers.now() + AWAY_MS, () => void this.#giveUp());
      },
    });
  }

  /** The journal whose places the producer names: it is an aaepd (R17). */
  get journal(): string | undefined {
    return readCursor(this.#stream.place)?.journalId;
  }

  /** Relays until `close`. Never rejects. */
  run(): Promise<void> {
    return this.#stream.run();
  }

  /** Another relay hears the producer: this one tries again later. */
  yieldTo(why: Fault): void {
    this.#stream.breakOff(why);
  }

  close(): void {
    this.#cancelGivingUp();
    this.#stream.close();
  }

  async #opened(isWhole: boolean): Promise<void> {
    this.#cancelGivingUp();
    this.#options.onNews({ kind: "connected" });
    if (!isWhole)
      for (const session of this.#sessions.values()) {
        const now = this.#options.timers.now();
        if (now - session.gapSaidAt < GAP_AGAIN_MS) continue;
        session.gapSaidAt = now;
        const gap = this.#options.words.say("relayGap", { name: nameOf(session.producer) });
        await this.#say(session, gap, {});
      }
    // A producer that knows no requests refuses this one, and its stream is taken as it comes.
    void this.#post({
      type: "subscription.request",
      aaep_version: "1.0.0",
      subscriber_id: "aaepd-relay",
      subscriber_name: "aaepd relay",
      capabilities: {
        supports_confirmation_reply: true,
        supports_clarification_reply: true,
        coalesce_boundaries: ["none"],
      },
    });
  }

  async #take(message: Message, unread: Fault | undefined): Promise<void> {
    const { type, subscription_id: subscription, session_id: remote, extensions } = message;
    const { onNews } = this.#options;
    if (type === "subscription.accepted" && typeof subscription === "string") this.#subscriptionId = subscription;
    // A message between daemon and subscriber.
    if (typeof type === "string" && typeof remote !== "string" && !type.includes("agent.")) return;
    onNews({ kind: "heard" });
    if (typeof type !== "string" || typeof remote !== "string" || remote.length > LONGEST_ID)
      return onNews({ kind: "refused", fault: noEvent() });
    // Another daemon's own words about its sessions: this daemon has its own. An outcome there is the end of the question here.
    const { by, decision, question } = membersOf(membersOf(extensions).aaepd);
    if (by === "daemon" && !ENDS.has(topicOf(message)) && !isCritical(message)) {
      if (decision !== undefined) this.#endQuestions(this.#sessions.get(remote), ({ event_id: id }) => id === question);
      return;
    }
    const session = this.#sessionOf(remote, message, unread);
    const event = this.#own(message, session);
    const topic = topicOf(event);
    // Only a daemon gives each event an id of its own, and in it no piece is refused while the next is taken.
    const isText = topic === "output.streaming" && unread === undefined && this.journal !== undefined;
    if (isText && session.hasBegun) return this.#sendText(session, event);
    await this.#settleTexts();
    if (!session.hasBegun && topic !== "session.started") await this.#begin(session);
    this.#endQuestions(session, (asked) => isOver(asked, event));
    if (unread === undefined) await this.#send(session, event);
    else await this.#refused(session, event, unread);
    if (ENDS.has(topic)) this.#sessions.delete(remote);
  }

  #sessionOf(remote: string, { producer }: Message, unread: Fault | undefined): RelayedSession {
    let session = this.#sessions.get(remote);
    if (session === undefined) {
      session = newSession(remote, this.#options.base);
      this.#sessions.set(remote, session);
      if (session.id !== remote) this.#options.onNews({ kind: "refused", fault: notAnId() });
      const [oldest] = this.#sessions.keys();
      if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined)
        void this.#lose(oldest, { type: "aaep:agent.session.cancelled", cancelled_by: "system" });
    }
    const given = membersOf(producer);
    session.isRelayed = / at \S+$/.test(nameOf(given));
    session.producer = producerAt(new URL(this.#options.base).host, given);
    // An event that could not be read has no limit but its length.
    if (unread !== undefined) session.producer = namedOnly(session.producer);
    return session;
  }

  /**
   * The event as it goes in here (R38). Members of the way on which it came are left out. So is its time: the clocks of two machines differ, and the
   * relay's own events stand between those of the producer.
   */
  #own(message: Message, { id, producer }: RelayedSession): Message {
    const { sequence_number: _, position: __, timestamp: ___, extensions, ...event } = message;
    const { aaepd: ____, ...others } = membersOf(extensions);
    const breach = breachIn(message);
    const kept = breach === undefined ? others : { ...others, aaepd: { breach } };
    return { ...event, session_id: id, producer, ...(Object.keys(kept).length > 0 ? { extensions: kept } : {}) };
  }

  /** A producer may send its text in many small pieces: none waits for the answer to another. */
  async #sendText(session: RelayedSession, event: Message): Promise<void> {
    const fault = this.#options.client.publish(event).then(() => undefined, faultFrom);
    this.#texts.push({ session, event, fault });
    if (this.#texts.length >= MOST_TEXTS) await this.#settleTexts();
  }

  /** Waits for the answers. Where the daemon has no such session, all that followed was refused with it, and is sent again in its order. */
  async #settleTexts(): Promise<void> {
    for (const { session, event, fault: answer } of this.#texts.splice(0)) {
      const fault = await answer;
      if (fault === undefined) continue;
      if (isOfSession(fault)) await this.#send(session, { ...event, session_id: session.id });
      else await this.#refused(session, event, fault);
    }
  }

  async #send(session: RelayedSession, event: Message): Promise<void> {
    const topic = topicOf(event);
    if (topic === "awaiting.confirmation" || topic === "awaiting.clarification")
      return this.#ask(session, event, topic);
    try {
      await this.#options.client.publish(event);
      this.#note(session, event);
    } catch (caught) {
      await this.#refused(session, event, faultFrom(caught));
    }
  }

  async #refused(session: RelayedSession, event: Message, fault: Fault): Promise<void> {
    const { code } = fault;
    const isOfAnother = OF_ANOTHER.has(code) && !(code === "session_already_started" && session.hasBegun);
    if (isOfAnother || code === "session_not_started") return this.#move(session, event, code);
    // Of the same id and other words: it is another event, whatever it says. Or it is from here, which shows when it has an id of its own.
    if (code === "event_id_reused") {
      if (session.hasBegun) this.#options.onNews({ kind: "refused", fault });
      const renumbered = { ...event, event_id: newEventId() };
      this.#renumbered.add(renumbered);
      return this.#send(session, renumbered);
    }
    this.#options.onNews({ kind: "refused", fault });
    const topic = topicOf(event);
    if (code === "state_mismatch") {
      const told = { ...event, from_state: session.state, ...breached(fault) };
      if (this.#mayBeSaid(told)) await this.#tell(session, told);
      return;
    }
    const urgency = isCritical(event) ? { urgency: "critical" } : {};
    await this.#say(session, summaryOf(event), { ...urgency, ...breached(fault) });
    // Nobody waits for a session that is over, whatever it has left open.
    if (ENDS.has(topic))
      await this.#tell(session, {
        type: "aaep:agent.session.cancelled",
        summary_normal: summaryOf(event),
        cancelled_by: "producer",
      });
  }

  /** Sends an event into a session that begins here now, under another id if somebody else has a session of the producer's id, or had one. */
  async #move(session: RelayedSession, event: Message, code: string): Promise<void> {
    const isStart = topicOf(event) === "session.started";
    // The daemon has the event, in a session of somebody else: the producer hears this daemon, or both hear a third. A producer that is no relay may
    // count its events alike in each session.
    if (this.#renumbered.has(event) && (session.isRelayed || code !== "session_ended")) return;
    // Another event may have moved the session meanwhile.
    const isFirst = event.session_id === session.id;
    if (isFirst && code !== "session_not_started") session.id = newSessionId();
    if (isStart || !isFirst || (await this.#begin(session)))
      await this.#send(session, { ...event, session_id: session.id });
  }

  /** Begins a session that had begun before this relay heard of it. Resolves with whether the daemon has it now. */
  #begin(session: RelayedSession): Promise<boolean> {
    session.state = "idle";
    return this.#tell(session, {
      type: "aaep:agent.session.started",
      summary_normal: this.#options.words.say("relayAtWork", { name: nameOf(session.producer) }),
    });
  }

  #ask(session: RelayedSession, event: Message, topic: "awaiting.confirmation" | "awaiting.clarification"): void {
    const { type: _, "@context": __, ...question } = event;
    const token = String(event.reply_token);
    if (this.#questionCount >= MOST_QUESTIONS || !this.#asked.take(this.#options.timers.now())) {
      const sentence = `Ask less: people hear ${MOST_QUESTIONS} questions of this producer at a time, and ${MOST_SAID} a minute.`;
      void this.#refused(session, event, new Fault("rate_limit", sentence, { rule: "AAEP §6.1" }));
      return;
    }
    const extensions = { ...membersOf(event.extensions), aaepd: { host_dialog: true } };
    const asked = { ...question, "@context": CONTEXTS, extensions };
    const { client } = this.#options;
    session.questions.set(token, event);
    this.#questionCount += 1;
    const outcome = topic === "awaiting.confirmation" ? client.confirm(asked) : client.clarify(asked);
    outcome.then(
      (told) => {
        this.#questionCount -= 1;
        session.questions.delete(token);
        if (told.resolved_by === "reply") void this.#answer(session, topic, token, told);
      },
      (caught) => {
        this.#questionCount -= 1;
        session.questions.delete(token);
        void this.#refused(session, event, faultFrom(caught));
      },
    );
  }

  /** Takes questions back that the producer has ended itself. */
  #endQuestions(session: RelayedSession | undefined, isEnded: (asked: Message) => boolean): void {
    for (const [token, asked] of session?.questions ?? []) {
      if (!isEnded(asked)) continue;
      session?.questions.delete(token);
      this.#options.client.cancel(token).catch(() => {});
    }
  }

  async #answer(session: RelayedSession, topic: string, token: string, outcome: QuestionOutcome): Promise<void> {
    const { decision, response } = outcome as { readonly decision?: unknown; readonly response?: unknown };
    const isTaken = await this.#post({
      type: topic.replace("awaiting.", "").concat(".reply"),
      reply_token: token,
      ...(this.#subscriptionId === undefined ? {} : { subscription_id: this.#subscriptionId }),
      ...(topic === "awaiting.confirmation" ? { decision } : { response }),
      timestamp: new Date().toISOString(),
    });
    if (isTaken) return;
    const words = this.#options.words.say("relayUnanswered", { name: nameOf(session.producer) });
    await this.#say(session, words, { urgency: "critical" });
  }

  /** Whether the producer has taken a message. */
  async #post(message: Message): Promise<boolean> {
    try {
      const answer = await askProducer(`${this.#options.base}/messages`, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(10_000),
      });
      answer.destroy();
      return answer.statusCode !== undefined && answer.statusCode >= 200 && answer.statusCode < 300;
    } catch {
      return false;
    }
  }

  /** Says words in the producer's name. */
  async #say(session: RelayedSession, words: string, members: Message): Promise<void> {
    const { state } = session;
    if (!this.#mayBeSaid(members)) return;
    await this.#tell(session, {
      "@context": CONTEXTS,
      type: "aaep:agent.state.changed",
      event_id: newEventId(),
      from_state: state,
      to_state: state,
      summary_normal: words,
      ...members,
    });
  }

  #mayBeSaid({ extensions, urgency }: Message): boolean {
    if (extensions === undefined) return true;
    const said = urgency === "critical" ? this.#said.critical : this.#said.usual;
    return said.take(this.#options.timers.now());
  }

  /** Publishes an event of the relay's own in a session. Resolves with whether the daemon has it. */
  async #tell(session: RelayedSession, event: Message): Promise<boolean> {
    const { id, producer } = session;
    try {
      await this.#options.client.publish({ session_id: id, producer: namedOnly(producer), ...event });
      this.#note(session, event);
      return true;
    } catch (caught) {
      const fault = faultFrom(caught);
      if (!OF_ANOTHER.has(fault.code)) this.#options.onNews({ kind: "refused", fault });
      return false;
    }
  }

  #note(session: RelayedSession, event: Message): void {
    session.hasBegun = true;
    if (topicOf(event) === "state.changed") session.state = String(event.to_state);
  }

  /** Ends the sessions of a producer that does not come back. */
  async #giveUp(): Promise<void> {
    const end = { type: "aaep:agent.session.errored", error_category: "transient", error_code: "RELAY_LOST" };
    for (const remote of [...this.#sessions.keys()]) await this.#lose(remote, end);
  }

  /** Ends a session of which nothing more is told. */
  async #lose(remote: string, end: Message): Promise<void> {
    const session = this.#sessions.get(remote);
    this.#sessions.delete(remote);
    if (session === undefined || !session.hasBegun) return;
    await this.#tell(session, {
      ...end,
      summary_normal: this.#options.words.say("relayLost", { name: nameOf(session.producer) }),
    });
  }
}
