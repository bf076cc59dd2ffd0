// An agent's calls over HTTP, as the service aaep.v1.AgentService speaks Connect with JSON (docs/services.md). For browsers and everything else that
// has `fetch`. It needs no library of protobuf: members of an event may all be in `additional`, under their own names.
import type { PublishResult } from "#gen/aaep/types.js";
import { Fault, type FaultCode } from "../../base/errors.js";
import type { RpcConnection, RpcHandlers } from "../../contracts/rpc.js";
import type { CloseInfo } from "../../contracts/transport.js";
import { STARTED, TERMINAL } from "../event-types.js";
import { QUIET_TIMERS, type Timers } from "../platform-clock.js";
import { aloneFault, answering, type Fields, questionEvent } from "./service-calls.js";

/** The part of `fetch` that the connector needs. */
export type FetchLike = (
  url: string,
  init: {
    readonly method: "GET" | "POST";
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
  },
) => Promise<{ readonly ok: boolean; readonly json: () => Promise<unknown> }>;

export interface HttpConnectorOptions {
  /** The daemon's token (docs/services.md), or a function that fetches it for each connection. A Unix socket needs none. Default none. */
  readonly token?: string | (() => string | Promise<string>);
  /** Default the platform's. */
  readonly fetch?: FetchLike;
  /** Default the platform's. */
  readonly timers?: Timers;
}

/** While a session is open, the daemon hears from the agent at least so often, ms: well within its `agent_idle_seconds`. */
const KEEP_MS = 20_000;
/** How long a daemon may take to answer a call that waits for no person, ms. After that the connection counts as lost. */
const ANSWER_MS = 30_000;

/**
 * For `openAgent` and `createAgentClient`: the daemon at `address`, the URL of its option `--http`, such as "http://127.0.0.1:8700". A page needs its
 * origin among the daemon's `cors_origins`. A connection ends with the first call that does not reach the daemon.
 */
export function httpRpcConnector(
  address: string,
  options: HttpConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  return async () => {
    const token = typeof options.token === "function" ? await options.token() : options.token;
    return answering(createConnection(address.replace(/\/$/, ""), token, options), address);
  };
}

function createConnection(address: string, token: string | undefined, options: HttpConnectorOptions): RpcConnection {
  const { fetch: send = fetch, timers = QUIET_TIMERS } = options;
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  /** A signal for each call: a shared one would keep a listener of each. */
  const underway = new Set<AbortController>();
  let isOver = false;
  let agentKey: string | undefined;
  let manifest: Fields | undefined;
  const openSessions = new Set<unknown>();
  let cancelKeeping: () => void = () => {};
  let tellClosed: (info: CloseInfo) => void = () => {};
  const closed = new Promise<CloseInfo>((resolve) => {
    tellClosed = resolve;
  });
  const end = (info: CloseInfo): void => {
    isOver = true;
    cancelKeeping();
    for (const one of underway) one.abort();
    tellClosed(info);
  };

  const lose = (kind: "abrupt" | "remote", sentence: string, cause: unknown): Fault => {
    const fault = new Fault("peer_gone", sentence, { origin: "local", cause });
    end({ kind, fault });
    return fault;
  };

  const call = (service: string, method: string, request: Fields): Promise<Fields> => {
    const headers = { "content-type": "application/json", ...authorization };
    return ask(`aaep.v1.${service}/${method}`, { method: "POST", headers, body: JSON.stringify(request) });
  };

  /** `path`: that of a method of a service, or of a page. */
  async function ask(path: string, init: Omit<Parameters<FetchLike>[1], "signal">): Promise<Fields> {
    if (isOver) throw lose("abrupt", "The connection to the daemon has ended.", undefined);
    const abort = new AbortController();
    underway.add(abort);
    const cancelLimit = WAITS_FOR_A_PERSON.test(path)
      ? () => {}
      : timers.wakeAt(timers.now() + ANSWER_MS, () => void lose("abrupt", "The daemon does not answer.", undefined));
    let answer: Fields;
    try {
      const response = await send(`${address}/${path}`, { ...init, signal: abort.signal });
      answer = (await response.json()) as Fields;
      if (response.ok) return answer;
    } catch (caught) {
      throw lose("abrupt", "The daemon cannot be reached.", caught);
    } finally {
      cancelLimit();
      underway.delete(abort);
    }
    const fault = faultOf(answer);
    // A daemon that has forgotten the agent knows its sessions by their tokens. The next connection takes them over, and reads a new token.
    const isForgotten = fault.code === "not_found" && !path.endsWith("/GetOutcome");
    if (agentKey !== undefined && (isForgotten || fault.code === "unauthenticated"))
      throw lose("remote", "The daemon does not know this agent any more.", fault);
    throw fault;
  }

  /** Calls as this agent, which is one agent from its first answer on. */
  async function callAsAgent(method: string, body: Fields): Promise<Fields> {
    const key = agentKey === undefined ? {} : { agent_key: agentKey };
    const answer = await call("AgentService", method, { ...body, ...key });
    if (typeof answer.agentKey === "string" && answer.agentKey !== "") agentKey = answer.agentKey;
    keep();
    return answer;
  }
  /** Calls that found an agent go one after another. */
  let founded: Promise<unknown> = Promise.resolve();
  function asAgent(method: string, body: Fields): Promise<Fields> {
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
  }: Fields): Fields => ({
    type,
    event_id,
    session_id,
    producer,
    extensions,
    additional: rest,
  });

  async function publish(events: readonly Fields[]): Promise<PublishResult> {
    const answer = await asAgent("PublishBatch", { publish: { events: events.map(eventOf) } });
    for (const { type, session_id: id } of events) {
      if (STARTED.test(String(type))) openSessions.add(id);
      if (TERMINAL.test(String(type))) openSessions.delete(id);
    }
    keep();
    const { events: receipts = [] } = answer.receipt as { readonly events?: readonly Fields[] };
    return {
      events: receipts.map(({ eventId, epoch }) => ({ event_id: String(eventId), epoch: Number(epoch) })),
    };
  }

  const publishAlone = (event: Fields): Promise<PublishResult> =>
    publish([event]).catch((caught: unknown) => {
      throw aloneFault(caught);
    });

  async function question(method: string, members: Fields): Promise<Fields> {
    const event = questionEvent(method, members);
    await publishAlone(event);
    const waiting = method === "aaep.confirm" ? "Confirm" : "Clarify";
    return outcomeOf((await asAgent(waiting, { event: eventOf(event) })).outcome as Fields);
  }

  async function request(method: string, params: object): Promise<unknown> {
    const fields = params as Fields;
    switch (method) {
      case "aaep.publish":
        return Array.isArray(params) ? publish(params) : publishAlone(fields);
      case "aaep.confirm":
      case "aaep.clarify":
        return question(method, fields);
      case "aaep.cancel": {
        const { decision } = fields;
        const decided = decision === undefined ? {} : { decision: `DECISION_${String(decision).toUpperCase()}` };
        return asAgent("Cancel", { ...fields, ...decided });
      }
      case "aaep.outcome_of": {
        const { outcome } = await asAgent("GetOutcome", fields);
        return outcome === undefined ? { state: "open" } : { state: "resolved", ...outcomeOf(outcome as Fields) };
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
      case "aaep.manifest":
        return ask(".well-known/aaep-manifest.json", { method: "GET", headers: authorization });
      case "aaep.ping":
        return call("SubscriberService", "GetManifest", {});
      default:
        throw new Fault("unknown_method", `${method} cannot be called over HTTP.`, { origin: "local" });
    }
  }

  return {
    peer: { label: address, trust: token === undefined ? "same-user" : "token-holder" },
    request,
    // The service sends nothing that was not asked for, and is told nothing without an answer.
    notify: () => true,
    notifyBatch: () => true,
    writable: () => Promise.resolve(),
    ended: closed.then(() => {}),
    takeNoMore: () => {},
    close: async () => end({ kind: "local" }),
    closed,
  };
}

const WAITS_FOR_A_PERSON = /\/C(?:onfirm|larify)$/;

function producerOf(manifest: Fields | undefined): Fields | undefined {
  if (manifest === undefined) return undefined;
  const { agent_name, agent_version, model } = manifest.additional as Fields;
  return { agent_id: manifest.agent_id, agent_name, agent_version, model };
}

/** The outcome of a question in the members and names of JSON-RPC. */
function outcomeOf(outcome: Fields): Fields {
  const { eventId, replyToken, resolvedBy, decision, decidedBy, decisionRationale, modifiedAction, ...rest } = outcome;
  return {
    ...rest,
    event_id: eventId,
    reply_token: replyToken,
    resolved_by: nameOf(resolvedBy, "RESOLVED_BY_"),
    ...(decision === undefined ? {} : { decision: nameOf(decision, "DECISION_") }),
    ...(decidedBy === undefined ? {} : { decided_by: decidedBy }),
    ...(decisionRationale === undefined ? {} : { decision_rationale: decisionRationale }),
    ...(modifiedAction === undefined ? {} : { modified_action: modifiedAction }),
  };
}

function nameOf(value: unknown, prefix: string): string {
  return String(value).slice(prefix.length).toLowerCase();
}

/** Connect's code for a call whose details have none of ours. */
const CODE_OF: Readonly<Record<string, FaultCode>> = {
  unauthenticated: "unauthenticated",
  permission_denied: "permission_denied",
  unavailable: "shutting_down",
  resource_exhausted: "rate_limit",
};

function faultOf({ code, message, details }: Fields): Fault {
  const [detail] = Array.isArray(details) ? details : [];
  const [ownCode, sentence, pointer, rule] = typeof detail?.value === "string" ? textsOf(detail.value) : [];
  // A code that a later daemon has added stays as it is.
  return new Fault(
    (ownCode as FaultCode | undefined) ?? CODE_OF[String(code)] ?? "internal",
    sentence ?? String(message),
    { pointer, rule },
  );
}

/** The first four fields of an `AaepdError`, all of them texts: each a tag, a length of one or two bytes, and the text in UTF-8. */
function textsOf(base64: string): readonly (string | undefined)[] {
  const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
  const texts: (string | undefined)[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, low = 0, high = 0] = bytes.subarray(at, at + 3);
    if ((tag & 7) !== 2 || tag >> 3 > 4) break;
    const isLong = low > 127;
    const from = at + (isLong ? 3 : 2);
    at = from + (isLong ? (low & 127) | (high << 7) : low);
    texts[(tag >> 3) - 1] = new TextDecoder().decode(bytes.subarray(from, at));
  }
  return texts;
}
