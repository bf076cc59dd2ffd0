// Plays the steps of question-plans.ts on engines, one after another over one disk, and says what everybody was told, in the oracle's words.
import { Fault } from "../../../src/base/errors.js";
import type { AuditEntry, AuditNote } from "../../../src/contracts/audit.js";
import type { AgentHandle } from "../../../src/engine/agents/agent-handle.js";
import type { AgentEvent } from "../../../src/engine/event/event.js";
import { formatTimestamp } from "../../../src/engine/event/timestamps.js";
import { outcomeFields, type Reply } from "../../../src/engine/questions/question-result.js";
import type { Told } from "../oracles/question-oracle.js";
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
  type Listener,
  type Plan,
  RATIONALE,
  REPLIES,
  type ReplyForm,
  type ReplyName,
  SCENES,
  type Step,
  WALL_STEP_MS,
} from "../oracles/question-plans.js";
import { type Listener as Ear, session } from "./engine-rig.js";
import { createRuns, type Run } from "./restart-rig.js";

const SESSION = "sess_1";
const X_PROCESS = 100;
/** C's process, its parent, and so on. */
const BELOW_X = [102, 101, X_PROCESS, 1];
const VOCABULARIES = ["https://aaep-protocol.org/context/v1", "https://aaepd.dev/context/v1"];
const { state, progress, invoked, toolDone, completed, started } = session(SESSION);

/** What the oracle knows of time. */
export interface Hints {
  /** How far the step moves the clock. */
  readonly spanMs: number;
  /** The newest question's deadline as the clock on the wall shows it now. */
  readonly deadline: number;
}

type Fields = Readonly<Record<string, unknown>>;

export class QuestionStage {
  private readonly runs = createRuns();
  private run: Run;
  /** The number of the run. What is said by one before it, nobody hears. */
  private life = 0;
  private lines: Record<string, string[]> = {};
  /** Questions by the ids of their events. */
  private readonly names = new Map<unknown, string>();
  private readonly agents = new Map<Agent, AgentHandle>();
  private readonly ears = new Map<Listener, { readonly ear: Ear; heard: number }>();
  private readonly subscriptions = new Map<string, Listener>();
  private readonly kinds = new Map<string, "confirmation" | "clarification">();
  private connectionOfY: object = {};
  private resumeToken = "";
  private count = 0;
  private callCount = 0;
  private step = 0;
  private isFailing = false;
  /** Errors of this run's log that a step before has led to. */
  private errorCount = 0;
  private isWriting = true;

  private readonly scene: Plan["scene"];

  private constructor(scene: Plan["scene"]) {
    this.scene = scene;
    this.run = this.start(0);
  }

  private start(awayMs: number): Run {
    this.life += 1;
    const { life } = this;
    return this.runs.start(awayMs, {
      engine: { ...SCENES[this.scene], agentGraceMs: AGENT_GRACE_MS, lag: { maxMs: 1e12, maxEvents: 1e12 } },
      recorded: (entry, note) => {
        if (life === this.life) this.record(entry, note);
      },
    });
  }

  /** A session of X that thinks, and everything of it written. */
  static async create(scene: Plan["scene"]): Promise<QuestionStage> {
    const stage = new QuestionStage(scene);
    for (const agent of AGENTS) stage.openAgent(agent);
    stage.resumeToken = String(stage.agents.get("X")?.publish([{ fields: started() }], false).resumeToken);
    stage.agents.get("X")?.publish([{ fields: state("idle", "thinking") }], false);
    await stage.write();
    return stage;
  }

  get wall(): number {
    return this.run.clock.wallTime();
  }

  /** What went wrong in the last step that nobody was told of. While the disk fails, errors are logged. */
  accidents(): readonly string[] {
    const { errors } = this.run;
    const news = errors.slice(this.errorCount);
    this.errorCount = errors.length;
    return this.isFailing ? [] : news.map(({ fields, message }) => `${message}: ${String(fields.err)}`);
  }

  async play(step: Step, hints: Hints): Promise<Told> {
    this.lines = {};
    this.step += 1;
    const [who = "", ...words] = step.split(" ");
    const act = words.join(" ");
    if (who === "X" || who === "Y") this.publish(who, act);
    else if (who === "A" || who === "B" || who === "C" || who === "D") this.hear(who, act, hints);
    else await this.happen(step, hints);
    this.run.clock.settle();
    if (this.isWriting) await this.write();
    for (const [name, { ear, heard }] of this.ears) {
      for (const { event } of ear.received.slice(heard)) this.say(name, this.lineOf(event));
      this.ears.set(name, { ear, heard: ear.received.length });
    }
    this.lines.shown?.sort();
    this.say("status", `${this.run.engine.status().openQuestionCount} open`);
    return this.lines;
  }

  /** What happened is written, and then what it led to. */
  private async write(): Promise<void> {
    for (let time = 0; time < 2; time += 1) await this.flush();
  }

  /** As `Run.flush`, without a turn of the event loop, of which a walk would need thousands. */
  private async flush(): Promise<void> {
    this.run.journal.flush();
    for (let tick = 0; tick < 8; tick += 1) await undefined;
    this.run.clock.settle();
  }

  private say(party: string, line: string): void {
    this.lines[party] = [...(this.lines[party] ?? []), line];
  }

  /** Says what a call was answered, and answers whether it was taken. */
  private call(act: () => unknown): boolean {
    try {
      this.say("caller", String(act() ?? "done"));
      return true;
    } catch (caught) {
      if (!(caught instanceof Fault)) throw caught;
      this.say("caller", `${caught.code} ${caught.pointer ?? ""}`.trim());
      return false;
    }
  }

  // What is told, in the oracle's words.

  private lineOf(event: AgentEvent): string {
    const { from_state: from, to_state: to, extensions, urgency, type, reply_token: token } = event;
    const { decision, decided_by: by, asks, question, summary, by: maker } = extensions?.aaepd ?? {};
    const name = this.names.get(question);
    const kind = type.replace("aaep:agent.", "");
    const mark = urgency === "critical" && token === undefined ? "! " : "";
    if (token !== undefined) return `question ${String(token)}`;
    if (decision !== undefined) return `${mark}${name} ${decision} by ${by}, ${from} → ${to}`;
    if (summary !== undefined) return `${mark}sum → ${to}`;
    if (asks !== undefined && event.summary_normal !== undefined) return `${mark}notice of ${name}, ${from} → ${to}`;
    if (kind === "progress.updated" && maker === "daemon")
      return `${mark}reminder of ${name}: ${(event.progress as { percent: number }).percent}`;
    return kind === "state.changed" ? `${mark}${from} → ${to}` : `${mark}${kind}`;
  }

  private record(entry: AuditEntry, { at, settled }: AuditNote): void {
    settled?.();
    if (entry.kind === "stop") return;
    if (entry.kind === "asked") {
      this.names.set(entry.event.event_id, String(entry.event.reply_token));
      this.say("log", `${entry.event.reply_token} asked`);
      return;
    }
    const name = entry.reply_token;
    const when = at === undefined ? "" : ` at ${at}`;
    if (entry.kind === "outcome") {
      this.say("log", `${name} ended ${membersOf(entry.outcome)}${when}`);
      if (this.names.get(entry.outcome.event_id) !== name) this.say("log", `by ${entry.outcome.event_id}`);
      return;
    }
    const { subscriber_id: who, subscription_id: id } = entry;
    if (this.subscriptions.get(id) !== who && this.subscriptions.has(id)) this.say("log", `${id} goes by ${who}`);
    if (entry.kind !== "reply") {
      if (entry.kind === "shown") this.say("shown", `${name} to ${who}`);
      else this.say("log", `${who} leaves ${name}${when}`);
    } else {
      const { fate, token_is_open: isOpen, reply } = entry;
      this.say("log", `${who} replies to ${name}: ${fate}, ${isOpen ? "open" : "over"}, ${String(reply)}${when}`);
    }
  }

  // What listeners do.

  private hear(who: Listener, act: string, hints: Hints): void {
    const ear = this.ears.get(who)?.ear;
    if (act === "comes") this.come(who);
    if (ear === undefined) return;
    const { subscription } = ear;
    const retune = (isAble: boolean): void =>
      subscription.retune({
        ...subscription.terms,
        supportsConfirmationReply: isAble,
        supportsClarificationReply: isAble,
      });
    if (act === "goes") {
      subscription.close();
      this.ears.delete(who);
    } else if (act === "gives up" || act === "may again") retune(act === "may again");
    else if (act === "blocks" || act === "takes") ear.block(act === "blocks");
    else if (act === "lists")
      this.say(
        "caller",
        subscription.listener
          .openQuestions()
          .events.map(({ reply_token: token }) => token)
          .join(),
      );
    else if (act === "accepts before a late timer") {
      this.run.clock.pass(hints.spanMs);
      this.call(() => subscription.listener.reply(this.replyOf(REPLIES["accepts long before"], hints), this.step));
      this.run.clock.advance(0);
    } else if (act === "leaves it") this.call(() => subscription.listener.leave(this.newest));
    else this.call(() => subscription.listener.reply(this.replyOf(REPLIES[act as ReplyName], hints), this.step));
  }

  private come(who: Listener): void {
    const isAble = who !== "D";
    const terms = { supportsConfirmationReply: isAble, supportsClarificationReply: isAble, replyStatus: who < "C" };
    const connection = who === "B" ? this.connectionOfY : undefined;
    const lineage = who === "C" ? BELOW_X : undefined;
    const notTaken = (token: string): void => this.say(who, `not taken: ${token}`);
    const ear = this.run.listen(terms, who, undefined, connection, notTaken, lineage);
    this.ears.set(who, { ear, heard: 0 });
    this.subscriptions.set(ear.subscription.id, who);
  }

  private get newest(): string {
    return `rpl_${this.count}`;
  }

  private replyOf(form: ReplyForm, { deadline }: Hints): Reply {
    const kinds = ["confirmation", "clarification"] as const;
    const asked = this.kinds.get(this.newest) ?? "confirmation";
    const kind = form.isOfOtherKind === true ? kinds.find((one) => one !== asked) : asked;
    const stamp = form.stampedBehind === undefined ? this.wall : deadline + form.stampedBehind;
    const common = {
      token: form.isOfNoQuestion === true ? "nothing" : this.newest,
      timestamp: formatTimestamp(stamp),
      decidedBy: DECIDED_BY,
    };
    const { decision, response, modifiedAction } = form;
    return kind === "clarification"
      ? { kind, ...common, response, confidence: CONFIDENCE }
      : { kind: "confirmation", ...common, decision, rationale: RATIONALE, modifiedAction };
  }

  // What agents do.

  private openAgent(who: Agent): AgentHandle {
    const connection = who === "Y" ? this.connectionOfY : {};
    const { life } = this;
    const say = (line: string): void => {
      if (life === this.life) this.say(who, line);
    };
    const handle = this.run.engine.openAgent(
      undefined,
      {
        outcome: (resolved) => say(`${resolved.question.token} ended ${membersOf(outcomeFields(resolved))}`),
        waiting: ({ token }, isWaiting) => say(`${isWaiting ? "waits" : "no longer waits"} for ${token}`),
        stopRequested: () => say("stop"),
        userInput: (text) => say(`said ${text}`),
        closing: (areKept) => say(areKept ? "closing, sessions are kept" : "closing"),
      },
      connection,
      who === "X" ? X_PROCESS : undefined,
    );
    this.agents.set(who, handle);
    return handle;
  }

  private publish(who: Agent, act: string): void {
    const agent = this.agents.get(who) ?? this.openAgent(who);
    if (act === "dies") {
      if (who === "Y") {
        this.ears.get("B")?.ear.subscription.close();
        this.ears.delete("B");
      }
      agent.close();
      this.agents.delete(who);
    } else if (act === "takes over") this.takeOver(agent);
    else if (act === "takes it back") this.call(() => agent.cancel(this.newest));
    else if (act.startsWith("tells"))
      this.call(() => agent.cancel(this.newest, undefined, act.endsWith("yes") ? "accept" : "reject"));
    else {
      const events = act in ASKS ? [this.questionOf(act as Ask)] : this.eventsOf(act);
      const inputs = events.map((fields) => ({ fields }));
      const isShown = who === "Y";
      const isDone = this.call(
        () => void agent.publish(inputs, events.length > 1, isShown ? this.resumeToken : undefined),
      );
      if (!isDone && act in ASKS) this.count -= 1;
    }
  }

  private takeOver(agent: AgentHandle): void {
    this.call(() => {
      const { openQuestions, outcomes } = agent.resumeSession(SESSION, this.resumeToken);
      const over = outcomes.map(({ token, outcome }) => `${token} ${outcome}`);
      return `open ${openQuestions.map(({ token }) => token).join()}; over ${over.join()}`;
    });
  }

  private eventsOf(act: string): readonly Fields[] {
    switch (act) {
      case "waits":
        return [state("thinking", "awaiting_input")];
      case "goes on":
        return [state("awaiting_input", "thinking")];
      case "works on":
        return [state("awaiting_input", "calling_tool")];
      case "works":
        return [progress(5)];
      case "completes":
        return [completed()];
      default: {
        this.callCount += 1;
        const call = `call_${this.callCount}`;
        return [{ ...invoked("pay", call), irreversible: true }, toolDone("pay", call)];
      }
    }
  }

  private questionOf(ask: Ask): Fields {
    const { kind, seconds, fields, ...more } = ASKS[ask];
    this.count += 1;
    this.kinds.set(this.newest, kind);
    const words =
      kind === "confirmation"
        ? { action: `Pay ${this.newest}.`, consequence: "It is paid." }
        : { question: `Which of ${this.newest}?` };
    const marks = "marks" in more ? { "@context": VOCABULARIES, extensions: { aaepd: more.marks } } : {};
    const common = { session_id: SESSION, reply_token: this.newest, timeout_seconds: seconds };
    return { type: `aaep:agent.awaiting.${kind}`, ...common, ...words, ...fields, ...marks };
  }

  // Time, the disk, and the daemon.

  private async happen(step: Step, { spanMs }: Hints): Promise<void> {
    const awayMs = KILLS[step];
    if (awayMs !== undefined) {
      if (step.endsWith("written")) this.run.journal.flush();
      return this.restart(awayMs);
    }
    switch (step) {
      case "almost due":
      case "due":
        this.run.advance(spanMs);
        break;
      case "the wall is put back":
        this.run.clock.stepWall(-WALL_STEP_MS);
        break;
      case "the wall is put on":
        this.run.clock.stepWall(WALL_STEP_MS);
        break;
      case "the disk waits":
        this.isWriting = false;
        break;
      case "the disk fails":
        this.isWriting = false;
        this.isFailing = true;
        this.runs.disk.setFailing(true);
        await this.flush();
        break;
      case "the disk writes":
        this.isWriting = true;
        this.isFailing = false;
        this.runs.disk.setFailing(false);
        break;
      case "stopped":
        void this.run.engine.leaveSessionsOpen();
        for (const { ear } of this.ears.values()) ear.subscription.close("producer_shutdown");
        for (const agent of this.agents.values()) agent.close();
        this.run.advance(LINGER_MS);
        await this.write();
        return this.restart(AWAY_MS);
      default: {
        const ended = this.run.engine.endSessions();
        this.run.clock.settle();
        await this.write();
        await ended;
      }
    }
  }

  private restart(awayMs: number): void {
    this.ears.clear();
    this.agents.clear();
    this.connectionOfY = {};
    this.isWriting = true;
    this.isFailing = false;
    this.errorCount = 0;
    this.runs.disk.setFailing(false);
    this.run = this.start(awayMs);
    for (const agent of AGENTS) this.openAgent(agent);
  }
}

/** The members of an outcome but its ids, in the order of their names. */
function membersOf({ event_id: _, reply_token: __, ...members }: Fields): string {
  const { modified_action: modified } = members;
  const all = modified === undefined ? members : { ...members, modified_action: JSON.stringify(modified) };
  return JSON.stringify(all, Object.keys(all).sort());
}
