// One stream of aaep.v1.AgentService.Publish: an agent identified by its stream (R3, R8, R29). Requests are answered in order, each once its events
// are durable. Messages about the agent's questions go out between the answers.
import { PublishResponseSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { Fault, publicFault } from "../../../base/errors.js";
import type { SharedRoom } from "../../../base/shared-room.js";
import { timeToClose } from "../../../base/time-limit.js";
import { withResolvers } from "../../../base/with-resolvers.js";
import type { AccessPolicy } from "../../../contracts/access.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Log } from "../../../contracts/log.js";
import type { Conversation, EndReason } from "../../../contracts/protocol.js";
import type { Connection, FrameTaker, PeerIdentity } from "../../../contracts/transport.js";
import type { Engine } from "../../../engine/engine.js";
import type { ResolvedQuestion } from "../../../engine/questions/question-result.js";
import {
  closedOutcomeDocument,
  closedSummaryDocument,
  closingDocument,
  receiptDocument,
  waitingDocument,
} from "../agent/agent-documents.js";
import { type AgentHandler, createAgentHandler } from "../agent/agent-handler.js";
import { isCostlyCall } from "../agent/costly-calls.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import type { SpokenLanguages } from "../subscriber/spoken-languages.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";
import { type PublishRequest, publishRequestIn, requestIdIn } from "./agent-requests.js";
import { createOrderedAnswers, type OrderedAnswers } from "./ordered-answers.js";
import { messageBytes } from "./service-frames.js";

export interface AgentStreamServices {
  readonly engine: Pick<Engine, "openAgent" | "publishRefused">;
  readonly languages: SpokenLanguages;
  readonly access: AccessPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a stream may stay without a request, ms (R22). */
  readonly handshakeTimeoutMs: () => Millis;
  /** Hands the frames of a stream over, one after another, between those of other connections (R34). */
  readonly readFrames: (connection: Connection<Uint8Array>, taker: FrameTaker<Uint8Array>) => void;
  /** Receives each stream when it is served; the receiver calls `finish`. */
  readonly served: (stream: Conversation, peer: PeerIdentity) => void;
}

/**
 * Serves a stream from its first frame to its end, which is the end of its agent (R8). If this side ends the stream, the answers known so far go out
 * first, then the status of the reason. `answerRoom`: of all streams together.
 */
export function serveAgentStream(
  connection: Connection<Uint8Array>,
  services: AgentStreamServices,
  answerRoom: SharedRoom,
): Conversation {
  const { clock, log } = services;
  const answers: OrderedAnswers<Uint8Array> = createOrderedAnswers(connection, answerRoom);
  let hasAsked = false;
  let isOver = false;
  /** Requests whose answers wait until their contents are durable. */
  const unsafe = new Set<Promise<void>>();
  const { promise: inputEnded, resolve: tellInputEnded } = withResolvers();

  const handler = createAgentHandler({
    engine: services.engine,
    access: services.access.of(connection.peer),
    identity: undefined,
    processId: connection.peer.processId,
    events: {
      outcome: (resolved) => answers.tell(outcomeFrame(resolved)),
      // The state of waiting may change many times before a slow agent takes the message, so only the newest is kept.
      waiting: (question, isWaiting) =>
        answers.tell(encoded("", { waiting: waitingDocument(question, isWaiting) }), question.token),
      stopRequested: (session_id) =>
        answers.tell(encoded("", { stop_requested: { session_id } }), `stop ${session_id}`),
      closing: (areSessionsKept) => answers.tell(encoded("", { closing: closingDocument(areSessionsKept) })),
    },
    languages: services.languages,
    manifestDeclared: () => {},
  });

  const cancelTimeout = clock.wakeAt(clock.now() + services.handshakeTimeoutMs(), () => {
    if (!hasAsked) void finish("handshake_timeout");
  });

  const over = (): void => {
    if (isOver) return;
    isOver = true;
    cancelTimeout();
    answers.handOver();
    handler.close();
    tellInputEnded();
  };
  const done = connection.closed.then(over);

  async function finish(reason: EndReason, until?: Millis): Promise<number> {
    over();
    await connection.close(faultOf(reason), timeToClose(until, clock.now()));
    const { isCutShort } = await connection.closed;
    return isCutShort === true ? 1 : 0;
  }

  const outcomeFrame = (resolved: ResolvedQuestion): Uint8Array => {
    try {
      return encoded("", { outcome: closedOutcomeDocument(resolved) });
    } catch (caught) {
      return encoded("", { error: errorMessage(publicFault(caught, log)) });
    }
  };

  const answerLater = (answered: Promise<void>): void => {
    unsafe.add(answered);
    void answered.then(() => unsafe.delete(answered));
  };

  /** Handles one frame. Returns whether it was costly. */
  const take = (frame: Uint8Array): boolean => {
    // The place is reserved first, so that messages about these events follow their receipt.
    const answer = answers.reserve(messageBytes(frame));
    let id: string | undefined;
    const refuse = (caught: unknown): void =>
      answer(encoded(id ?? requestIdIn(frame), { error: errorMessage(publicFault(caught, log)) }));
    try {
      const request = publishRequestIn(frame);
      id = request.id;
      hasAsked = true;
      const { response, isCostly, durable } = respond(handler, request);
      const message = encoded(id, response);
      // Acknowledged events are durable (R29).
      if (durable === undefined) answer(message);
      else answerLater(durable.then(() => answer(message), refuse));
      return isCostly;
    } catch (caught) {
      refuse(caught);
      return false;
    }
  };

  const end = async (fault: Fault | undefined): Promise<void> => {
    tellInputEnded();
    if (fault === undefined) {
      // A session's token is reported to its owner (R8), so the agent keeps its sessions until all its requests are answered.
      await Promise.all(unsafe);
      // The end of the input ends the agent: pending answers go out, further messages do not.
      handler.close();
      await answers.empty();
    }
    over();
    await connection.close(fault);
  };

  services.readFrames(connection, {
    take: (frame) => !isOver && take(frame),
    room: () => {
      if (isOver) return undefined;
      // An agent that sends without reading is not read from either.
      return answers.hasRoom() ? undefined : answers.room();
    },
    noMore: (fault) => void end(fault === undefined ? undefined : publicFault(fault, log)),
  });
  const stream: Conversation = { finish, inputEnded, done };
  services.served(stream, connection.peer);
  return stream;
}

interface Responded {
  /** The member of the response that carries the answer. */
  readonly response: Message;
  readonly isCostly: boolean;
  readonly durable?: Promise<void> | undefined;
}

function respond(handler: AgentHandler, request: PublishRequest): Responded {
  switch (request.kind) {
    case "publish": {
      const { events, resumeToken } = request;
      const receipt = handler.publish({ events, isArray: true, resumeToken });
      const isCostly = isCostlyCall("aaep.publish", events);
      return { response: { receipt: receiptDocument(receipt) }, isCostly, durable: receipt.durable };
    }
    case "manifest":
      handler.setManifest(request.manifest);
      return { response: { manifest: {} }, isCostly: false };
    case "resume": {
      // First, because no session is taken over while the journal cannot write.
      const durable = handler.whenDurable();
      const session = closedSummaryDocument(handler.resumeSession(request.claim), (request.claim as Message).after);
      return { response: { session }, isCostly: true, durable };
    }
  }
}

function encoded(requestId: string, response: Message): Uint8Array {
  return encodeDocument(PublishResponseSchema, requestId === "" ? response : { request_id: requestId, ...response });
}

function faultOf(reason: EndReason): Fault {
  switch (reason) {
    // Nobody publishes into a recording.
    case "recording_ended":
    case "producer_shutdown":
      return new Fault("shutting_down", "The daemon is stopping. Publish again when it is back.", { rule: "R8a" });
    case "handshake_timeout":
      return new Fault("timed_out", "No request came in time. Open another stream.", { rule: "R22" });
    case "lagging":
      return new Fault("lagging", "This stream took too little for too long. Open another, and resume.", {
        rule: "R8",
      });
    case "producer_error":
      return new Fault("internal", "Something went wrong in the daemon, and stands in its log. Open another stream.", {
        origin: "local",
      });
  }
}
