// Agents of aaep.v1.AgentService: on a stream, or by calls that show a key.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  AgentService,
  CancelRequestSchema,
  ClarifyRequestSchema,
  ConfirmRequestSchema,
  type EventBatch,
  EventBatchSchema,
  GetOutcomeRequestSchema,
  type Outcome,
  OutcomeSchema,
  PublishBatchRequestSchema,
  type PublishReceipt,
  type PublishRequest,
  PublishRequestSchema,
  type PublishResponse,
  QuestionFate,
  ResumeSessionRequestSchema,
  type SessionSummary,
  SetManifestRequestSchema,
} from "#gen/aaep/v1/agent_service_pb.js";
import { EventSchema, ProducerSchema } from "#gen/aaep/v1/event_pb.js";
import { ProducerManifestSchema } from "#gen/aaep/v1/manifest_pb.js";
import { SubscriberService, SubscriberServiceGetManifestRequestSchema } from "#gen/aaep/v1/subscriber_service_pb.js";
import type { Message, WireSniffer } from "../oracles/wire-sniffer.js";
import { patiently } from "../patience.js";
import { createMessageQueue, type MessageQueue } from "../peers/message-queue.js";
import type { Converting } from "./converting.js";
import { errorDocument, type Refusal, refusalIn, refusalOf, TypedRefusal } from "./refusals.js";
import { type ServiceClient, type ServiceEnd, ServiceRefusal, type ServiceStream } from "./service-client.js";

/** An agent, whichever way it speaks. Methods have the names of JSON-RPC. */
export interface Agent {
  readonly publish: (...events: readonly Message[]) => Promise<Message>;
  /** Rejects where it is refused. */
  readonly request: (method: string, params?: unknown) => Promise<Message>;
  /** As `request`, with the params' own text, as far as the way keeps it. */
  readonly requestText: (method: string, paramsText: string) => Promise<Message>;
  /** Answers the error; rejects where there was none. */
  readonly refusal: (method: string, params?: unknown) => Promise<Message>;
  /** Outcomes of questions that nobody waits for by a call. */
  readonly outcomes: MessageQueue<Message>;
  readonly waiting: MessageQueue<Message>;
}

export interface ServiceAgent extends Agent {
  readonly client: ServiceClient;
  /** Ends its stream where it has one. */
  readonly leave: () => Promise<void>;
  /** Resolves when its stream has ended, where it has one. */
  readonly ended: Promise<void>;
}

export interface AgentOptions {
  readonly client: ServiceClient;
  readonly convert: Converting;
  readonly sniffer: WireSniffer;
  readonly label?: string;
}

interface Pending {
  readonly resolve: (answer: Message) => void;
  readonly reject: (error: Error) => void;
}

/** Publishes on a stream; what waits for a person goes by calls of their own. */
export function streamAgent(options: AgentOptions): ServiceAgent {
  const { client, convert, label = "agent" } = options;
  const outcomes = createMessageQueue<Message>(`${label}'s outcomes`);
  const waiting = createMessageQueue<Message>(`${label}'s waiting`);
  const pending = new Map<string, Pending>();
  let lastId = 0;
  let stream: ServiceStream<PublishRequest> | undefined;
  let tellEnded: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    tellEnded = resolve;
  });

  const answered = (asked: Pending | undefined, { requestId, response }: PublishResponse): void => {
    pending.delete(requestId);
    if (asked === undefined) throw new Error(`an answer to nothing: ${requestId}`);
    switch (response.case) {
      case "receipt":
        asked.resolve(receiptDocument(response.value));
        break;
      case "manifest":
        asked.resolve({});
        break;
      case "session":
        asked.resolve(summaryDocument(convert, response.value));
        break;
      case "error":
        asked.reject(new TypedRefusal(errorDocument(response.value)));
        break;
      default:
        throw new Error("a response with nothing in it");
    }
  };
  const take = (message: PublishResponse): void => {
    const { requestId, response } = message;
    if (response.case === "outcome") outcomes.push(outcomeDocument(response.value));
    else if (response.case === "waiting") {
      const { replyToken, eventId, sessionId, waiting: isWaiting } = response.value;
      waiting.push({ reply_token: replyToken, event_id: eventId, session_id: sessionId, waiting: isWaiting });
    } else if (response.case !== "closing") answered(pending.get(requestId), message);
  };
  const opened = (): ServiceStream<PublishRequest> => {
    if (stream !== undefined) return stream;
    const opening = client.stream(AgentService.method.publish, take);
    stream = opening;
    void opening.ended.then((end) => {
      for (const { reject } of pending.values()) reject(lostBy(end));
      for (const queue of [outcomes, waiting]) queue.end();
      tellEnded();
    });
    return opening;
  };
  const say = (request: MessageInitShape<typeof PublishRequestSchema>["request"]): Promise<Message> => {
    lastId += 1;
    const requestId = `r${lastId}`;
    return new Promise((resolve, reject) => {
      const settle = patiently(() => reject(new Error(`${label} waited in vain for ${request?.case}`)));
      pending.set(requestId, {
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      opened().send(create(PublishRequestSchema, { requestId, ...(request === undefined ? {} : { request }) }));
    });
  };
  const request = async (method: string, params: unknown): Promise<Message> => {
    switch (method) {
      case "aaep.publish":
        return checked(options, method, await say({ case: "publish", value: batchOf(convert, params) }));
      case "aaep.set_manifest":
        return say({ case: "manifest", value: convert.toMessage(ProducerManifestSchema, params as Message) });
      case "aaep.resume_session":
        return checked(options, method, await say({ case: "resume", value: claimOf(params as Message) }));
      default:
        return singleCall(options, method, params as Message | undefined, { agentKey: "" });
    }
  };
  return {
    ...faces(request),
    client,
    outcomes,
    waiting,
    ended,
    leave: async () => {
      stream?.halfClose();
      await stream?.ended;
      await client.close();
    },
  };
}

/** Publishes by calls, and is known by its key. */
export function callingAgent(options: AgentOptions): ServiceAgent {
  const { client, convert, label = "agent" } = options;
  const { method: methods } = AgentService;
  const known = { agentKey: "" };
  const request = async (method: string, params: unknown): Promise<Message> => {
    const { agentKey } = known;
    switch (method) {
      case "aaep.publish": {
        const publish = batchOf(convert, params);
        const answer = await client.unary(
          methods.publishBatch,
          create(PublishBatchRequestSchema, { publish, agentKey }),
        );
        known.agentKey = answer.agentKey;
        if (answer.receipt === undefined) throw new Error("no receipt");
        return checked(options, method, receiptDocument(answer.receipt));
      }
      case "aaep.set_manifest": {
        const manifest = convert.toMessage(ProducerManifestSchema, params as Message);
        const answer = await client.unary(
          methods.setManifest,
          create(SetManifestRequestSchema, { manifest, agentKey }),
        );
        known.agentKey = answer.agentKey;
        return {};
      }
      case "aaep.resume_session": {
        const session = claimOf(params as Message);
        const asked = create(ResumeSessionRequestSchema, { session, agentKey });
        const answer = await client.unary(methods.resumeSession, asked);
        known.agentKey = answer.agentKey;
        if (answer.session === undefined) throw new Error("no session");
        return checked(options, method, summaryDocument(convert, answer.session));
      }
      default:
        return singleCall(options, method, params as Message | undefined, known);
    }
  };
  return {
    ...faces(request),
    client,
    outcomes: createMessageQueue<Message>(`${label}'s outcomes`),
    waiting: createMessageQueue<Message>(`${label}'s waiting`),
    leave: () => client.close(),
    ended: new Promise(() => {}),
  };
}

function faces(request: Agent["request"]): Pick<Agent, "publish" | "request" | "requestText" | "refusal"> {
  const told = (method: string, params?: unknown): Promise<Message> =>
    request(method, params).catch((caught: unknown) => {
      throw caught instanceof TypedRefusal ? caught : new TypedRefusal(refusalIn(caught));
    });
  return {
    publish: (...events) => told("aaep.publish", events),
    request: told,
    requestText: (method, text) => told(method, JSON.parse(text)),
    refusal: async (method, params) => {
      const caught: Refusal | Message = await told(method, params).then(
        (answer) => Promise.reject(new Error(`${method} was not refused: ${JSON.stringify(answer)}`)),
        (error: unknown) => (error instanceof TypedRefusal ? error.refusal : Promise.reject(error)),
      );
      return caught;
    },
  };
}

/** What both do by a call of its own. */
async function singleCall(
  { client, convert }: AgentOptions,
  method: string,
  params: Message | undefined,
  known: { agentKey: string },
): Promise<Message> {
  const { method: methods } = AgentService;
  const { agentKey } = known;
  const {
    resume_token: resumeToken = "",
    reply_token: replyToken = "",
    ...fields
  } = (params ?? {}) as Record<string, string>;
  const questionOf = (type: string) =>
    convert.toMessage(EventSchema, { ...fields, ...(replyToken === "" ? {} : { reply_token: replyToken }), type });
  switch (method) {
    case "aaep.confirm": {
      const event = questionOf("aaep:agent.awaiting.confirmation");
      const answer = await client.unary(
        methods.confirm,
        create(ConfirmRequestSchema, { event, agentKey, resumeToken }),
      );
      known.agentKey = answer.agentKey;
      return neededOutcome(answer.outcome);
    }
    case "aaep.clarify": {
      const event = questionOf("aaep:agent.awaiting.clarification");
      const answer = await client.unary(
        methods.clarify,
        create(ClarifyRequestSchema, { event, agentKey, resumeToken }),
      );
      known.agentKey = answer.agentKey;
      return neededOutcome(answer.outcome);
    }
    case "aaep.cancel": {
      const { decided_by: decidedBy } = fields;
      const decision = DECISIONS.findIndex((one) => one === fields.decision && one !== undefined);
      const asked = create(CancelRequestSchema, {
        replyToken,
        agentKey,
        resumeToken,
        ...(decidedBy === undefined ? {} : { decidedBy }),
        decision: Math.max(0, decision),
      });
      return { cancelled: (await client.unary(methods.cancel, asked)).cancelled };
    }
    case "aaep.outcome_of": {
      const asked = create(GetOutcomeRequestSchema, { replyToken, agentKey, resumeToken });
      const { outcome } = await client.unary(methods.getOutcome, asked);
      return outcome === undefined ? { state: "open" } : { state: "resolved", ...outcomeDocument(outcome) };
    }
    case "aaep.manifest": {
      const asked = create(SubscriberServiceGetManifestRequestSchema);
      const { manifest } = await client.unary(SubscriberService.method.getManifest, asked);
      if (manifest === undefined) throw new Error("no manifest");
      return convert.toDocument(ProducerManifestSchema, manifest);
    }
    default:
      throw new Error(`${method} is no call of a service`);
  }
}

/** What a request that has no answer ends with: a connection that breaks has no error of the daemon's. */
function lostBy(end: ServiceEnd): Error {
  return end.detail === undefined ? new ServiceRefusal(end) : new TypedRefusal(refusalOf(end));
}

function checked({ sniffer }: AgentOptions, method: string, answer: Message): Message {
  return sniffer.result(method, answer);
}

function batchOf(convert: Converting, params: unknown): EventBatch {
  const events = params === undefined ? [] : Array.isArray(params) ? (params as Message[]) : [params as Message];
  return create(EventBatchSchema, { events: events.map((event) => convert.toMessage(EventSchema, event)) });
}

function claimOf({ session_id, resume_token }: Message) {
  return { sessionId: String(session_id), resumeToken: String(resume_token) };
}

function receiptDocument({ events, resumeToken }: PublishReceipt): Message {
  return {
    events: events.map(({ eventId, epoch }) => ({ event_id: eventId, epoch: Number(epoch) })),
    ...(resumeToken === "" ? {} : { resume_token: resumeToken }),
  };
}

function summaryDocument(convert: Converting, summary: SessionSummary): Message {
  return {
    session_id: summary.sessionId,
    state: summary.state,
    agents: summary.agents.map(({ producer, state }) => ({
      producer: producer && convert.toDocument(ProducerSchema, producer),
      state,
    })),
    open_tools: summary.openTools.map(({ tool, toolCallId }) => ({
      tool,
      ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    })),
    open_outputs: summary.openOutputs.map(({ outputId, position }) => ({
      ...(outputId === undefined ? {} : { output_id: outputId }),
      position: Number(position),
    })),
    open_questions: summary.openQuestions.map((question) => convert.toDocument(EventSchema, question)),
    outcomes: summary.outcomes.map(({ replyToken, outcome }) => ({
      reply_token: replyToken,
      outcome: QuestionFate[outcome]?.toLowerCase(),
    })),
  };
}

function neededOutcome(outcome: Outcome | undefined): Message {
  if (outcome === undefined) throw new Error("no outcome");
  return outcomeDocument(outcome);
}

const RESOLVED_BY = ["", "reply", "timeout", "no_subscriber", "subscription_ended", "cancelled", "host"] as const;
const DECISIONS = [undefined, "accept", "reject"] as const;

/** By hand: what an agent acts on. */
function outcomeDocument(outcome: Outcome): Message {
  const { eventId, replyToken, decision, resolvedBy, decidedBy, decisionRationale, modifiedAction, confidence } =
    outcome;
  const known = {
    event_id: eventId,
    reply_token: replyToken,
    decision: DECISIONS[decision],
    response: outcome.response === undefined ? undefined : responseIn(outcome),
    resolved_by: RESOLVED_BY[resolvedBy],
    decided_by: decidedBy,
    decision_rationale: decisionRationale,
    modified_action: modifiedAction,
    confidence,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function responseIn({ response }: Outcome): unknown {
  const kind = response?.kind;
  if (kind?.case === "stringValue" || kind?.case === "numberValue" || kind?.case === "boolValue") return kind.value;
  throw new Error(`${OutcomeSchema.name}.response is ${kind?.case}`);
}
