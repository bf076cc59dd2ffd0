// An agent's connection over gRPC: the stream of aaep.v1.AgentService.Publish, and calls beside it (docs/services.md). Its documents have the members
// of JSON-RPC, because the daemon's own conversion serves both sides.
import type { DescMethod } from "@bufbuild/protobuf";
import type { AaepdError, ResumeSessionParams } from "#gen/aaep/types.js";
import { AgentService, PublishRequestSchema, PublishResponseSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import { createGrpcCalls, type GrpcStream, type GrpcTarget, type ReadFault } from "../../../transports/grpc/client.js";
import { Fault, faultFrom } from "../../base/errors.js";
import { outlineOf } from "../../base/json-document.js";
import { type Members, membersOf } from "../../base/members.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { AbortSignalLike, RpcConnection, RpcHandlers } from "../../contracts/rpc.js";
import type { CloseInfo } from "../../contracts/transport.js";
import { decodeDocument } from "../../protocols/aaep/protobuf/decode.js";
import { encodeDocument } from "../../protocols/aaep/protobuf/encode.js";
import { STARTED, TERMINAL } from "../event-types.js";
import { faultFromError } from "../messages.js";
import { RecentMap } from "../recent-map.js";
import { aloneFault, answering, questionEvent } from "./service-calls.js";

interface Waiting {
  readonly resolve: (answer: Members) => void;
  readonly reject: (fault: Fault) => void;
}

/** How long a daemon may take to answer a call beside the stream, ms. After that the connection counts as lost. */
const ANSWER_MS = 30_000;
/** How long a daemon may take to end the stream behind this side's end, ms. */
const END_MS = 2000;

/** Rejects with `not_found` if no daemon answers at the address, and as `holdOwnSocket` throws. */
export async function openGrpcConnection(target: GrpcTarget, handlers: RpcHandlers): Promise<RpcConnection> {
  return answering(createConnection(target, handlers), target.address);
}

function createConnection(target: GrpcTarget, handlers: RpcHandlers): RpcConnection {
  const calls = createGrpcCalls(target, readFault);
  const proofs = new SessionProofs();
  /** Requests of the stream by their ids, and questions by their tokens. */
  const unanswered = new Map<string, Waiting>();
  const asked = new Map<unknown, Waiting>();
  let lastId = 0;
  let stream: GrpcStream | undefined;
  let isClosing = false;
  let over: Fault | undefined;
  const { promise: closed, resolve: tellClosed } = withResolvers<CloseInfo>();

  function finish(fault: Fault | undefined): void {
    if (over !== undefined) return;
    over = new Fault("peer_gone", fault?.sentence ?? "The connection to the daemon has ended.", { cause: fault });
    calls.close();
    for (const { reject } of [...unanswered.values(), ...asked.values()]) reject(over);
    unanswered.clear();
    asked.clear();
    if (isClosing) tellClosed({ kind: "local" });
    else if (fault === undefined) tellClosed({ kind: "remote" });
    else tellClosed({ kind: fault.code === "peer_gone" ? "abrupt" : "remote", fault });
  }

  function take(message: Uint8Array): void {
    const {
      request_id: id,
      receipt,
      manifest,
      session,
      error,
      outcome,
      ...others
    } = decodeDocument(PublishResponseSchema, message) as Readonly<Record<string, Members | undefined>>;
    const news = newsIn(others);
    if (outcome !== undefined) {
      const question = asked.get(outcome.reply_token);
      if (question === undefined) tell("aaep.outcome", outcome);
      else question.resolve(outcome);
    } else if (news) tell(news.method, news.params);
    else {
      const request = unanswered.get(String(id));
      unanswered.delete(String(id));
      if (error === undefined) request?.resolve(receipt ?? session ?? manifest ?? {});
      else if (request === undefined) tell("aaep.error", error);
      else request.reject(faultFromError(error as unknown as AaepdError));
    }
  }

  const tell = (method: string, params: Members): void => {
    const text = JSON.stringify({ method, params });
    handlers.notification({ method, params, text, outline: outlineOf(text), signal: NEVER });
  };

  /** The daemon ends a stream that says nothing for long, so the stream begins with the first request. */
  function opened(): GrpcStream {
    if (stream !== undefined) return stream;
    const { method } = AgentService;
    const opening = calls.stream(pathOf(method.publish), (message) => {
      try {
        take(message);
      } catch {
        opening.cancel();
      }
    });
    void opening.ended.then(finish);
    stream = opening;
    return opening;
  }

  function say(request: Members): Promise<Members> {
    return new Promise((resolve, reject) => {
      if (over !== undefined) return reject(over);
      lastId += 1;
      const message = encodeDocument(PublishRequestSchema, { request_id: String(lastId), ...request });
      unanswered.set(String(lastId), { resolve, reject });
      opened().write(message);
    });
  }

  async function call(method: DescMethod, request: Members): Promise<Members> {
    const message = encodeDocument(method.input, request);
    const answer = calls.unary(pathOf(method), message, ANSWER_MS).catch((caught: unknown) => {
      const fault = faultFrom(caught);
      if (fault.code === "timed_out") finish(fault);
      throw over ?? fault;
    });
    return decodeDocument(method.output, await answer);
  }

  async function publish(events: readonly Members[]): Promise<Members> {
    proofs.publishes(events);
    const receipt = await say({ publish: { events } });
    proofs.published(events);
    return receipt;
  }

  const proofOf = (token: unknown): Members => {
    const proof = proofs.of(token);
    return proof === undefined ? {} : { resume_token: proof };
  };

  /** The outcome that a question has by now. */
  async function outcomeOf(token: unknown): Promise<Members | undefined> {
    const { outcome } = await call(AgentService.method.getOutcome, { reply_token: token, ...proofOf(token) });
    return outcome as Members | undefined;
  }

  async function ask(method: string, question: Members): Promise<Members> {
    const event = questionEvent(method, question);
    const { reply_token: token } = event;
    const heldAs = proofs.heldAs(event);
    const news = new Promise<Members>((resolve, reject) => {
      asked.set(token, { resolve, reject });
    });
    // A question that is refused has no news.
    news.catch(() => {});
    try {
      await publish([event]).catch((caught: unknown) => {
        throw aloneFault(caught);
      });
      if (heldAs === undefined) throw lostWithSession();
      // The question may have been asked over an earlier connection. An outcome of the time in between is no news.
      return (heldAs === "taken over" ? await outcomeOf(token) : undefined) ?? (await news);
    } finally {
      asked.delete(token);
    }
  }

  async function request(method: string, params: object): Promise<unknown> {
    const fields = params as Members;
    switch (method) {
      case "aaep.publish":
        if (Array.isArray(params)) return publish(params);
        return publish([fields]).catch((caught: unknown) => {
          throw aloneFault(caught);
        });
      case "aaep.confirm":
      case "aaep.clarify":
        return ask(method, fields);
      case "aaep.cancel": {
        const shown = { ...proofOf(fields.reply_token), ...fields };
        return { cancelled: false, ...(await call(AgentService.method.cancel, shown)) };
      }
      case "aaep.resume_session": {
        const summary = await say({ resume: fields });
        proofs.takesOver(fields);
        return summary;
      }
      case "aaep.set_manifest":
        return say({ manifest: fields });
      case "aaep.ping":
        return call(SubscriberService.method.getManifest, {});
      default:
        throw new Fault("unknown_method", `${method} cannot be called over gRPC.`, { origin: "local" });
    }
  }

  return {
    peer: { label: target.address, trust: target.address.startsWith("unix:") ? "same-user" : "token-holder" },
    request,
    // The service is told nothing without an answer.
    notify: () => true,
    writable: async () => stream?.writable(),
    ended: closed.then(() => {}),
    close: async (withinMs = END_MS) => {
      isClosing = true;
      if (stream === undefined) finish(undefined);
      else {
        stream.end();
        const timer = setTimeout(stream.cancel, withinMs);
        await closed;
        clearTimeout(timer);
      }
    },
    closed,
    unref: calls.unref,
  };
}

interface HeldSession {
  readonly token: string;
  readonly as: "begun" | "taken over";
}

/** Questions that are certainly remembered, the last ones. */
const REMEMBERED_QUESTIONS = 1024;

/** The tokens of an agent's sessions. A call beside the agent's stream shows the token of the session that it is about (R8). */
class SessionProofs {
  readonly #sessions = new Map<unknown, HeldSession>();
  readonly #questions = new RecentMap<string>(REMEMBERED_QUESTIONS);

  /** Events are about to be published. */
  publishes(events: readonly Members[]): void {
    for (const { type, session_id: id, reply_token: replyToken, extensions } of events) {
      const { resume_token: token } = membersOf(membersOf(extensions).aaepd);
      if (STARTED.test(String(type)) && typeof token === "string") this.#sessions.set(id, { token, as: "begun" });
      const held = this.#sessions.get(id);
      if (typeof replyToken === "string" && held !== undefined) this.#questions.set(replyToken, held.token);
    }
  }

  /** The daemon has taken these events. */
  published(events: readonly Members[]): void {
    for (const { type, session_id: id } of events) if (TERMINAL.test(String(type))) this.#sessions.delete(id);
  }

  /** A session was taken over. */
  takesOver(claim: Members): void {
    const { session_id: id, resume_token: token } = claim as unknown as ResumeSessionParams;
    this.#sessions.set(id, { token, as: "taken over" });
  }

  /** How this connection has the session of the event; undefined: it does not have it. */
  heldAs({ session_id: id }: Members): HeldSession["as"] | undefined {
    return this.#sessions.get(id)?.as;
  }

  /** The token for the session of a question. */
  of(replyToken: unknown): string | undefined {
    return this.#questions.get(String(replyToken));
  }
}

function lostWithSession(): Fault {
  const sentence = "The session of this question is not of this connection. Ask in a session that is.";
  return new Fault("session_not_yours", sentence, { pointer: "/session_id", rule: "R8" });
}

const NEVER: AbortSignalLike = { aborted: false, reason: undefined, addEventListener: () => {} };

const readFault: ReadFault = ({ typeName, bytes }) =>
  typeName === AaepdErrorSchema.typeName
    ? faultFromError(decodeDocument(AaepdErrorSchema, bytes) as unknown as AaepdError)
    : undefined;

function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

/** The methods of news, by their field. */
const NEWS: Readonly<Record<string, string>> = {
  waiting: "aaep.waiting",
  closing: "aaepd.closing",
  stop_requested: "aaep.stop_requested",
  user_input: "aaepd.user_input",
};

function newsIn(fields: Readonly<Record<string, Members | undefined>>) {
  const [field = ""] = Object.keys(fields);
  const method = NEWS[field];
  // Protobuf leaves an empty text out.
  return method && { method, params: { ...(field === "user_input" ? { text: "" } : undefined), ...fields[field] } };
}
