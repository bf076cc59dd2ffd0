// aaep.v1.AgentService as methods that every transport of services can serve (R3, R8, R29, AAEP ch. 6).
import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import {
  AgentService,
  CancelRequestSchema,
  CancelResponseSchema,
  ClarifyRequestSchema,
  ClarifyResponseSchema,
  ConfirmRequestSchema,
  ConfirmResponseSchema,
  GetOutcomeRequestSchema,
  GetOutcomeResponseSchema,
  PublishBatchRequestSchema,
  PublishBatchResponseSchema,
  ResumeSessionRequestSchema,
  ResumeSessionResponseSchema,
  SetManifestRequestSchema,
  SetManifestResponseSchema,
} from "#gen/aaep/v1/agent_service_pb.js";
import { Fault, publicFault } from "../../../base/errors.js";
import type { ServiceCall, ServiceMethod } from "../../../contracts/service.js";
import { closedOutcomeDocument, closedSummaryDocument, receiptDocument } from "../agent/agent-documents.js";
import type { AgentHandler } from "../agent/agent-handler.js";
import { isCostlyCall } from "../agent/costly-calls.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import { type AgentLeaseServices, createAgentLeases, type LeaseClaim } from "./agent-leases.js";
import { agentDocument, batchIn, missing, questionIn, textOf } from "./agent-requests.js";
import { type AgentStreamServices, serveAgentStream } from "./agent-stream.js";
import { createCallTurns } from "./call-turns.js";
import { createAnswerRoom } from "./ordered-answers.js";
import { messageBytes } from "./service-frames.js";

export interface AgentServiceServices extends AgentLeaseServices, AgentStreamServices {
  readonly engine: AgentLeaseServices["engine"] & AgentStreamServices["engine"];
}

export interface AgentMethods {
  /** All methods of AgentService; one list for all transports. */
  readonly methods: readonly ServiceMethod[];
  /** Number of agents known by unary calls. */
  readonly leaseCount: () => number;
  /**
   * Ends the agents of unary calls. Called after the engine has ended the sessions; streams end by their own `finish`. Calls under way are answered,
   * new ones refused.
   */
  readonly close: () => void;
}

/** A call with more events than this is costly. */
const MANY_EVENTS = 64;

export function agentMethods(services: AgentServiceServices): AgentMethods {
  const { method } = AgentService;
  const leases = createAgentLeases(services);
  const turns = createCallTurns(services.clock);
  const answers = createAnswerRoom();

  /** A method with one answer. */
  const unary = (
    descriptor: DescMethod,
    request: DescMessage,
    answer: DescMessage,
    answerOf: (request: Message, call: ServiceCall, bytes: number) => Promise<Message>,
  ): ServiceMethod => ({
    kind: "unary",
    descriptor,
    answer: async (frame, call) => {
      try {
        return encodeDocument(answer, await answerOf(agentDocument(request, frame), call, messageBytes(frame)));
      } catch (caught) {
        throw publicFault(caught, services.log);
      }
    },
  });

  /** Runs a call in a turn of its own, one call of its peer at a time. */
  const inTurn = async <Answer>(
    { peer, signal }: ServiceCall,
    bytes: number,
    call: () => Promise<Answer>,
  ): Promise<Answer> =>
    await turns(peer.label, bytes, () => {
      if (signal.aborted) throw new Fault("cancelled", "The call was taken back before its turn came.");
      return call();
    });

  /** Asks a question as the agent of the call, and answers with the outcome. */
  const ask =
    (kind: "confirmation" | "clarification") =>
    async (request: Message, call: ServiceCall): Promise<Message> => {
      const fields = questionIn(request.event, kind);
      const claim = claimOf(request);
      const asking = { signal: call.signal, resumeToken: claim.resumeToken };
      const { answer, agentKey } = await leases.call(claim, call, (handler) =>
        kind === "confirmation" ? handler.confirm(fields, asking) : handler.clarify(fields, asking),
      );
      return { outcome: closedOutcomeDocument(answer), ...keyMember(agentKey) };
    };

  const publishBatch = async (request: Message, call: ServiceCall, bytes: number): Promise<Message> => {
    const { events, resumeToken } = batchIn(request.publish);
    const publish = async (handler: AgentHandler): Promise<Message> => {
      const receipt = handler.publish({ events, isArray: true, resumeToken });
      // Acknowledged events are durable (R29).
      await receipt.durable;
      return receiptDocument(receipt);
    };
    const act = () => leases.call({ agentKey: textOf(request.agent_key), resumeToken }, call, publish);
    const isCostly = events.length > MANY_EVENTS || isCostlyCall("aaep.publish", events);
    const { answer, agentKey } = await (isCostly ? inTurn(call, bytes, act) : act());
    return { receipt: answer, ...keyMember(agentKey) };
  };

  const resumeSession = async (request: Message, call: ServiceCall, bytes: number): Promise<Message> => {
    const session = request.session as Message | undefined;
    if (session === undefined) throw missing("session", "with session_id and resume_token");
    const claim = { agentKey: textOf(request.agent_key), resumeToken: textOf(session.resume_token) };
    const { answer, agentKey } = await inTurn(call, bytes, () =>
      leases.call(claim, call, async (handler) => {
        // First, because no session is taken over while the journal cannot write. The answer waits until its contents are durable (R29).
        const durable = handler.whenDurable();
        const answered = closedSummaryDocument(handler.resumeSession(session), session.after);
        await durable;
        return answered;
      }),
    );
    return { session: answer, ...keyMember(agentKey) };
  };

  const cancel = async (request: Message, call: ServiceCall): Promise<Message> => {
    const claim = claimOf(request);
    const { answer, agentKey } = await leases.call(claim, call, (handler) =>
      handler.cancel(tokenOf(request), request, claim.resumeToken),
    );
    return { cancelled: answer, ...keyMember(agentKey) };
  };

  const getOutcome = async (request: Message, call: ServiceCall): Promise<Message> => {
    const claim = claimOf(request);
    const { answer, agentKey } = await leases.call(claim, call, (handler) =>
      handler.outcomeOf(tokenOf(request), claim.resumeToken),
    );
    return { ...(answer === "open" ? {} : { outcome: closedOutcomeDocument(answer) }), ...keyMember(agentKey) };
  };

  const setManifest = async (request: Message, call: ServiceCall): Promise<Message> => {
    if (request.manifest === undefined) throw missing("manifest", "that says who the agent is");
    const claim = { agentKey: textOf(request.agent_key), resumeToken: undefined };
    const { agentKey } = await leases.call(claim, call, (handler) => handler.setManifest(request.manifest));
    return keyMember(agentKey);
  };

  const methods: readonly ServiceMethod[] = [
    {
      kind: "stream",
      descriptor: method.publish,
      joinsBatches: false,
      accept: (connection) => void serveAgentStream(connection, services, answers),
    },
    unary(method.publishBatch, PublishBatchRequestSchema, PublishBatchResponseSchema, publishBatch),
    unary(method.confirm, ConfirmRequestSchema, ConfirmResponseSchema, ask("confirmation")),
    unary(method.clarify, ClarifyRequestSchema, ClarifyResponseSchema, ask("clarification")),
    unary(method.cancel, CancelRequestSchema, CancelResponseSchema, cancel),
    unary(method.getOutcome, GetOutcomeRequestSchema, GetOutcomeResponseSchema, getOutcome),
    unary(method.resumeSession, ResumeSessionRequestSchema, ResumeSessionResponseSchema, resumeSession),
    unary(method.setManifest, SetManifestRequestSchema, SetManifestResponseSchema, setManifest),
  ];

  return { methods, leaseCount: leases.count, close: leases.close };
}

function claimOf(request: Message): LeaseClaim {
  return { agentKey: textOf(request.agent_key), resumeToken: textOf(request.resume_token) };
}

/** An absent token gives "", which names no question. */
function tokenOf(request: Message): string {
  return textOf(request.reply_token) ?? "";
}

function keyMember(agentKey: string | undefined): Message {
  return agentKey === undefined ? {} : { agent_key: agentKey };
}
