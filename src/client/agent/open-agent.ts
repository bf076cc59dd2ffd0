// An agent as one object: it finds its daemon, keeps its sessions, and is never in the way of its program.

import { Fault, usage } from "../../base/errors.js";
import { within } from "../../base/time-limit.js";
import { keepRunning, QUIET_TIMERS } from "../timers.js";
import type { AgentTrouble, OpenAgentOptions } from "./agent-options.js";
import { excused } from "./consent.js";
import { type AgentSettings, Contact, isAbsence } from "./contact.js";
import { QueueRoom } from "./intent-queue.js";
import { lostSession, Outbox } from "./outbox.js";
import type { QuestionWaiting } from "./questions.js";
import { createSession, said } from "./session.js";
import type { Agent, AgentSession, AgentStatus, SessionOptions } from "./session-types.js";
import { Waits } from "./waits.js";

/**
 * Opens an agent. Finds a daemon by the first of `connectors` that leads to one, goes back to it when the connection is lost, and then takes the
 * sessions over and repeats what was not acknowledged (R3, R8). Without a daemon the agent is silent. Rejects with a Fault only in the mode
 * "required", with `not_found` or the fault of the options, and with `usage` if `id` is no text, or `mode` or `unheard` no word of theirs.
 */
export async function openAgent(options: OpenAgentOptions): Promise<Agent> {
  const { id, mode = "optional", unheard = "reject" } = options;
  if (typeof id !== "string" || !id) throw usage("Give the agent an id.");
  if (mode !== "optional" && mode !== "required") throw usage('Give mode as "optional" or "required".');
  if (unheard !== "reject" && unheard !== "as-host") throw usage('Give unheard as "reject" or "as-host".');
  const agent = new OpenedAgent(options);
  const first = await agent.searched();
  if (mode !== "required" || first.kind !== "silent") return agent;
  await agent.close();
  if (!isAbsence(first.because)) throw first.because;
  const sentence = `There is no daemon: ${first.because.sentence} Start aaepd serve, or open the agent with mode "optional".`;
  throw new Fault("not_found", sentence, { origin: "local", cause: first.because });
}

/** Its functions can be taken off it. */
class OpenedAgent implements Agent {
  readonly #options: AgentSettings;
  readonly #contact: Contact;
  readonly #sessions = new Map<AgentSession, Outbox>();
  readonly #room: QueueRoom;
  readonly #waits: Waits;
  readonly #onTrouble: (trouble: AgentTrouble) => void;
  /** Resolves when the sessions that have ended so far are told. */
  #endedAreTold: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: OpenAgentOptions) {
    const { timers = QUIET_TIMERS, chance = Math.random, unheard = "reject" } = options;
    const { mostQueuedCharacters = 262_144, mostQueuedEvents = 1024, patienceMs = 10_000, gatherMs = 20 } = options;
    const queue = { mostQueuedCharacters, mostQueuedEvents, patienceMs, gatherMs };
    this.#options = { ...options, ...queue, timers, chance, unheard };
    this.#room = new QueueRoom(this.#options);
    this.#waits = new Waits(quietly(options.onWaiting));
    this.#onTrouble = quietly(options.onError);
    const onStop = quietly(options.onStop);
    const onUserInput = quietly(options.onUserInput);
    this.#contact = new Contact(this.#options, {
      onLost: (sessionIds) => this.#lose((id) => sessionIds.includes(id)),
      onGone: () => this.#lose(() => true),
      onRefused: (fault) => this.#tell(fault),
      onStatus: quietly(options.onStatus),
      onNotification: (method, params) => {
        if (method === "aaep.waiting") this.#waits.told(params as QuestionWaiting);
        if (method === "aaepd.user_input") onUserInput(String((params as { readonly text?: unknown }).text));
        if (method !== "aaep.stop_requested") return;
        const { session_id: id } = params as { readonly session_id?: unknown };
        for (const [session, outbox] of this.#sessions) if (outbox.sessionId === id) onStop(session);
      },
    });
  }

  get status(): AgentStatus {
    return this.#contact.status;
  }

  /** Resolves with the status at the end of the first search. */
  async searched(): Promise<AgentStatus> {
    const release = keepRunning(Number.POSITIVE_INFINITY);
    await this.#contact.found();
    release();
    return this.status;
  }

  // The two forms are told apart by their second argument.
  readonly session = ((
    description: string,
    second?: ((session: AgentSession) => unknown) | SessionOptions,
    third?: SessionOptions,
  ): unknown =>
    typeof second === "function"
      ? excused(this.#during(description, second, third))
      : this.#begin(description, second)) as Agent["session"];

  readonly close = (withinMs = 2000): Promise<void> => {
    this.#closing ??= this.#close(withinMs);
    return this.#closing;
  };

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  #begin(given: string, sessionOptions: SessionOptions = {}): AgentSession {
    const description = said(given, this.#options.id);
    this.#contact.lookAgain();
    const shared = { options: this.#options, contact: this.#contact };
    const outbox = new Outbox({
      ...shared,
      room: this.#room,
      after: this.#endedAreTold,
      opening: (voice) => [
        voice.event("session.started", { summary_normal: description, ...sessionOptions.started }),
        ...voice.state("thinking"),
      ],
      onTrouble: this.#onTrouble,
    });
    const ended = (): void => {
      // Until then a lost daemon still matters to it.
      const told = outbox.drained().then(() => this.#sessions.delete(session));
      // The room for what waits bounds these links. A session without room has nothing to tell.
      if (isKept) this.#endedAreTold = this.#endedAreTold.then(() => told);
    };
    // The session is heard of before its first event.
    const isKept = outbox.add({ kind: "events", render: () => [] });
    if (!isKept) outbox.refuse();
    const session = createSession({ ...shared, outbox, waits: this.#waits, ended }, sessionOptions);
    this.#sessions.set(session, outbox);
    return session;
  }

  async #during(
    description: string,
    work: (session: AgentSession) => unknown,
    sessionOptions?: SessionOptions,
  ): Promise<unknown> {
    const session = this.#begin(description, sessionOptions);
    try {
      const result = await work(session);
      session.complete();
      return result;
    } catch (caught) {
      session.fail(caught);
      throw caught;
    }
  }

  #tell(fault: Fault): void {
    this.#onTrouble({ fault, session_id: undefined, droppedCharacters: 0, droppedEvents: 0 });
  }

  #lose(isLost: (sessionId: string) => boolean): void {
    if (this.#sessions.size > 0) this.#tell(lostSession());
    for (const outbox of this.#sessions.values()) outbox.lose(isLost);
  }

  async #close(withinMs: number): Promise<void> {
    const { timers } = this.#options;
    for (const session of this.#sessions.keys()) session.cancel(undefined, "producer");
    const drained = Promise.all(Array.from(this.#sessions.values(), (outbox) => outbox.drained()));
    const release = keepRunning(withinMs + CLOSING_MS);
    await within(timers.now() + withinMs, drained, timers);
    for (const outbox of this.#sessions.values()) outbox.end();
    await within(timers.now() + CLOSING_MS, this.#contact.close(), timers);
    release();
  }
}

/** How long a connection, and a daemon of the agent's own, may take to end, ms. */
const CLOSING_MS = 6000;

/** The author's own function, whose mistakes must not end what aaepd does for the author. They are told nowhere: `onError` may be this function. */
function quietly<Value>(call: ((value: Value) => unknown) | undefined): (value: Value) => void {
  return (value) => void (async () => call?.(value))().catch(() => {});
}
