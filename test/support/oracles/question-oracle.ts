// What comes of questions, and what each party is told of them, in which order: a machine that knows the rules and nothing of the engine (AAEP ch. 6;
// R3a, R5 to R8b, R19, R28, R29, R40). It plays the steps of question-plans.ts, in one session.
import {
  AGENT_GRACE_MS,
  AGENTS,
  type Agent,
  ASKS,
  type Ask,
  AWAY_MS,
  CONFIDENCE,
  DECIDED_BY,
  KILLS,
  LINGER_MS,
  LISTENERS,
  type Listener,
  type Plan,
  RATIONALE,
  REPLIES,
  type ReplyForm,
  type ReplyName,
  SCENES,
  type Step,
  WALL_STEP_MS,
} from "./question-plans.js";

/** What each party was told in one step, and what the caller was answered. */
export type Told = Readonly<Record<string, readonly string[]>>;

type DefaultedBy = "timeout" | "no_subscriber" | "subscription_ended";

interface Decision {
  /** The members of the outcome, as the agent and the log get them. */
  readonly outcome: Readonly<Record<string, unknown>>;
  /** What was decided and by whom, in the terms of the resolution. */
  readonly says: string;
  /** The clock on the wall at that instant. */
  readonly at: number;
  /** What the log says of who decided. */
  readonly line?: string;
}

interface Question {
  readonly name: string;
  readonly ask: Ask;
  at: number;
  /** When it was asked, by the clock on the wall. After a restart that counts (R40). */
  keptWall: number;
  isRestored: boolean;
  hadAudience: boolean;
  isWaiting: boolean;
  graceAt: number | undefined;
  reminders: { readonly at: number; readonly percent: number }[];
  due: DefaultedBy | undefined;
  retryAt: number | undefined;
  retryOrder: number;
}

/** A subscription. */
interface Ear {
  isAble: boolean;
  isBlocked: boolean;
  readonly untaken: { readonly line: string; readonly question?: Question }[];
  readonly asked: Set<string>;
  readonly shown: Set<string>;
  notTakenFrom: number;
}

/** What outlives a kill, once it is written. */
interface Kept {
  isEnded: boolean;
  /** The agent's state as it was last told, its own, and the one before it began to wait. */
  told: string;
  state: string;
  before: string;
  current: string;
  /** The daemon has said that the agent does not wait any more (R3a). */
  isRestored: boolean;
  isAwaitingImplied: boolean;
  questions: Question[];
  /** Tokens of accepted confirmations that no call has used up (R5). */
  permits: string[];
  outcomes: (readonly [name: string, outcome: string])[];
}

const AWAITING = "awaiting_input";
const RETRY_MS = 1000;
/** R19 */
const NOT_TAKEN_EVERY_MS = 1000;

const deadlineOf = ({ at, ask }: Question): number => at + ASKS[ask].seconds * 1000;
const isOpen = ({ due }: Question): boolean => due === undefined;
const isHosted = ({ ask }: Question): boolean => "host_dialog" in marksOf(ask);
const marksOf = (ask: Ask): object => {
  const form = ASKS[ask];
  return "marks" in form ? form.marks : {};
};
const isConfirmation = ({ ask }: Question): boolean => ASKS[ask].kind === "confirmation";

const NEW: Kept = {
  isEnded: false,
  told: "thinking",
  state: "thinking",
  before: "thinking",
  current: "thinking",
  isRestored: false,
  isAwaitingImplied: false,
  questions: [],
  permits: [],
  outcomes: [],
};

export class QuestionOracle {
  private now = 0;
  private disk: "writes" | "waits" | "fails" = "writes";
  private kept: Kept = structuredClone(NEW);
  private written: Kept = structuredClone(NEW);
  private owner: Agent | undefined = "X";
  private graceUntil: number | undefined;
  private returnUntil = Number.NEGATIVE_INFINITY;
  private agents = new Set<Agent>(AGENTS);
  private isYGone = false;
  private ears = new Map<Listener, Ear>();
  private askers = new Map<string, Set<Agent>>();
  /** Y has asked or published in the session by its token. */
  private hasYPart = false;
  private hasBAnswered = false;
  /** Outcomes that are told when the disk has them. */
  private unsafe: { readonly question: Question; readonly decision: Decision }[] = [];
  private told: Record<string, string[]> = {};
  private step = 0;
  private count = 0;
  private retryCount = 0;
  private isOver = false;
  private wall: number;
  private readonly graces: (typeof SCENES)[Plan["scene"]];

  constructor(scene: Plan["scene"], wall: number) {
    this.wall = wall;
    this.graces = SCENES[scene];
  }

  /** Whether a step can follow: nobody speaks who is not there. */
  can(step: Step): boolean {
    const [who = "", ...words] = step.split(" ");
    const act = words.join(" ");
    if (this.isOver) return false;
    if (isListener(who)) return this.canHear(who, act);
    if (isAgent(who)) return this.canPublish(who, act);
    switch (step) {
      case "the disk waits":
        return this.disk === "writes";
      case "the disk fails":
        return this.disk !== "fails" && this.unsafe.length === 0 && this.owner !== undefined && !this.hasReminders();
      case "the disk writes":
        return this.disk !== "writes";
      case "killed with the decision written":
        return this.disk === "waits" && this.unsafe.length > 0;
      case "stopped":
      case "ended":
        return this.disk === "writes";
      default:
        return true;
    }
  }

  /** Plays a step, and says what everybody is told. */
  play(step: Step): Told {
    this.told = {};
    this.step += 1;
    const [who = "", ...words] = step.split(" ");
    const act = words.join(" ");
    if (isListener(who)) this.hear(who, act);
    else if (isAgent(who)) this.publish(who, act);
    else this.happen(step);
    if (this.disk === "writes") this.write();
    this.say("status", `${this.kept.questions.length} open`);
    return this.told;
  }

  private hasReminders(): boolean {
    return this.kept.questions.some(({ reminders }) => reminders.length > 0);
  }

  private canHear(who: Listener, act: string): boolean {
    const ear = this.ears.get(who);
    if (act === "comes") return ear === undefined && !(who === "B" && this.isYGone);
    if (ear === undefined) return false;
    if (act === "takes") return ear.isBlocked;
    if (act === "goes") return true;
    if (act === "blocks") return !ear.isBlocked;
    if (act === "gives up") return ear.isAble && !ear.isBlocked;
    if (act === "may again") return !ear.isAble && !ear.isBlocked;
    if (act === "accepts before a late timer") return this.isTimerNext();
    if (act === "leaves it" && this.disk === "fails") return false;
    return act === "lists" || this.count > 0;
  }

  /** Whether the newest question's deadline is what comes next. */
  private isTimerNext(): boolean {
    const one = this.pending();
    return one !== undefined && isOpen(one) && deadlineOf(one) === this.next();
  }

  private canPublish(who: Agent, act: string): boolean {
    if (this.disk === "fails") return this.agents.has(who) && isPublished(act);
    if (act === "takes over") return who === "X" || !this.isYGone;
    if (!this.agents.has(who)) return false;
    if (act === "asks for long" && this.disk !== "writes") return false;
    const isAboutQuestion = act === "takes it back" || act.startsWith("tells");
    return !isAboutQuestion || this.count > 0;
  }

  // The parties.

  private say(party: string, line: string): void {
    this.told[party] = [...(this.told[party] ?? []), line];
  }

  private sayAll(line: string): void {
    for (const who of this.ears.keys()) this.hand(who, line);
  }

  /** Hands a line to a subscription; a question is shown to whom it is handed (R6). */
  private hand(who: Listener, line: string, question?: Question): void {
    const ear = this.ears.get(who);
    if (ear === undefined) return;
    if (ear.isBlocked) ear.untaken.push(question === undefined ? { line } : { line, question });
    else {
      this.say(who, line);
      if (question !== undefined) this.show(who, question);
    }
  }

  private show(who: Listener, { name }: Question): void {
    const shown = this.ears.get(who)?.shown;
    if (shown?.has(name) === true) return;
    shown?.add(name);
    this.say("shown", `${name} to ${who}`);
  }

  /** R5, R5d, R6. */
  private canAnswer(who: Listener): boolean {
    const isTheAgents = who === "C" || (who === "B" && (this.owner === "Y" || this.hasYPart));
    return this.ears.get(who)?.isAble === true && !isTheAgents;
  }

  private ask(who: Listener, question: Question): void {
    const asked = this.ears.get(who)?.asked;
    if (asked?.has(question.name) === true) return;
    asked?.add(question.name);
    this.hand(who, `question ${question.name}`, question);
  }

  // The audience (R6, R7, R8b).

  private checkAll(): void {
    for (const one of [...this.kept.questions]) this.check(one);
  }

  private check(one: Question): void {
    if (!isOpen(one)) return;
    if ([...this.ears.keys()].some((who) => this.canAnswer(who))) {
      one.hadAudience = true;
      one.graceAt = undefined;
      this.setWaiting(one, true);
      return;
    }
    const mayReturn = one.isRestored && (!one.hadAudience || this.graceUntil !== undefined);
    if (one.graceAt !== undefined || mayReturn) return;
    const { reconnectGraceMs, confirmationGraceMs } = this.graces;
    const graceMs = one.hadAudience ? reconnectGraceMs : Math.max(confirmationGraceMs, this.returnUntil - this.now);
    if (graceMs === 0) {
      this.comeDue(one, one.hadAudience ? "subscription_ended" : "no_subscriber");
      return;
    }
    this.setWaiting(one, false);
    one.graceAt = this.now + graceMs;
  }

  private setWaiting(one: Question, isWaiting: boolean): void {
    if (one.isWaiting === isWaiting) return;
    one.isWaiting = isWaiting;
    for (const agent of this.toldOf(one)) this.say(agent, `${isWaiting ? "waits" : "no longer waits"} for ${one.name}`);
  }

  /** Who hears of a question: who asked or inherited it, else the session's owner (R8). */
  private toldOf({ name }: Question): readonly Agent[] {
    const asking = [...(this.askers.get(name) ?? [])].filter((agent) => this.agents.has(agent));
    return asking.length > 0 || this.owner === undefined ? asking : [this.owner];
  }

  // Outcomes (AAEP §6.4, R7, R19, R29).

  private comeDue(one: Question, by: DefaultedBy): void {
    one.due = by;
    one.retryAt = undefined;
    this.applyDefault(one, by);
  }

  private applyDefault(one: Question, by: DefaultedBy): void {
    const { fields } = ASKS[one.ask];
    if (isHosted(one)) this.decide(one, { outcome: { resolved_by: "cancelled" }, says: "cancelled by host_window" });
    else if ("default_response" in fields) {
      const outcome = { resolved_by: by, response: fields.default_response };
      this.decide(one, { outcome, says: `unanswered by ${NOBODY[by]}` });
    } else {
      const { default_decision: decision } = fields;
      this.decide(one, { outcome: { resolved_by: by, decision }, says: `${decision}ed by ${NOBODY[by]}` });
    }
  }

  private decide(one: Question, made: Omit<Decision, "at">): boolean {
    if (this.disk === "fails") {
      if (one.due !== undefined) this.tryLater(one);
      return false;
    }
    this.resolve(one, { ...made, at: this.wall });
    return true;
  }

  /** The session and the listeners hear of an outcome; its agent and the log do when the disk has it (R29). */
  private resolve(one: Question, decision: Decision): void {
    const { kept } = this;
    this.close(one);
    const [outcome = ""] = decision.says.split(" ");
    kept.outcomes.push([one.name, outcome]);
    const { resolved_by: by, decision: decided } = decision.outcome;
    if (by === "reply" && decided === "accept") kept.permits.push(one.name);
    const restored = kept.state === AWAITING ? kept.before : kept.state;
    const isLast = kept.questions.length === 0;
    this.sayAll(`! ${one.name} ${decision.says}, ${AWAITING} → ${isLast ? restored : AWAITING}`);
    if (isLast) {
      Object.assign(kept, { told: restored, state: restored, current: restored });
      Object.assign(kept, { isAwaitingImplied: false, isRestored: true });
    }
    this.conclude(one, decision);
  }

  private withdraw(one: Question, by: "agent" | "host_window"): void {
    this.close(one);
    this.kept.outcomes.push([one.name, "withdrawn"]);
    this.sayAll(`! ${one.name} cancelled by ${by}, ${AWAITING} → ${AWAITING}`);
    this.conclude(one, { outcome: { resolved_by: "cancelled" }, says: "", at: this.wall });
  }

  private close(one: Question): void {
    const { kept } = this;
    kept.questions = kept.questions.filter((other) => other !== one);
  }

  private conclude(question: Question, decision: Decision): void {
    this.setWaiting(question, false);
    this.unsafe.push({ question, decision });
  }

  private tell(one: Question, { outcome, at, line }: Decision): void {
    if (line !== undefined) this.say("log", line);
    const members = JSON.stringify(outcome, Object.keys(outcome).sort());
    this.say("log", `${one.name} ended ${members} at ${at}`);
    for (const agent of this.toldOf(one)) this.say(agent, `${one.name} ended ${members}`);
    this.askers.delete(one.name);
  }

  // What listeners do.

  private hear(who: Listener, act: string): void {
    const ear = this.ears.get(who);
    if (act === "comes") this.come(who);
    if (ear === undefined) return;
    if (act === "goes") {
      this.ears.delete(who);
      this.checkAll();
    } else if (act === "gives up" || act === "may again") this.retune(who, ear, act === "may again");
    else if (act === "blocks") ear.isBlocked = true;
    else if (act === "takes") this.take(who, ear);
    else if (act === "lists") {
      const open = this.kept.questions.filter((one) => isOpen(one) && this.canAnswer(who));
      this.say("caller", open.map(({ name }) => name).join());
      for (const one of open) this.show(who, one);
    } else if (act === "leaves it") this.leave(who);
    else if (act === "accepts before a late timer") this.replyLate(who, ear);
    else this.reply(who, ear, REPLIES[act as ReplyName]);
  }

  private come(who: Listener): void {
    const ear: Ear = {
      isAble: who !== "D",
      isBlocked: false,
      untaken: [],
      asked: new Set(),
      shown: new Set(),
      notTakenFrom: Number.NEGATIVE_INFINITY,
    };
    this.ears.set(who, ear);
    const { isEnded, current, before, questions } = this.kept;
    const open = questions.filter(isOpen);
    if (!isEnded) {
      const isAsked = open.length > 0 && this.canAnswer(who);
      if (open.length === 0) this.hand(who, `sum → ${current}`);
      else if (isAsked) this.hand(who, `sum → ${current === AWAITING ? before : current}`);
      for (const one of open) {
        if (this.canAnswer(who)) this.ask(who, one);
        else this.hand(who, `! notice of ${one.name}, ${AWAITING} → ${AWAITING}`);
      }
    }
    this.checkAll();
  }

  private retune(who: Listener, ear: Ear, isAble: boolean): void {
    ear.isAble = isAble;
    if (isAble && this.canAnswer(who)) for (const one of this.kept.questions) if (isOpen(one)) this.ask(who, one);
    this.checkAll();
  }

  private take(who: Listener, ear: Ear): void {
    ear.isBlocked = false;
    for (const { line, question } of ear.untaken.splice(0)) this.hand(who, line, question);
  }

  /** At the deadline, before its timer: it does not count, and the default applies. */
  private replyLate(who: Listener, ear: Ear): void {
    const one = this.pending();
    if (one === undefined) return;
    const ms = deadlineOf(one) - this.now;
    this.now += ms;
    this.wall += ms;
    this.say("caller", "false");
    this.say("log", `${who} replies to ${one.name}: expired, open, ${this.step}`);
    this.notTaken(who, ear, one.name);
    this.comeDue(one, "timeout");
    this.passNow();
  }

  private get newest(): string {
    return `rpl_${this.count}`;
  }

  private pending(): Question | undefined {
    return this.kept.questions.find(({ name }) => name === this.newest);
  }

  private mayAnswer(who: Listener, { name }: Question): boolean {
    return this.canAnswer(who) && this.ears.get(who)?.shown.has(name) === true;
  }

  private leave(who: Listener): void {
    const one = this.pending();
    if (one === undefined || !isOpen(one) || !this.mayAnswer(who, one)) this.say("caller", "not_found /reply_token");
    else if (!isHosted(one)) this.say("caller", "invalid_params /reply_token");
    else {
      this.say("caller", "done");
      const line = `${who} leaves ${one.name} at ${this.wall}`;
      this.decide(one, { outcome: { resolved_by: "cancelled" }, says: "cancelled by host_window", line });
    }
  }

  private reply(who: Listener, ear: Ear, form: ReplyForm): void {
    const name = form.isOfNoQuestion === true ? "nothing" : this.newest;
    const one = form.isOfNoQuestion === true ? undefined : this.pending();
    const fate = this.fateOf(who, one, form);
    const line = (said: string): string =>
      `${who} replies to ${name}: ${said}, ${one === undefined ? "over" : "open"}, ${this.step}`;
    if (fate === "counted" && one !== undefined) {
      const { outcome, says } = outcomeOf(one, form);
      const counted = this.decide(one, { outcome, says, line: `${line("counted")} at ${this.wall}` });
      if (counted) {
        this.say("caller", "true");
        if (who === "B") this.hasBAnswered = true;
        return;
      }
    }
    this.say("caller", "false");
    this.say("log", line(fate === "counted" ? "not_recorded" : fate));
    this.notTaken(who, ear, name);
  }

  /** AAEP §6.3.4, R19. */
  private fateOf(who: Listener, one: Question | undefined, form: ReplyForm): string {
    if (one === undefined) {
      const isKnown = form.isOfNoQuestion !== true && this.kept.outcomes.some(([name]) => name === this.newest);
      return isKnown ? "already_resolved" : "unknown_token";
    }
    if (deadlineOf(one) <= this.now) return "expired";
    if (!isOpen(one)) return "already_resolved";
    if (!this.mayAnswer(who, one)) return "not_entitled";
    if (form.isOfOtherKind === true) return "wrong_kind";
    if (form.stampedBehind !== undefined && form.stampedBehind >= 0) return "expired";
    const { fields, kind } = ASKS[one.ask];
    if (kind === "clarification") return form.decision === "accept" ? "counted" : "not_offered";
    return "allowed_replies" in fields && form.decision === "accept" ? "not_offered" : "counted";
  }

  /** R19: to whom was shown the question, at most once a second. */
  private notTaken(who: Listener, ear: Ear, name: string): void {
    const wasShown = ear.shown.has(name);
    if (!wasShown || who === "C" || who === "D") return;
    if (this.now < ear.notTakenFrom) return;
    ear.notTakenFrom = this.now + NOT_TAKEN_EVERY_MS;
    this.say(who, `not taken: ${name}`);
  }

  // What agents do.

  private publish(who: Agent, act: string): void {
    if (act === "dies") this.die(who);
    else if (act === "takes over") this.resume(who);
    else if (act === "takes it back" || act.startsWith("tells")) this.cancel(who, act);
    else this.publishEvent(who, act);
  }

  private publishEvent(who: Agent, act: string): void {
    const { kept } = this;
    const fault = this.refusalOf(who, act);
    if (fault !== undefined) {
      // A call is published with its end, in an array.
      this.say("caller", act === "pays" ? fault.replace("/", "/0/") : fault);
      return;
    }
    this.say("caller", "done");
    const isAdopted = this.owner === undefined;
    const isNewPart = who === "Y" && !this.hasYPart && !this.isOldNews(act);
    if (isNewPart) this.hasYPart = true;
    if (isAdopted) {
      this.owner = who;
      this.graceUntil = undefined;
    }
    if (isAsk(act)) this.put(who, act);
    else if (act === "pays") {
      kept.permits.shift();
      kept.current = "calling_tool";
      this.sayAll("tool.invoked");
      this.sayAll("tool.completed");
    } else if (act === "works") this.sayAll("progress.updated");
    else if (act === "completes") {
      for (const one of kept.questions) this.withdraw(one, "agent");
      kept.isEnded = true;
      this.sayAll("session.completed");
    } else this.changeState(act);
    if (isAdopted && !kept.isEnded) {
      this.inherit(who, undefined);
      this.taken();
    }
    // Subscriptions of a connection that takes part do not answer there any more (R5).
    if (isNewPart && this.ears.has("B")) this.checkAll();
  }

  /** The daemon has told already that the agent does not wait any more: nothing goes out (R3a). */
  private isOldNews(act: string): boolean {
    const { isRestored, state } = this.kept;
    return (
      isRestored && ((act === "goes on" && state === "thinking") || (act === "works on" && state === "calling_tool"))
    );
  }

  private refusalOf(who: Agent, act: string): string | undefined {
    const { kept } = this;
    if (this.disk === "fails") return "storage_unavailable";
    if (kept.isEnded) return "session_ended /session_id";
    if (who !== this.owner && who !== "Y") return "session_not_yours /session_id";
    const isWaiting = kept.state === AWAITING || kept.isAwaitingImplied || kept.isRestored;
    if ((act === "goes on" || act === "works on") && !isWaiting) return "state_mismatch /from_state";
    if (act === "waits" && kept.state !== "thinking") return "state_mismatch /from_state";
    const mayPay = kept.permits.length > 0 && !(who === "Y" && this.hasBAnswered);
    return act === "pays" && !mayPay ? "confirmation_required /irreversible" : undefined;
  }

  /** An agent's own change of state (R3a, AAEP §6.8). */
  private changeState(act: string): void {
    const { kept } = this;
    const to = act === "waits" ? AWAITING : act === "goes on" ? "thinking" : "calling_tool";
    const isBelated = act !== "waits" && kept.isRestored;
    const from = act === "waits" || isBelated ? kept.state : AWAITING;
    const isOldNews = this.isOldNews(act);
    if (act === "goes on") for (const one of kept.questions) this.withdraw(one, "agent");
    if (to === AWAITING) kept.before = from;
    Object.assign(kept, { state: to, told: to, current: to, isAwaitingImplied: false, isRestored: false });
    if (!isOldNews) this.sayAll(`${from} → ${to}`);
  }

  /** Asks. Who can answer gets the question, everybody else a notice (R6). */
  private put(who: Agent, ask: Ask): void {
    const { kept, now } = this;
    this.count += 1;
    const { told } = kept;
    if (told !== AWAITING) Object.assign(kept, { before: told, told: AWAITING });
    Object.assign(kept, { current: AWAITING, isRestored: false, isAwaitingImplied: true });
    const one: Question = {
      name: this.newest,
      ask,
      at: now,
      keptWall: this.wall,
      isRestored: false,
      hadAudience: false,
      isWaiting: false,
      graceAt: undefined,
      reminders: [],
      due: undefined,
      retryAt: undefined,
      retryOrder: 0,
    };
    one.reminders = remindersOf(one, now);
    kept.questions.push(one);
    this.askers.set(one.name, new Set([who]));
    this.say("log", `${one.name} asked`);
    for (const listener of this.ears.keys()) {
      if (!this.canAnswer(listener)) this.hand(listener, `! notice of ${one.name}, ${told} → ${AWAITING}`);
      else {
        if (told !== AWAITING) this.hand(listener, `${told} → ${AWAITING}`);
        this.ask(listener, one);
      }
    }
    this.check(one);
  }

  private cancel(who: Agent, act: string): void {
    const one = this.pending();
    const isTheirs = one !== undefined && (this.owner === who || this.askers.get(one.name)?.has(who) === true);
    if (one === undefined || !isOpen(one) || !isTheirs) {
      this.say("caller", "false");
      return;
    }
    if (act === "takes it back")
      this.decide(one, { outcome: { resolved_by: "cancelled" }, says: "cancelled by agent" });
    else if (!isConfirmation(one)) {
      this.say("caller", "invalid_params /decision");
      return;
    } else {
      const decision = act === "tells the window's yes" ? "accept" : "reject";
      const outcome = { resolved_by: "host", decided_by: "host", decision };
      this.decide(one, { outcome, says: `${decision}ed by host` });
    }
    this.say("caller", "true");
  }

  private die(who: Agent): void {
    this.agents.delete(who);
    for (const asking of this.askers.values()) asking.delete(who);
    if (who === "Y") {
      this.isYGone = true;
      if (this.ears.delete("B")) this.checkAll();
    }
    if (this.owner !== who || this.kept.isEnded) return;
    this.owner = undefined;
    this.graceUntil = this.now + AGENT_GRACE_MS;
  }

  /** R8: the session is handed to whoever shows its token. */
  private resume(who: Agent): void {
    const { kept, owner: former } = this;
    this.agents.add(who);
    if (kept.isEnded) {
      this.say("caller", "session_ended /session_id");
      return;
    }
    this.owner = who;
    this.graceUntil = undefined;
    const open = kept.questions.map(({ name }) => name).join();
    this.say("caller", `open ${open}; over ${kept.outcomes.map((one) => one.join(" ")).join()}`);
    this.inherit(who, former);
    // Who lost the session may answer now what it was not asked (R5).
    if (former === "Y" && this.canAnswer("B")) for (const one of kept.questions) if (isOpen(one)) this.ask("B", one);
    this.taken();
  }

  private inherit(who: Agent, former: Agent | undefined): void {
    for (const one of this.kept.questions) {
      const asking = this.askers.get(one.name) ?? new Set();
      this.askers.set(one.name, asking);
      const isNews = !asking.has(who);
      if (former !== undefined) asking.delete(former);
      asking.add(who);
      if (isNews && one.isWaiting) this.say(who, `waits for ${one.name}`);
    }
  }

  /** The subscriptions of the new owner's connection never counted as audience (R5). */
  private taken(): void {
    for (const one of this.kept.questions) if (one.graceAt === undefined && !one.isRestored) one.hadAudience = false;
    this.checkAll();
  }

  // Time, the disk, and the daemon.

  private happen(step: Step): void {
    const awayMs = KILLS[step];
    if (awayMs !== undefined) {
      this.restart(awayMs, step.endsWith("written"));
      return;
    }
    switch (step) {
      case "almost due":
      case "due":
        this.pass(this.spanOf(step));
        break;
      case "the wall is put back":
        this.wall -= WALL_STEP_MS;
        break;
      case "the wall is put on":
        this.wall += WALL_STEP_MS;
        break;
      case "the disk waits":
      case "the disk fails":
        this.failOrWait(step);
        break;
      case "the disk writes":
        this.disk = "writes";
        break;
      case "stopped":
        for (const agent of this.agents) this.say(agent, "closing, sessions are kept");
        this.now += LINGER_MS;
        this.wall += LINGER_MS;
        this.restart(AWAY_MS, false);
        break;
      default:
        for (const agent of this.agents) this.say(agent, "closing");
        this.end();
        this.isOver = true;
    }
  }

  /** The next instant at which something happens by itself. */
  private next(): number | undefined {
    const instants: (number | undefined)[] = [this.graceUntil];
    for (const one of this.kept.questions) {
      if (isOpen(one)) instants.push(deadlineOf(one), one.graceAt, ...one.reminders.map(({ at }) => at));
      instants.push(one.retryAt);
    }
    const known = instants.filter((at) => at !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** How far a step moves the clock. */
  spanOf(step: Step): number {
    const isTimely = step === "due" || step === "almost due" || step.endsWith("late timer");
    if (!isTimely) return 0;
    const next = this.next() ?? this.now;
    return Math.max(0, next - this.now - (step === "almost due" ? 1 : 0));
  }

  /** The newest question's deadline as the clock on the wall shows it now. */
  deadlineOnWall(): number {
    const one = this.pending();
    return one === undefined ? this.wall : this.wall + deadlineOf(one) - this.now;
  }

  private pass(ms: number): void {
    if (ms <= 0) return;
    this.now += ms;
    this.wall += ms;
    this.passNow();
  }

  /** What is due at this instant happens. */
  private passNow(): void {
    const { now } = this;
    const inOrder = [...this.kept.questions].sort((a, b) => a.retryOrder - b.retryOrder);
    for (const one of inOrder) this.passOf(one);
    if (this.graceUntil !== undefined && this.graceUntil <= now) this.end();
  }

  private passOf(one: Question): void {
    const { now } = this;
    if (one.due !== undefined && one.retryAt !== undefined && one.retryAt <= now) {
      one.retryAt = undefined;
      this.applyDefault(one, one.due);
      return;
    }
    if (!isOpen(one)) return;
    if (deadlineOf(one) <= now) this.comeDue(one, "timeout");
    else if (one.graceAt !== undefined && one.graceAt <= now)
      this.comeDue(one, one.hadAudience ? "subscription_ended" : "no_subscriber");
    else
      for (const { at, percent } of one.reminders.splice(0)) {
        if (at <= now) this.sayAll(`reminder of ${one.name}: ${percent}`);
        else one.reminders.push({ at, percent });
      }
  }

  private failOrWait(step: "the disk waits" | "the disk fails"): void {
    this.disk = step === "the disk waits" ? "waits" : "fails";
  }

  /** Behind all that is tried again at that instant. */
  private tryLater(one: Question): void {
    one.retryAt = this.now + RETRY_MS;
    this.retryCount += 1;
    one.retryOrder = this.retryCount;
  }

  private write(): void {
    for (const { question, decision } of this.unsafe.splice(0)) this.tell(question, decision);
    this.written = structuredClone(this.kept);
  }

  /** The daemon ends the session (R8, R8a). */
  private end(): void {
    const { kept } = this;
    this.graceUntil = undefined;
    if (kept.isEnded) return;
    for (const one of kept.questions) this.withdraw(one, isHosted(one) ? "host_window" : "agent");
    kept.isEnded = true;
    this.sayAll("! session.errored");
  }

  private restart(awayMs: number, isAllWritten: boolean): void {
    if (!isAllWritten) this.kept = structuredClone(this.written);
    const { kept } = this;
    // The lines that the log owes come in the order of the outcomes.
    const owed = isAllWritten ? this.unsafe : [];
    this.wall += awayMs;
    this.disk = "writes";
    this.unsafe = [];
    this.ears = new Map();
    this.askers = new Map();
    this.agents = new Set();
    this.isYGone = false;
    this.hasYPart = false;
    this.hasBAnswered = false;
    this.owner = undefined;
    this.graceUntil = kept.isEnded ? undefined : this.now + AGENT_GRACE_MS;
    this.returnUntil = this.now + AGENT_GRACE_MS;
    for (const { question, decision } of owed) this.tell(question, decision);
    for (const one of kept.questions) this.restore(one);
    for (const one of [...kept.questions]) if (deadlineOf(one) <= this.now) this.comeDue(one, "timeout");
    this.agents = new Set(AGENTS);
  }

  private restore(one: Question): void {
    one.keptWall = Math.min(one.keptWall, this.wall);
    one.at = this.now - (this.wall - one.keptWall);
    Object.assign(one, { isRestored: true, hadAudience: false, isWaiting: false });
    Object.assign(one, { graceAt: undefined, due: undefined, retryAt: undefined });
    one.reminders = remindersOf(one, this.now);
  }
}

/** R31's terms for a default's reasons. */
const NOBODY = { timeout: "timeout", no_subscriber: "nobody_to_ask", subscription_ended: "nobody_left" } as const;

/** AAEP §6.4.3: a long question reminds at half of its time and at nine tenths. */
function remindersOf({ ask, at }: Question, now: number) {
  const { seconds } = ASKS[ask];
  const all = [50, 90].map((percent) => ({ at: at + seconds * percent * 10, percent }));
  return seconds > 60 ? all.filter((one) => one.at > now) : [];
}

function outcomeOf(one: Question, form: ReplyForm): Pick<Decision, "outcome" | "says"> {
  if (!isConfirmation(one)) {
    const outcome = { resolved_by: "reply", response: form.response, decided_by: DECIDED_BY, confidence: CONFIDENCE };
    return { outcome, says: "answered by reply" };
  }
  const { modifiedAction: modified_action } = form;
  // An action that was changed, where the agent takes no changes, is not the one that was asked about (AAEP §6.3).
  const isTaken = modified_action === undefined || "accepts_modified_action" in marksOf(one.ask);
  const decision = isTaken ? form.decision : "reject";
  const members = { resolved_by: "reply", decision, decided_by: DECIDED_BY, decision_rationale: RATIONALE };
  const outcome =
    modified_action === undefined ? members : { ...members, modified_action: JSON.stringify(modified_action) };
  return { outcome, says: `${decision}ed by reply` };
}

const isListener = (who: string): who is Listener => (LISTENERS as readonly string[]).includes(who);
const isAgent = (who: string): who is Agent => (AGENTS as readonly string[]).includes(who);
const isPublished = (act: string): boolean => !/^(dies|takes over|takes it back|tells)/.test(act);
const isAsk = (act: string): act is Ask => act in ASKS;
