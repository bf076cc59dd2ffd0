// The agent's side: publishes into the daemon over JSON-RPC, with an acknowledgement for every event. The client replaces a lost connection, takes
// the agent's sessions over with the new one, and sends unanswered calls again (R3, R8, R8b).
import type { ProducerManifest, PublishResult, ResumeSessionParams, ResumeSessionResult } from "#gen/aaep/types.js";
import { Fault, type FaultCode, faultFrom } from "../base/errors.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";
import type { CloseInfo } from "../contracts/transport.js";
import { AgentCalls, UNTAKEN } from "./agent-calls.js";
import { type AgentLinkOptions, type CompleteLinkOptions, createAgentLink } from "./agent-link.js";
import {
  type AgentQuestions,
  createAgentQuestions,
  outcomeOver,
  type QuestionListeners,
  tellListeners,
} from "./agent-questions.js";
import { AgentSessions } from "./agent-sessions.js";
import type { PublishedEvent } from "./events.js";
import { LONGEST_TIMER_MS, PLATFORM_TIMERS } from "./platform-clock.js";

/** The agent's identity, so that its events need no `producer` (R2). `@context` and `type` are filled in. */
export type AgentManifest = Partial<ProducerManifest> & { readonly agent_id: string };

export interface AgentClient extends AgentQuestions {
  /**
   * Publishes one event, or several of which all are accepted or none (R3). Resolves when the daemon has them as safe as its journal makes them;
   * after a lost connection, when the daemon has answered over the next one. Rejects with the Fault that names code, pointer and rule; `rate_limit`
   * if 4,096 calls wait for a connection; `peer_gone` if no answer comes. After `peer_gone` the daemon may or may not have the events: a repeat with
   * the same `event_id` gets the first answer.
   */
  readonly publish: (events: PublishedEvent | readonly PublishedEvent[]) => Promise<PublishResult>;
  /** As `publish`, for JSON whose form the daemon alone checks: events from a file, or of an extension that no type describes. */
  readonly publishUntyped: (events: unknown) => Promise<PublishResult>;
  /** Declares the manifest to the daemon, and again to each daemon that the client reconnects to. */
  readonly setManifest: (manifest: AgentManifest) => Promise<void>;
  /** The daemon's own manifest (AAEP §5.10). */
  readonly manifest: () => Promise<ProducerManifest>;
  /**
   * Takes over a session begun by another client or by an earlier run of this program (R8), with the token from the result of `publish`. The client
   * takes over its own sessions by itself. Resolves with the session's state, all of its open questions and outcomes included.
   */
  readonly resumeSession: (session: ResumeSessionParams) => Promise<Readonly<Record<string, unknown>>>;
  readonly ping: () => Promise<void>;
  /** Ends the client. Rejects unanswered calls with `peer_gone`. */
  readonly close: () => Promise<void>;
  /** Resolves when the client has ended for good, with the end of its last connection. */
  readonly closed: Promise<CloseInfo>;
}

export interface AgentClientOptions extends QuestionListeners, AgentLinkOptions {
  /**
   * How long events and questions wait for a lost connection to return, ms. Default 60,000. After that they are rejected with `peer_gone`, and so are
   * all later calls until the client is connected again.
   */
  readonly patienceMs?: number;
  /** Receives `aaep.error`, `aaepd.closing` and other notifications. Default: ignored. */
  readonly onNotification?: (method: string, params: unknown) => void;
}

/** The part of a client that `openAgent` needs. Bundles for browsers have no more of it. */
export type PublishingClient = Pick<
  AgentClient,
  "publishUntyped" | "confirm" | "clarify" | "cancel" | "setManifest" | "close"
>;

interface ConnectedClient extends PublishingClient, Pick<AgentClient, "closed"> {
  readonly request: RpcConnection["request"];
  readonly hold: (claim: ResumeSessionParams) => void;
}

/**
 * Connects, and is then ready to publish. Rejects with the Fault of `connect` if the first connection fails. Later the client reconnects to the same
 * place by the rules of `options.reconnect`.
 */
export async function createAgentClient(
  connect: (handlers: RpcHandlers) => Promise<RpcConnection>,
  options: AgentClientOptions = {},
): Promise<AgentClient> {
  const { reconnect = "always", patienceMs = 60_000, stableAfterMs = 10_000 } = options;
  const { timers = PLATFORM_TIMERS, chance = Math.random } = options;
  const { request, hold, ...client } = await connectClient(connect, {
    ...options,
    reconnect,
    patienceMs,
    stableAfterMs,
    timers,
    chance,
    longAway: patienceMs > LONGEST_TIMER_MS ? undefined : longAway(patienceMs),
  });
  return {
    ...client,
    publish: client.publishUntyped,
    outcomeOf: (replyToken, resumeToken) => outcomeOver({ request }, replyToken, resumeToken),
    manifest: async () => (await request("aaep.manifest", {})) as ProducerManifest,
    resumeSession: async (claim) => {
      const { next, ...state } = (await request("aaep.resume_session", claim)) as SessionState;
      hold(claim);
      const questions = [...(state.open_questions ?? [])];
      const outcomes = [...(state.outcomes ?? [])];
      for (let after = next; after !== undefined; ) {
        const page = (await request("aaep.resume_session", { ...claim, after })) as SessionState;
        questions.push(...(page.open_questions ?? []));
        outcomes.push(...(page.outcomes ?? []));
        after = page.next;
      }
      return { ...state, open_questions: questions, outcomes };
    },
    ping: async () => {
      await request("aaep.ping", {});
    },
  };
}

/** Answer to aaep.resume_session, as far as the client reads it. */
type SessionState = Readonly<Record<string, unknown>> &
  Partial<Pick<ResumeSessionResult, "open_questions" | "outcomes" | "next">>;

/** The options of a client with all that has a default. */
type ConnectOptions = AgentClientOptions &
  CompleteLinkOptions & { readonly patienceMs: number; readonly longAway?: Fault | undefined };

/** As `createAgentClient`. Without `longAway` its calls wait for ever. */
export async function connectClient(
  connect: (handlers: RpcHandlers) => Promise<RpcConnection>,
  options: ConnectOptions,
): Promise<ConnectedClient> {
  const calls = new AgentCalls({ ...options, repeats: options.reconnect === "always" });
  const sessions = new AgentSessions();
  const questions = createAgentQuestions(calls);
  let manifest: object | undefined;
  // Lost sessions not yet reported: the attempt that finds them may fail afterwards.
  const lost = new Set<string>();

  const handlers: RpcHandlers = {
    request: ({ method }) => {
      if (method === "aaep.ping") return {};
      throw new Fault("unknown_method", `This agent has no method ${method}.`);
    },
    notification: ({ method, params }) => {
      const isAwaited = method === "aaep.outcome" && questions.isAwaited(params);
      if (!isAwaited && !tellListeners(method, params, options)) options.onNotification?.(method, params);
    },
  };

  async function takeOver(connection: RpcConnection, claim: ResumeSessionParams): Promise<void> {
    try {
      await connection.request("aaep.resume_session", claim);
    } catch (caught) {
      const fault = faultFrom(caught);
      if (LATER.has(fault.code)) throw fault;
      const { session_id: sessionId } = claim;
      if (!sessions.isLost(sessionId)) return;
      sessions.drop(sessionId);
      lost.add(sessionId);
    }
  }

  async function comeBack(connection: RpcConnection, goesOn: () => void): Promise<readonly string[]> {
    if (manifest !== undefined) await connection.request("aaep.set_manifest", manifest);
    const claims = sessions.claims();
    for (let from = 0; from < claims.length; from += CLAIMS_AT_ONCE) {
      await Promise.all(claims.slice(from, from + CLAIMS_AT_ONCE).map((claim) => takeOver(connection, claim)));
      goesOn();
    }
    const told = [...lost];
    lost.clear();
    return told;
  }

  const link = await createAgentLink(
    {
      connect: () => connect(handlers),
      comeBack,
      up: (connection) => calls.goOver(connection),
      down: () => calls.wait(),
      over: (fault) => calls.end(fault),
    },
    options,
  );

  async function publish(events: unknown): Promise<PublishResult> {
    const prepared = Array.isArray(events) ? events.map((event) => sessions.prepare(event)) : sessions.prepare(events);
    const all: readonly unknown[] = Array.isArray(prepared) ? prepared : [prepared];
    try {
      const result = await calls.request("aaep.publish", prepared as object);
      // Lenient, so that a later daemon may say more; and short, because browsers load it.
      if (!acknowledges(result, all)) throw new Fault("invalid_message", "The answer to aaep.publish is not readable.");
      for (const event of all) sessions.accepted(event);
      return result;
    } catch (caught) {
      const fault = faultFrom(caught);
      if (!UNTAKEN.has(fault.code)) {
        for (const event of all) sessions.refused(event);
        throw fault;
      }
      // Without an answer nobody knows whether the daemon has the events. A repeat with the same ids finds out.
      const [first] = all as readonly { readonly event_id?: unknown }[];
      throw typeof first?.event_id === "string" ? fault.with({ eventId: first.event_id }) : fault;
    }
  }

  return {
    ...questions.asked,
    publishUntyped: publish,
    setManifest: async (given) => {
      const declared = {
        "@context": "https://aaep-protocol.org/context/v1",
        type: "aaep:producer.manifest",
        ...given,
      };
      await calls.request("aaep.set_manifest", declared);
      manifest = declared;
    },
    request: (method, params) => calls.request(method, params),
    hold: (claim) => sessions.hold(claim),
    close: link.close,
    closed: link.closed,
  };
}

/** Whether there is a receipt for each event, in their order. */
function acknowledges(result: unknown, events: readonly unknown[]): result is PublishResult {
  const receipts = (result as Partial<PublishResult> | null)?.events;
  return (
    Array.isArray(receipts) &&
    events.every((event, at) => receipts[at]?.event_id === (event as Partial<PublishedEvent> | null)?.event_id)
  );
}

function longAway(patienceMs: number): Fault {
  const sentence = `The daemon was not back within ${patienceMs / 1000} s. It may have taken this. Start it, and repeat this with the same ids, or call outcomeOf.`;
  return new Fault("peer_gone", sentence, { origin: "local" });
}

/** Codes of a daemon that cannot hand a session over now, but may later. */
const LATER: ReadonlySet<FaultCode> = new Set<FaultCode>(["peer_gone", "shutting_down", "storage_unavailable"]);

/** Sessions claimed together; the next ones follow when these are answered. */
const CLAIMS_AT_ONCE = 64;
