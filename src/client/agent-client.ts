// The agent's side: publishing into the daemon over JSON-RPC, every event acknowledged. A lost connection is made again, the agent's sessions are
// taken over by it, and what was not answered is sent once more (R3, R8, R8b).
import type { ProducerManifest, PublishResult, ResumeSessionParams } from "#gen/aaep/types.js";
import { isPublishResult } from "#gen/aaep/validators.js";
import { Fault, type FaultCode, faultFrom } from "../base/errors.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";
import type { CloseInfo } from "../contracts/transport.js";
import { createAgentCalls, UNTAKEN } from "./agent-calls.js";
import { type AgentLinkOptions, createAgentLink } from "./agent-link.js";
import { type AgentQuestions, createAgentQuestions, type QuestionListeners, tellListeners } from "./agent-questions.js";
import { createAgentSessions } from "./agent-sessions.js";
import { PLATFORM_TIMERS } from "./platform-clock.js";

/** An event as an agent may send it: what R2 lets it leave out, the daemon fills in. */
export type PublishedFields = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly session_id: string;
};

/** What an agent says of itself, so that its events need no `producer` (R2). Context and type are filled in. */
export type AgentManifest = Partial<ProducerManifest> & { readonly agent_id: string };

export interface AgentClient extends AgentQuestions {
  /**
   * Publishes one event, or several of which all are accepted or none (R3). Resolves when the daemon has them as safe as its journal makes them;
   * where the connection is lost before, when the next one has answered. Rejects with the Fault that names code, pointer and rule; `rate_limit`
   * where 4,096 calls wait for a connection; `peer_gone` where no answer comes: the events may have been taken, and a repeat with the same
   * `event_id` says so.
   */
  readonly publish: (events: PublishedFields | readonly PublishedFields[]) => Promise<PublishResult>;
  /** Is declared again to each daemon that the client comes to. */
  readonly setManifest: (manifest: AgentManifest) => Promise<void>;
  /** The daemon's own manifest (AAEP §5.10). */
  readonly manifest: () => Promise<ProducerManifest>;
  /**
   * Takes over a session that another client, or another run of this program, has begun (R8); `publish` has shown the token. The client's own
   * sessions it takes over by itself.
   */
  readonly resumeSession: (session: ResumeSessionParams) => Promise<Readonly<Record<string, unknown>>>;
  readonly ping: () => Promise<void>;
  /** Ends the client. Calls that are not answered are rejected with `peer_gone`. */
  readonly close: () => Promise<void>;
  /** Resolves when the client has ended for good, with how its last connection did. */
  readonly closed: Promise<CloseInfo>;
}

export interface AgentClientOptions extends QuestionListeners, AgentLinkOptions {
  /**
   * How long what is published or asked waits for a lost connection to be there again, ms. Default 60,000. Then it is rejected with `peer_gone`,
   * and so is all that follows until the client is back.
   */
  readonly patienceMs?: number;
  /** `aaep.error`, `aaepd.closing` and other notifications. Default: ignored. */
  readonly onNotification?: (method: string, params: unknown) => void;
}

/**
 * Connects, and is ready to publish. Rejects with the Fault of `connect` where there is nobody at first. Later it comes back to whoever listens at
 * the same place, by the rules of `options.reconnect`.
 */
export async function createAgentClient(
  connect: (handlers: RpcHandlers) => Promise<RpcConnection>,
  options: AgentClientOptions = {},
): Promise<AgentClient> {
  const { reconnect = "always", patienceMs = 60_000, stableAfterMs = 10_000, timers = PLATFORM_TIMERS } = options;
  const calls = createAgentCalls({ repeats: reconnect === "always", patienceMs, stableAfterMs, timers });
  const sessions = createAgentSessions();
  const questions = createAgentQuestions(calls);
  let manifest: object | undefined;
  // Found lost and not told yet: an attempt may fail after it has found that.
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
    { connect: () => connect(handlers), comeBack, up: calls.goOver, down: calls.wait, over: calls.end },
    options,
  );

  async function publish(events: unknown): Promise<PublishResult> {
    const prepared = Array.isArray(events) ? events.map(sessions.prepare) : sessions.prepare(events);
    const all: readonly unknown[] = Array.isArray(prepared) ? prepared : [prepared];
    try {
      const result = await calls.request("aaep.publish", prepared as object);
      if (!isPublishResult(result)) throw new Fault("invalid_message", "The answer to aaep.publish is not readable.");
      for (const event of all) sessions.accepted(event);
      return result;
    } catch (caught) {
      const fault = faultFrom(caught);
      if (!UNTAKEN.has(fault.code)) {
        for (const event of all) sessions.refused(event);
        throw fault;
      }
      // Without an answer nobody knows whether the daemon has them: a repeat by these ids tells.
      const [first] = all as readonly { readonly event_id?: unknown }[];
      throw typeof first?.event_id === "string" ? fault.with({ eventId: first.event_id }) : fault;
    }
  }

  return {
    ...questions.asked,
    publish,
    setManifest: async (given) => {
      const declared = {
        "@context": "https://aaep-protocol.org/context/v1",
        type: "aaep:producer.manifest",
        ...given,
      };
      await calls.request("aaep.set_manifest", declared);
      manifest = declared;
    },
    manifest: async () => (await calls.request("aaep.manifest", {})) as ProducerManifest,
    resumeSession: async (claim) => {
      const state = (await calls.request("aaep.resume_session", claim)) as Readonly<Record<string, unknown>>;
      sessions.hold(claim);
      return state;
    },
    ping: async () => {
      await calls.request("aaep.ping", {});
    },
    close: link.close,
    closed: link.closed,
  };
}

/** Faults of a daemon that cannot hand a session over now, and will be able to. */
const LATER: ReadonlySet<FaultCode> = new Set<FaultCode>(["peer_gone", "shutting_down", "storage_unavailable"]);

/** So many sessions are claimed together; the next when they are answered. */
const CLAIMS_AT_ONCE = 64;
