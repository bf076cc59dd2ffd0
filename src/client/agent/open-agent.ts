// An agent as one object: it finds its daemon, keeps its sessions, and is never in the way of its program.
import { Fault } from "../../base/errors.js";
import { keepRunning, orLate, QUIET_TIMERS } from "../platform-clock.js";
import type { AgentTrouble, OpenAgentOptions } from "./agent-options.js";
import { excused } from "./consent.js";
import { createContact, isAbsence } from "./contact.js";
import { QueueRoom } from "./intent-queue.js";
import type { Voice } from "./intents.js";
import { createOutbox, lostSession, type Outbox } from "./outbox.js";
import { createSession, said } from "./session.js";
import type { Agent, AgentSession, SessionOptions } from "./session-types.js";
import { Waits } from "./waits.js";

/**
 * Opens an agent. Finds a daemon by the first of `connectors` that leads to one, goes back to it when the connection is lost, and then takes the
 * sessions over and repeats what was not acknowledged (R3, R8). Without a daemon the agent is silent. Rejects with a Fault only in the mode
 * "required", with `not_found` or the fault of the options, and with `usage` if `id` is no text.
 */
export async function openAgent(options: OpenAgentOptions): Promise<Agent> {
  const {
    id,
    mode = "optional",
    unheard = "reject",
    timers = QUIET_TIMERS,
    chance = Math.random,
    mostQueuedCharacters = 262_144,
    mostQueuedEvents = 1024,
    patienceMs = 10_000,
    gatherMs = 20,
    backOff,
  } = options;
  if (typeof id !== "string" || !id) throw new Fault("usage", "Give the agent an id.", { origin: "local" });
  const sessions = new Map<AgentSession, Outbox>();
  /** Resolves when the sessions that have ended so far are told. */
  let endedAreTold: Promise<unknown> = Promise.resolve();
  const limits = { mostQueuedCharacters, mostQueuedEvents };
  const room = new QueueRoom(limits);

  const onTrouble = quietly<AgentTrouble>(options.onError);
  const tell = (fault: Fault): void =>
    onTrouble({ fault, session_id: undefined, droppedCharacters: 0, droppedEvents: 0 });

  const onStop = quietly(options.onStop);
  const waits = new Waits(quietly(options.onWaiting));

  const contact = createContact(
    { ...options, timers, chance, onWaiting: quietly((waiting) => waits.told(waiting)) },
    {
      lost: (sessionIds) => {
        const lost = new Set(sessionIds);
        tell(lostSession());
        for (const outbox of sessions.values()) outbox.lose((id) => lost.has(id));
      },
      gone: () => {
        if (sessions.size > 0) tell(lostSession());
        for (const outbox of sessions.values()) outbox.lose(() => true);
      },
      refused: tell,
      stop:
        options.onStop &&
        ((sessionId) => {
          for (const [session, outbox] of sessions) if (outbox.sessionId() === sessionId) onStop(session);
        }),
      status: quietly(options.onStatus),
    },
  );
  const release = keepRunning(Number.POSITIVE_INFINITY);
  await contact.found();
  release();
  const first = contact.status();
  if (mode === "required" && first.kind === "silent") {
    await contact.close();
    if (!isAbsence(first.because)) throw first.because;
    const sentence = `There is no daemon: ${first.because.sentence} Start aaepd serve, or open the agent with mode "optional".`;
    throw new Fault("not_found", sentence, { origin: "local", cause: first.because });
  }

  function begin(given: string, sessionOptions: SessionOptions = {}): AgentSession {
    const description = said(given, id);
    contact.lookAgain();
    const opening = (voice: Voice) => [
      voice.event("session.started", { summary_normal: description, ...sessionOptions.started }),
      ...voice.state("thinking"),
    ];
    const outbox = createOutbox(contact, {
      ...limits,
      room,
      gatherMs,
      timers,
      chance,
      after: endedAreTold,
      opening,
      onTrouble,
      backOff,
    });
    const ended = (): void => {
      // Until then a lost daemon still matters to it.
      const told = outbox.drained().then(() => sessions.delete(session));
      // The room for what waits bounds these links. A session without room has nothing to tell.
      if (isKept) endedAreTold = endedAreTold.then(() => told);
    };
    // The session is heard of before its first event.
    const isKept = outbox.add({ kind: "events", render: () => [] });
    if (!isKept) outbox.refuse();
    const session = createSession({ contact, outbox, timers, patienceMs, waits, unheard, ended }, sessionOptions);
    sessions.set(session, outbox);
    return session;
  }

  async function during(
    description: string,
    work: (session: AgentSession) => unknown,
    sessionOptions?: SessionOptions,
  ): Promise<unknown> {
    const session = begin(description, sessionOptions);
    try {
      const result = await work(session);
      session.complete();
      return result;
    } catch (caught) {
      session.fail(caught);
      throw caught;
    }
  }

  let closing: Promise<void> | undefined;
  async function close(withinMs: number): Promise<void> {
    for (const session of sessions.keys()) session.cancel(undefined, "producer");
    const drained = Promise.all(Array.from(sessions.values(), (outbox) => outbox.drained()));
    await orLate<unknown>(drained, undefined, withinMs, timers);
    for (const outbox of sessions.values()) outbox.end();
    await orLate(contact.close(), undefined, CLOSING_MS, timers);
  }

  const agent = {
    get status() {
      return contact.status();
    },
    session: (
      description: string,
      second?: ((session: AgentSession) => unknown) | SessionOptions,
      third?: SessionOptions,
    ): unknown =>
      typeof second === "function" ? excused(during(description, second, third)) : begin(description, second),
    close: (withinMs = 2000) => {
      closing ??= close(withinMs);
      return closing;
    },
    [Symbol.asyncDispose]: () => agent.close(),
  };
  // The two forms of `session` are told apart by their second argument.
  return agent as Agent;
}

/** How long a connection, and a daemon of the agent's own, may take to end, ms. */
const CLOSING_MS = 6000;

/** The author's own function, whose mistakes must not end what aaepd does for the author. They are told nowhere: `onError` may be this function. */
function quietly<Value>(call: ((value: Value) => unknown) | undefined): (value: Value) => void {
  return (value) => void (async () => call?.(value))().catch(() => {});
}
