// The one daemon that an agent tells. Every call has an answer. A lost connection is replaced, the agent's sessions are taken over with the new one,
// and unanswered calls are made again, in their order: the daemon answers a repeated call as it answered the first (R3, R8, R8b).
import type { PublishResult, ResumeSessionParams } from "#gen/aaep/types.js";
import { Fault, type FaultCode, faultFrom } from "../../base/errors.js";
import { assertWritable } from "../../base/json-number.js";
import type { Members } from "../../base/members.js";
import type { RpcConnection, RpcHandlers } from "../../contracts/rpc.js";
import type { CloseInfo } from "../../contracts/transport.js";
import { newEventId, newReplyToken } from "../random-ids.js";
import { type BackOffOptions, backOffMs, isHopeless, Pause, PLATFORM_TIMERS, type Timers } from "../timers.js";
import { HeldSessions } from "./held-sessions.js";
import type { HostDecision, QuestionOutcome } from "./questions.js";

export type AgentClientState =
  /**
   * Calls go out. `isResumed`: the connection had been lost. `lostSessions` could not be taken over: for listeners they are over, and the daemon
   * refuses events published into them.
   */
  | { readonly kind: "active"; readonly isResumed: boolean; readonly lostSessions: readonly string[] }
  /** The connection is lost. Calls wait. */
  | { readonly kind: "waiting"; readonly retryInMs: number; readonly because: Fault }
  /** The last state: after `close`, with `because` undefined, or because another attempt is of no use or not requested. */
  | { readonly kind: "ended"; readonly because: Fault | undefined };

export interface AgentClientOptions {
  /** `never`: the client ends with its first connection. Default `always`. */
  readonly reconnect?: "always" | "never";
  readonly backOff?: BackOffOptions | undefined;
  /** Must not throw. */
  readonly onState?: (state: AgentClientState) => void;
  /** Receives what the daemon tells without being asked. Default: ignored. */
  readonly onNotification?: (method: string, params: unknown) => void;
  /** Default the platform's. */
  readonly timers?: Timers | undefined;
  /** From [0, 1). Default `Math.random`. */
  readonly chance?: (() => number) | undefined;
}

/** A call without an answer, sent or not. */
interface Call {
  readonly method: string;
  readonly params: object;
  readonly resolve: (result: unknown) => void;
  readonly reject: (fault: Fault) => void;
}

/** Codes that answer a call that the daemon did not take: a later connection or the daemon's next boot will take it. */
const UNTAKEN: ReadonlySet<FaultCode> = new Set<FaultCode>(["peer_gone", "shutting_down"]);
/** Codes of a daemon that cannot hand a session over now, but may later. */
const CLAIM_LATER: ReadonlySet<FaultCode> = new Set<FaultCode>(["peer_gone", "shutting_down", "storage_unavailable"]);

/** Most calls that wait for a connection. Further calls are rejected at once. */
const MOST_WAITING = 4096;
/** Most calls under way at a time; the next call is sent when one is answered. */
const MOST_ON_THEIR_WAY = 1024;
/** Sessions claimed together; the next ones follow when these are answered. */
const CLAIMS_AT_ONCE = 64;
/** How long a daemon may take to answer for these sessions, ms. After that the connection counts as lost. */
const ANSWER_MS = 10_000;
/** A connection that lasted as long as this resets the back-off, ms. */
const STABLE_MS = 10_000;

export class AgentClient {
  /** Resolves when no further connection will follow, with the end of the last one. Never rejects. */
  readonly closed: Promise<CloseInfo>;
  readonly #connect: () => Promise<RpcConnection>;
  readonly #options: AgentClientOptions;
  readonly #timers: Timers;
  readonly #pause: Pause;
  readonly #sessions = new HeldSessions();
  readonly #calls = new Set<Call>();
  #unsent = new Set<Call>();
  #onTheirWay = 0;
  #isSending = false;
  #connection: RpcConnection;
  /** The connection, while calls may go over it. */
  #link: RpcConnection | undefined;
  #ended: Fault | undefined;
  #isClosing = false;
  #manifest: object | undefined;
  /** Lost sessions not yet reported: the attempt that finds them may fail afterwards. */
  #lost: string[] = [];

  /** Connects, and is then ready. Rejects with the Fault of `connect` if the first connection fails, so that a wrong address is reported at once. */
  static async open(
    connect: (handlers: RpcHandlers) => Promise<RpcConnection>,
    options: AgentClientOptions = {},
  ): Promise<AgentClient> {
    const handlers: RpcHandlers = {
      request: ({ method }) => {
        if (method === "aaep.ping") return {};
        throw new Fault("unknown_method", `This agent has no method ${method}.`);
      },
      notification: ({ method, params }) => options.onNotification?.(method, params),
    };
    return new AgentClient(() => connect(handlers), await connect(handlers), options);
  }

  private constructor(connect: () => Promise<RpcConnection>, first: RpcConnection, options: AgentClientOptions) {
    const { timers = PLATFORM_TIMERS } = options;
    this.#connect = connect;
    this.#connection = first;
    this.#options = options;
    this.#timers = timers;
    this.#pause = new Pause(timers);
    this.#goOver();
    // A turn later, so that the owner of the client can observe the first state.
    this.closed = Promise.resolve().then(() => {
      this.#tell({ kind: "active", isResumed: false, lostSessions: [] });
      return this.#keep();
    });
  }

  /**
   * Publishes one event, or several of which all are accepted or none (R3). Resolves when the daemon has them as safe as its journal makes them.
   * Rejects with the Fault that names code, pointer and rule; `rate_limit` if 4,096 calls wait for a connection; `peer_gone` if no answer comes.
   * After `peer_gone` the daemon may or may not have the events: a repeat with the same `event_id` gets the first answer.
   */
  async publish(events: unknown): Promise<PublishResult> {
    const prepared = Array.isArray(events)
      ? events.map((event) => this.#sessions.prepare(event))
      : this.#sessions.prepare(events);
    const all: readonly unknown[] = [prepared].flat();
    try {
      const result = await this.request("aaep.publish", prepared as object);
      // Lenient, so that a later daemon may say more; and short, because browsers load it.
      if (!acknowledges(result, all)) throw new Fault("invalid_message", "The answer to aaep.publish is not readable.");
      for (const event of all) this.#sessions.accepted(event);
      return result;
    } catch (caught) {
      const fault = faultFrom(caught);
      if (!UNTAKEN.has(fault.code)) {
        for (const event of all) this.#sessions.refused(event);
        throw fault;
      }
      // Without an answer nobody knows whether the daemon has the events. A repeat with the same ids finds out.
      const [first] = all as readonly { readonly event_id?: unknown }[];
      throw typeof first?.event_id === "string" ? fault.with({ eventId: first.event_id }) : fault;
    }
  }

  /** Asks for consent, in a session of this client, and resolves with the outcome (AAEP §6.1). Rejects with the Fault that refuses the question. */
  confirm(question: Members): Promise<QuestionOutcome> {
    return this.#ask("aaep.confirm", question);
  }

  /** Asks for an answer; otherwise as `confirm`. */
  clarify(question: Members): Promise<QuestionOutcome> {
    return this.#ask("aaep.clarify", question);
  }

  /**
   * Takes a question back (AAEP §6.8), or closes it with the decision of the agent's own window (R5a). False: it is not open, because another outcome
   * came first, or belongs to another agent. After a lost connection this very call may have closed it; the outcome tells.
   */
  async cancel(replyToken: string, decided?: HostDecision): Promise<boolean> {
    const answer = await this.request("aaep.cancel", { reply_token: replyToken, ...decided });
    return (answer as { readonly cancelled?: unknown } | null)?.cancelled === true;
  }

  /** Declares the manifest (AAEP §5.10) to the daemon, and again to each daemon that the client comes back to. */
  async setManifest(manifest: Members): Promise<void> {
    const declared = {
      "@context": "https://aaep-protocol.org/context/v1",
      type: "aaep:producer.manifest",
      ...manifest,
    };
    await this.request("aaep.set_manifest", declared);
    this.#manifest = declared;
  }

  /** Makes a call, over the next connection if it has to be. Rejects with the daemon's Fault, or as `publish`. */
  request(method: string, params: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) return reject(this.#ended);
      if (this.#link === undefined && this.#calls.size >= MOST_WAITING) return reject(tooMany());
      assertWritable(params);
      const call: Call = { method, params, resolve, reject };
      this.#calls.add(call);
      this.#unsent.add(call);
      void this.#send();
    });
  }

  /** Resolves when the connection is closed and no attempt is under way. Rejects unanswered calls with `peer_gone`. */
  async close(): Promise<void> {
    this.#isClosing = true;
    this.#pause.cutShort();
    await this.#connection.close();
    await this.closed;
  }

  async #ask(method: string, question: Members): Promise<QuestionOutcome> {
    // Its ids are chosen before it is sent, so that a question that is sent again is asked once (R3).
    const asking = { event_id: newEventId(), reply_token: newReplyToken(), ...question };
    const outcome = await this.request(method, asking);
    const { resolved_by: by, reply_token: token, event_id: id } = (outcome ?? {}) as Partial<QuestionOutcome>;
    if (typeof by === "string" && token === asking.reply_token && typeof id === "string")
      return outcome as QuestionOutcome;
    // An outcome that cannot be read, or that is another question's, is no consent.
    throw new Fault("invalid_message", "The outcome is not readable. Treat it as no consent.");
  }

  async #keep(): Promise<CloseInfo> {
    const { reconnect, backOff, chance = Math.random } = this.#options;
    let retry = 0;
    for (;;) {
      const since = this.#timers.now();
      const info = await this.#connection.closed;
      this.#link = undefined;
      if (this.#timers.now() - since >= STABLE_MS) retry = 0;
      let because = info.fault ?? new Fault("peer_gone", "The daemon has ended the connection.");
      for (let fault: Fault | undefined = because; fault !== undefined; fault = await this.#attempt()) {
        because = fault;
        if (this.#isClosing || reconnect === "never" || isHopeless(because)) return this.#end(info, because);
        const retryInMs = backOffMs(retry, chance(), backOff);
        retry += 1;
        this.#tell({ kind: "waiting", retryInMs, because });
        await this.#pause.take(retryInMs);
        if (this.#isClosing) return this.#end(info, because);
      }
      this.#goOver();
      this.#tell({ kind: "active", isResumed: true, lostSessions: this.#lost.splice(0) });
    }
  }

  #end(info: CloseInfo, because: Fault): CloseInfo {
    this.#ended = this.#isClosing ? closedHere() : because;
    for (const { reject } of this.#calls) reject(this.#ended);
    this.#calls.clear();
    this.#unsent.clear();
    this.#tell({ kind: "ended", because: this.#isClosing ? undefined : because });
    return info;
  }

  /** Connects again, and takes everything over that the lost connection had. Resolves with why it failed. */
  async #attempt(): Promise<Fault | undefined> {
    let cancelTimeout = (): void => {};
    const waitForAnswers = ({ close }: RpcConnection): void => {
      cancelTimeout();
      cancelTimeout = this.#timers.wakeAt(this.#timers.now() + ANSWER_MS, () => void close());
    };
    try {
      const connection = await this.#connect();
      this.#connection = connection;
      try {
        // A client that was closed during the attempt takes nothing over.
        if (this.#isClosing) throw closedHere();
        waitForAnswers(connection);
        if (this.#manifest !== undefined) await connection.request("aaep.set_manifest", this.#manifest);
        const claims = this.#sessions.claims();
        for (let from = 0; from < claims.length; from += CLAIMS_AT_ONCE) {
          const together = claims.slice(from, from + CLAIMS_AT_ONCE);
          await Promise.all(together.map((claim) => this.#takeOver(connection, claim)));
          waitForAnswers(connection);
        }
        return undefined;
      } catch (caught) {
        await connection.close();
        throw caught;
      }
    } catch (caught) {
      return faultFrom(caught);
    } finally {
      cancelTimeout();
    }
  }

  async #takeOver(connection: RpcConnection, claim: ResumeSessionParams): Promise<void> {
    try {
      await connection.request("aaep.resume_session", claim);
    } catch (caught) {
      const fault = faultFrom(caught);
      if (CLAIM_LATER.has(fault.code)) throw fault;
      if (this.#sessions.dropLost(claim.session_id)) this.#lost.push(claim.session_id);
    }
  }

  /** Sends every unanswered call over the connection, and every later call. */
  #goOver(): void {
    this.#link = this.#connection;
    this.#unsent = new Set(this.#calls);
    this.#onTheirWay = 0;
    void this.#send();
  }

  /** Sends as the connection takes, so that many waiting calls do not break it. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (const over = this.#link; over !== undefined && over === this.#link; await over.writable()) {
        const [next] = this.#unsent;
        if (next === undefined || this.#onTheirWay >= MOST_ON_THEIR_WAY) return;
        this.#unsent.delete(next);
        this.#make(next, over);
      }
    } finally {
      this.#isSending = false;
    }
    // The connection was replaced meanwhile.
    if (this.#link !== undefined) await this.#send();
  }

  #make(call: Call, over: RpcConnection): void {
    this.#onTheirWay += 1;
    const answered = (settle: () => void): void => {
      // Answers over a lost connection no longer count.
      if (this.#link !== over || !this.#calls.delete(call)) return;
      this.#onTheirWay -= 1;
      settle();
      void this.#send();
    };
    over.request(call.method, call.params).then(
      (result) => answered(() => call.resolve(result)),
      (caught: unknown) => {
        const fault = faultFrom(caught);
        const isRepeated = this.#options.reconnect !== "never" && UNTAKEN.has(fault.code);
        if (!isRepeated) answered(() => call.reject(fault));
      },
    );
  }

  #tell(state: AgentClientState): void {
    this.#options.onState?.(state);
  }
}

/** Whether there is a receipt for each event, in their order. */
function acknowledges(result: unknown, events: readonly unknown[]): result is PublishResult {
  const receipts = (result as Partial<PublishResult> | null)?.events;
  return (
    Array.isArray(receipts) &&
    events.every((event, at) => receipts[at]?.event_id === (event as { readonly event_id?: unknown } | null)?.event_id)
  );
}

function closedHere(): Fault {
  return new Fault("peer_gone", "This client was closed before the answer.", { origin: "local" });
}

function tooMany(): Fault {
  const sentence = `Wait for the daemon: ${MOST_WAITING} calls wait for it.`;
  return new Fault("rate_limit", sentence, { origin: "local" });
}
