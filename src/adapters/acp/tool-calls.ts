// The tools of one turn: when one is said to run. Agents disagree about the order of proposal, permission, start and end. A call is therefore
// announced when it was allowed, or when nobody was asked for a while. A rejected call never is.
import { type Members, membersOf, someText } from "../../base/members.js";
import type { Wording } from "../../engine/messages/wording.js";
import type { Consent, Decision, Sign } from "../adapter.js";
import { argumentsOf } from "../fields.js";
import { NO_FACTS, type ToolFacts, type ToolStatus } from "../tool-facts.js";
import { runsWords } from "../tool-words.js";

/** How long a call waits for a question about it, ms. Hosts ask up to half a second after they have said that a call is in progress. */
const ASKED_WITHIN_MS = 700;
const STATUSES: readonly string[] = ["pending", "in_progress", "completed", "failed"] satisfies ToolStatus[];

interface Call {
  facts: ToolFacts;
  phase: "seen" | "running" | "ended";
  permission: "none" | "asked" | "allowed" | "rejected";
  consent: Consent | undefined;
  /** When its status changed last. */
  since: number;
  /** Puts the name of a subagent in front of its words. */
  readonly inFront: (words: string) => string;
}

/** Calls of a turn that are remembered. Of further ones the oldest is told as over, and forgotten. */
const MOST_CALLS = 1024;

const asTheyAre = (words: string): string => words;

export class ToolCalls {
  readonly #turn: string;
  readonly #words: Wording;
  readonly #irreversibleKinds: ReadonlySet<string>;
  readonly #calls = new Map<string, Call>();
  /** Ids of the calls that `wake` may announce, in the order of `since`. */
  readonly #waiting = new Set<string>();

  constructor(turn: string, words: Wording, irreversibleKinds: ReadonlySet<string>) {
    this.#turn = turn;
    this.#words = words;
    this.#irreversibleKinds = irreversibleKinds;
  }

  isAnyRunning(): boolean {
    return [...this.#calls.values()].some(({ phase }) => phase === "running");
  }

  update(id: string, fields: Members, now: number, inFront = asTheyAre): readonly Sign[] {
    const call = this.#callOf(id, now, inFront);
    const facts = withUpdate(call.facts, fields);
    if (facts.status !== call.facts.status) {
      call.since = now;
      this.#waiting.delete(id);
    }
    call.facts = facts;
    return [...this.#advance(id, call, now), ...this.#forgetOldest()];
  }

  /** A question about the call begins. Returns what is known of it. */
  asked(id: string, fields: Members, now: number, inFront = asTheyAre): ToolFacts {
    const call = this.#callOf(id, now, inFront);
    call.facts = withUpdate(call.facts, fields);
    call.permission = "asked";
    this.#waiting.delete(id);
    return call.facts;
  }

  /** The question is over. Without a decision it was taken back, and the call's own messages count again. */
  settled(id: string, decision: Decision | undefined, consent: Consent | undefined, now: number): readonly Sign[] {
    const call = this.#calls.get(id);
    if (call === undefined || call.permission !== "asked") return [];
    call.permission = decision === "accept" ? "allowed" : decision === "reject" ? "rejected" : "none";
    call.consent = decision === "accept" ? consent : undefined;
    call.since = now;
    return this.#advance(id, call, now);
  }

  dueAt(): number | undefined {
    const [first] = this.#waiting;
    const call = first === undefined ? undefined : this.#calls.get(first);
    return call === undefined ? undefined : call.since + ASKED_WITHIN_MS;
  }

  wake(now: number): readonly Sign[] {
    return this.#announceWaiting(({ since }) => now - since >= ASKED_WITHIN_MS);
  }

  /** The agent goes on to something else, maybe another call: nobody will be asked about the other ones that have ended. */
  goesOn(to?: string): readonly Sign[] {
    return this.#announceWaiting(({ facts }, id) => id !== to && hasEnded(facts));
  }

  /** Ends what is still running, before the turn ends. Nobody has seen a call run that waits and has not ended. */
  end(status: "error" | "cancelled"): readonly Sign[] {
    const ended = this.goesOn();
    const running = [...this.#calls].filter(([, { phase }]) => phase === "running");
    this.#calls.clear();
    this.#waiting.clear();
    return [...ended, ...running.map(([call]): Sign => ({ kind: "tool-end", turn: this.#turn, call, status }))];
  }

  #callOf(id: string, now: number, inFront: (words: string) => string): Call {
    const known = this.#calls.get(id);
    if (known !== undefined) return known;
    const made: Call = { facts: NO_FACTS, phase: "seen", permission: "none", consent: undefined, since: now, inFront };
    this.#calls.set(id, made);
    return made;
  }

  #announceWaiting(isDue: (call: Call, id: string) => boolean): readonly Sign[] {
    return [...this.#waiting].flatMap((id) => {
      const call = this.#calls.get(id);
      return call === undefined || !isDue(call, id) ? [] : this.#announce(id, call);
    });
  }

  #advance(id: string, call: Call, now: number): readonly Sign[] {
    if (call.phase === "ended" || call.permission === "asked") return [];
    if (call.permission === "rejected") return call.phase === "running" ? [this.#end(id, call, "cancelled")] : [];
    const isDue = call.permission === "allowed" || now - call.since >= ASKED_WITHIN_MS;
    if (call.phase === "running" || isDue) return this.#announce(id, call);
    // A call without a status has only been asked about.
    if (call.facts.status !== undefined) this.#waiting.add(id);
    return [];
  }

  #forgetOldest(): readonly Sign[] {
    const [oldest] = this.#calls;
    if (this.#calls.size <= MOST_CALLS || oldest === undefined) return [];
    const [id, call] = oldest;
    this.#calls.delete(id);
    this.#waiting.delete(id);
    return call.phase === "running" ? [this.#end(id, call, "cancelled")] : [];
  }

  /** Says that it runs, unless that was said, and that it has ended. */
  #announce(id: string, call: Call): readonly Sign[] {
    this.#waiting.delete(id);
    const begun = call.phase === "seen" ? [this.#invocation(id, call)] : [];
    call.phase = "running";
    if (!hasEnded(call.facts)) return begun;
    return [...begun, this.#end(id, call, call.facts.status === "failed" ? "error" : "success")];
  }

  #invocation(id: string, { facts, consent, inFront }: Call): Sign {
    const isByPerson = consent !== undefined && consent !== "host";
    return {
      kind: "tool",
      turn: this.#turn,
      call: id,
      name: facts.name ?? facts.kind ?? "tool",
      words: inFront(runsWords(facts, this.#words)),
      // Only a reply permits a call that cannot be undone (R5).
      ...(isByPerson && this.#irreversibleKinds.has(facts.kind ?? "other") ? { irreversible: true } : {}),
      ...(consent === undefined ? {} : { consent }),
    };
  }

  #end(id: string, call: Call, status: "success" | "error" | "cancelled"): Sign {
    call.phase = "ended";
    // They may be large, and are not needed any more.
    call.facts = { ...call.facts, input: {}, diffs: [] };
    return { kind: "tool-end", turn: this.#turn, call: id, status };
  }
}

function hasEnded({ status }: ToolFacts): boolean {
  return status === "completed" || status === "failed";
}

/** The facts with an update. Everything that an update leaves out, or says is null, stays as it was. */
function withUpdate(facts: ToolFacts, update: Members): ToolFacts {
  const status = someText(update.status);
  const meta = membersOf(membersOf(update._meta).claudeCode);
  return {
    title: someText(update.title) ?? facts.title,
    name: someText(update.name) ?? someText(meta.toolName) ?? facts.name,
    kind: someText(update.kind) ?? facts.kind,
    status: status !== undefined && STATUSES.includes(status) ? (status as ToolStatus) : facts.status,
    paths: Array.isArray(update.locations)
      ? update.locations.flatMap((one) => someText(membersOf(one).path) ?? [])
      : facts.paths,
    input: update.rawInput === undefined || update.rawInput === null ? facts.input : argumentsOf(update.rawInput),
    diffs: Array.isArray(update.content) ? update.content.flatMap(diffIn) : facts.diffs,
  };
}

function diffIn(content: unknown): ToolFacts["diffs"] {
  const { type, path, newText } = membersOf(content);
  return type === "diff" && typeof path === "string"
    ? [{ path, text: typeof newText === "string" ? newText : "" }]
    : [];
}
