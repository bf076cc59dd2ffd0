// aaep.v1.AgentService as methods that every transport of services can serve (R3, R8, R29, AAEP ch. 6).
import type { DescMethod } from "@bufbuild/protobuf";
import { AgentService } from "#gen/aaep/v1/agent_service_pb.js";
import { publicFault } from "../../../base/errors.js";
import { someText } from "../../../base/members.js";
import type { ServiceCall, ServiceMethod } from "../../../contracts/service.js";
import type { QuestionKind } from "../../../engine/event/event.js";
import { outcomeFields } from "../../../engine/questions/question-result.js";
import { acknowledged, takenOver } from "../agent/agent-documents.js";
import type { AgentHandler } from "../agent/agent-handler.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import { AgentLeases, type LeaseClaim } from "./agent-leases.js";
import { type AgentServices, serveAgentStream } from "./agent-stream.js";
import { agentDocument, batchIn, missing, questionIn } from "./service-messages.js";

/** A call as its agent makes it: what it says, and its answer. */
interface Unary<Said> {
  readonly descriptor: DescMethod;
  /** Reads what the call says. Throws the Fault of a request without it. */
  readonly read: (request: Message) => Said;
  readonly act: (handler: AgentHandler, said: Said, call: ServiceCall, claim: LeaseClaim) => Message | Promise<Message>;
}

/** All methods of AgentService; one list for all transports. */
export function agentMethods(services: AgentServices) {
  const { method } = AgentService;
  const leases = new AgentLeases(services);

  const unary = <Said>({ descriptor, read, act }: Unary<Said>): ServiceMethod => ({
    kind: "unary",
    descriptor,
    answer: async (frame, call) => {
      try {
        const request = agentDocument(descriptor.input, frame);
        const said = read(request);
        const claim = claimOf(request);
        const { answer, agentKey } = await leases.call(claim, call, (handler) => act(handler, said, call, claim));
        return encodeDocument(descriptor.output, { ...answer, agent_key: agentKey });
      } catch (caught) {
        throw publicFault(caught, services.log);
      }
    },
  });

  const question = (kind: QuestionKind, descriptor: DescMethod): ServiceMethod =>
    unary({
      descriptor,
      read: ({ event }) => questionIn(event, kind),
      act: async (handler, fields, { signal }, { resumeToken }) => ({
        outcome: outcomeFields(await handler.ask(kind, fields, { signal, resumeToken })),
      }),
    });

  const methods: readonly ServiceMethod[] = [
    {
      kind: "stream",
      descriptor: method.publish,
      joinsBatches: false,
      accept: (connection) => void serveAgentStream(connection, services),
    },
    unary({
      descriptor: method.publishBatch,
      read: ({ publish }) => batchIn(publish),
      act: async (handler, { events, resumeToken }) => ({
        receipt: await acknowledged(handler.publish(events, true, resumeToken)),
      }),
    }),
    question("confirmation", method.confirm),
    question("clarification", method.clarify),
    unary({
      descriptor: method.cancel,
      read: (request) => request,
      act: async (handler, request, _, { resumeToken }) => ({
        cancelled: await handler.cancel(tokenOf(request), request, resumeToken),
      }),
    }),
    unary({
      descriptor: method.getOutcome,
      read: tokenOf,
      act: (handler, token, _, { resumeToken }) => {
        const outcome = handler.outcomeOf(token, resumeToken);
        return outcome === "open" ? {} : { outcome: outcomeFields(outcome) };
      },
    }),
    unary({
      descriptor: method.resumeSession,
      read: ({ session }) => {
        if (session === undefined) throw missing("session", "with session_id and resume_token");
        return session as Message;
      },
      act: async (handler, session) => ({ session: await takenOver(handler.resumeSession(session), session.after) }),
    }),
    unary({
      descriptor: method.setManifest,
      read: ({ manifest }) => {
        if (manifest === undefined) throw missing("manifest", "that says who the agent is");
        return manifest;
      },
      act: (handler, manifest) => {
        handler.setManifest(manifest);
        return {};
      },
    }),
  ];
  return {
    methods,
    /** Number of agents known by unary calls. */
    leaseCount: () => leases.count(),
    /**
     * Ends the agents of unary calls. Called after the engine has ended the sessions; streams end by their own `finish`. Calls under way are
     * answered, new ones refused.
     */
    close: () => leases.close(),
  };
}

/** The proofs of a call: the token of a session stands in the message about it, or beside it. */
function claimOf(request: Message): LeaseClaim {
  const { resume_token: resumeToken } = (request.publish ?? request.session ?? request) as Message;
  return { agentKey: someText(request.agent_key), resumeToken: someText(resumeToken) };
}

/** An absent token gives "", which names no question. */
function tokenOf(request: Message): string {
  return someText(request.reply_token) ?? "";
}
