// An agent's calls over HTTP, as the service aaep.v1.AgentService speaks Connect with JSON (docs/services.md). For browsers and everything else that
// has `fetch`. It needs no library of protobuf: members of an event may all be in `additional`, under their own names.
import type { PublishResult } from "#gen/aaep/types.js";
import { Fault, faultFrom } from "../../base/errors.js";
import { type Members, membersOf, ownMember } from "../../base/members.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { RpcConnection, RpcHandlers } from "../../contracts/rpc.js";
import type { CloseInfo } from "../../contracts/transport.js";
import { STARTED, TERMINAL } from "../event-types.js";
import { type HttpCalls, type HttpConnectorOptions, openHttpCalls } from "../http/calls.js";
import { memberName } from "../http/documents.js";
import { QUIET_TIMERS, type Timers } from "../timers.js";
import { aloneFault, answering, questionEvent } from "./service-calls.js";

/** While a session is open, the daemon hears from the agent at least so often, ms: well within its `agent_idle_seconds`. */
const KEEP_MS = 20_000;
/** How long a daemon may take to answer a call that waits for no person, ms. After that the connection counts as lost. */
const ANSWER_MS = 30_000;

/**
 * For `openAgent`: the daemon at `address`, the URL of its option `--http`, such as "http://127.0.0.1:8700". A page needs its
 * origin among the daemon's `cors_origins`. A connection ends with the first call that does not reach the daemon.
 */
export function httpRpcConnector(
  address: string,
  options: HttpConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  return async () => {
    // Each call has a signal of its own.
    return answering(createConnection(await openHttpCalls(address, options), options.timers), address);
  };
}

function createConnection(calls: HttpCalls, timers: Timers = QUIET_TIMERS): RpcConnection {
  let agentKey: string | undefined;
  let manifest: Members | undefined;
  const openSessions = new Set<unknown>();
  const underway = new Set<AbortController>();
  let isOver = false;
  let cancelKeeping: () => void = () => {};
  const { promise: closed, resolve: tellClosed } = withResolvers<CloseInfo>();
  const end = (info: CloseInfo): void => {
    isOver = true;
    cancelKeeping();
    for (const one of underway) one.abort();
    tellClosed(info);
  };

  /** Makes a call that ends with the connection, and that ends the connection if the daemon does not answer. */
  async function call(service: string, method: string, body: Members): Promise<Members> {
    const abort = new AbortController();
    if (isOver) abort.abort();
    underway.add(abort);
    const cancelLimit = WAITS_FOR_A_PERSON.test(method)
      ? () => {}
      : timers.wakeAt(timers.now() + ANSWER_MS, () => end({ kind: "abrupt", fault: silentFault() }));
    try {
      return await calls.call(service, method, body, abort.signal);
    } catch (caught) {
      throw lossOf(faultFrom(caught));
    } finally {
      cancelLimit();
      underway.delete(abort);
    }
  }

  /** The fault of a call, which ends the connection if no further call would be answered. */
  function lossOf(fault: Fault): Fault {
    // A call that could not be made, because its body is no JSON, says nothing about the connection.
    if (fault.origin === "local" && fault.code === "peer_gone") {
      end({ kind: "abrupt", fault });
      return fault;
    }
    // A daemon that has forgotten the agent knows its sessions by their tokens: the next connection takes them over. It also fetches the token again.
    if (agentKey !== undefined && (fault.code === "not_found" || fault.code === "unauthenticated")) {
      const gone = new Fault("peer_gone", "The daemon forgot the agent.", { cause: fault });
      end({ kind: "remote", fault: gone });
      return gone;
    }
    return fault;
  }

  /** Calls as this agent, which is one agent from its first answer on. */
  async function callAsAgent(method: string, body: Members): Promise<Members> {
    const key = agentKey === undefined ? {} : { agent_key: agentKey };
    const answer = await call("AgentService", method, { ...body, ...key });
    if (typeof answer.agentKey === "string" && answer.agentKey !== "") agentKey = answer.agentKey;
    keep();
    return answer;
  }
  /** Calls that found an agent go one after another. */
  let founded: Promise<unknown> = Promise.resolve();
  function asAgent(method: string, body: Members): Promise<Members> {
    if (agentKey !== undefined) return callAsAgent(method, body);
    const answer = founded.then(() => callAsAgent(method, body));
    founded = answer.catch(() => {});
    return answer;
  }

  const keep = (): void => {
    cancelKeeping();
    if (openSessions.size === 0 || isOver) return;
    cancelKeeping = timers.wakeAt(timers.now() + KEEP_MS, () => {
      asAgent("SetManifest", { manifest }).catch(() => {});
    });
  };

  const eventOf = ({
    type,
    event_id,
    session_id,
    extensions,
    producer = producerOf(manifest),
    ...rest
  }: Members): Members => ({
    type,
    event_id,
    session_id,
    producer,
    extensions,
    additional: rest,
  });

  async function publish(events: readonly Members[]): Promise<PublishResult> {
    const answer = await asAgent("PublishBatch", { publish: { events: events.map(eventOf) } });
    for (const { type, session_id: id } of events) {
      if (STARTED.test(String(type))) openSessions.add(id);
      if (TERMINAL.test(String(type))) openSessions.delete(id);
    }
    keep();
    const { events: receipts = [] } = membersOf(answer.receipt);
    return {
      events: [receipts].flat().map((receipt) => {
        const { eventId, epoch } = membersOf(receipt);
        return { event_id: String(eventId), epoch: Number(epoch) };
      }),
    };
  }

  const publishAlone = (event: Members): Promise<PublishResult> =>
    publish([event]).catch((caught: unknown) => {
      throw aloneFault(caught);
    });

  async function ask(method: string, question: Members): Promise<Members> {
    const event = questionEvent(method, question);
    await publishAlone(event);
    const waiting = method === "aaep.confirm" ? "Confirm" : "Clarify";
    return outcomeOf(membersOf((await asAgent(waiting, { event: eventOf(event) })).outcome));
  }

  async function request(method: string, params: object): Promise<unknown> {
    const fields = params as Members;
    switch (method) {
      case "aaep.publish":
        return Array.isArray(params) ? publish(params) : publishAlone(fields);
      case "aaep.confirm":
      case "aaep.clarify":
        return ask(method, fields);
      case "aaep.cancel": {
        const { decision } = fields;
        const decided = decision === undefined ? {} : { decision: `DECISION_${String(decision).toUpperCase()}` };
        return asAgent("Cancel", { ...fields, ...decided });
      }
      case "aaep.resume_session": {
        const { session } = await asAgent("ResumeSession", { session: fields });
        openSessions.add(fields.session_id);
        keep();
        return session;
      }
      case "aaep.set_manifest": {
        const { "@context": context, agent_id, languages_supported, type: _, ...rest } = fields;
        const given = { "@context": context, agent_id, languages_supported, additional: rest };
        await asAgent("SetManifest", { manifest: given });
        manifest = given;
        return {};
      }
      case "aaep.ping":
        return call("SubscriberService", "GetManifest", {});
      default:
        throw new Fault("unknown_method", `${method} cannot be called over HTTP.`, { origin: "local" });
    }
  }

  return {
    peer: { label: calls.address, trust: "token-holder" },
    request,
    // The service sends nothing that was not asked for, and is told nothing without an answer.
    notify: () => true,
    writable: () => Promise.resolve(),
    ended: closed.then(() => {}),
    close: async () => end({ kind: "local" }),
    closed,
  };
}

const WAITS_FOR_A_PERSON = /^C(?:onfirm|larify)$/;

function silentFault(): Fault {
  return new Fault("peer_gone", "The daemon does not answer.", { origin: "local" });
}

function producerOf(manifest: Members | undefined): Members | undefined {
  if (manifest === undefined) return undefined;
  const { agent_name, agent_version, model } = manifest.additional as Members;
  return { agent_id: manifest.agent_id, agent_name, agent_version, model };
}

/** The outcome of a question in the members and names of JSON-RPC. */
function outcomeOf(outcome: Members): Members {
  const members = Object.entries(outcome).map(([name, value]) => {
    const prefix = ownMember(PREFIXES, name);
    return [memberName(name), prefix === undefined ? value : String(value).slice(prefix.length).toLowerCase()];
  });
  return Object.fromEntries(members);
}

const PREFIXES: Readonly<Record<string, string>> = { resolvedBy: "RESOLVED_BY_", decision: "DECISION_" };
