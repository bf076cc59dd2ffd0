// One stream of aaep.v1.AgentService.Publish: an agent that is known by its stream (R3, R8, R29). Requests are answered in order, each once what it
// published is safe; between the answers it hears of its questions.
import { PublishResponseSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { Fault, publicFault } from "../../../base/errors.js";
import { timeToClose } from "../../../base/time-limit.js";
import type { AccessPolicy } from "../../../contracts/access.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Log } from "../../../contracts/log.js";
import type { Conversation, EndReason } from "../../../contracts/protocol.js";
import type { Connection, PeerIdentity } from "../../../contracts/transport.js";
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

export interface AgentStreamServices {
  readonly engine: Pick<Engine, "openAgent" | "publishRefused">;
  readonly languages: SpokenLanguages;
  readonly access: AccessPolicy;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a stream may stay without a request, ms (R22). */
  readonly handshakeTimeoutMs: () => Millis;
  /** Told of each stream that is being served: `finish` is its owner's to call. */
  readonly served: (stream: Conversation, peer: PeerIdentity) => void;
}

/** After so many requests others come first; a big one counts for more, and one that is costly for all. */
const TURN_COST = 256;
const BYTES_OF_ONE = 512;

/**
 * Serves a stream from its first frame to its end, which is its agent's (R8). Ended from this side, what it is owed and is known goes out first, then
 * the status of the reason.
 */
export function serveAgentStream(connection: Connection<Uint8Array>, services: AgentStreamServices): Conversation {
  const { clock, log } = services;
  const answers: OrderedAnswers<Uint8Array> = createOrderedAnswers(connection);
  let hasAsked = false;
  let isOver = false;
  /** What is not safe yet, and will be answered when it is. */
  const unsafe = new Set<Promise<void>>();
  let tellInputEnded: () => void = () => {};
  const inputEnded = new Promise<void>((resolve) => {
    tellInputEnded = resolve;
  });

  const handler = createAgentHandler({
    engine: services.engine,
    access: services.access.of(connection.peer),
    identity: undefined,
    events: {
      outcome: (resolved) => answers.tell(outcomeFrame(resolved)),
      // Whether a person is waited for may change many times before a slow agent hears of it.
      waiting: (question, isWaiting) =>
        answers.tell(encoded("", { waiting: waitingDocument(question, isWaiting) }), question.token),
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

  /** Handles one frame. Answers what it cost, refused or not. */
  const take = (frame: Uint8Array): number => {
    // The place is kept first: news of what is published now follow its receipt.
    const answer = answers.reserve();
    let id: string | undefined;
    const refuse = (caught: unknown): void =>
      answer(encoded(id ?? requestIdIn(frame), { error: errorMessage(publicFault(caught, log)) }));
    try {
      const request = publishRequestIn(frame);
      id = request.id;
      hasAsked = true;
      const { response, isCostly, durable } = respond(handler, request);
      const message = encoded(id, response);
      // What is acknowledged is safe (R29).
      if (durable === undefined) answer(message);
      else answerLater(durable.then(() => answer(message), refuse));
      return isCostly ? TURN_COST : costOf(frame);
    } catch (caught) {
      refuse(caught);
      return costOf(frame);
    }
  };

  const run = async (): Promise<void> => {
    let fault: Fault | undefined;
    let cost = 0;
    try {
      for await (const frames of connection.frames) {
        for (const frame of frames) {
          if (isOver) break;
          cost += take(frame);
          if (cost >= TURN_COST) {
            cost = 0;
            await new Promise<void>(clock.afterTurn);
          }
          // An agent that sends and does not read is not read from either.
          if (!answers.hasRoom()) await answers.room();
          const room = handler.room();
          if (room !== undefined) await room;
        }
        if (isOver) break;
      }
      tellInputEnded();
      // A session's token is told to who has it (R8): its sessions stay its own until all that it asked for is answered.
      await Promise.all(unsafe);
      // Its end of the stream is its end: it hears what it is still owed, and no more news.
      handler.close();
      await answers.empty();
    } catch (caught) {
      fault = publicFault(caught, log);
    }
    over();
    await connection.close(fault);
  };

  void run();
  const stream: Conversation = { finish, inputEnded, done };
  services.served(stream, connection.peer);
  return stream;
}

interface Responded {
  /** The member of the response that answers. */
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
      // Asked first: while the journal takes nothing, nothing is taken over.
      const durable = handler.whenDurable();
      const session = closedSummaryDocument(handler.resumeSession(request.claim));
      return { response: { session }, isCostly: true, durable };
    }
  }
}

function costOf(frame: Uint8Array): number {
  return 1 + Math.floor(frame.length / BYTES_OF_ONE);
}

function encoded(requestId: string, response: Message): Uint8Array {
  return encodeDocument(PublishResponseSchema, requestId === "" ? response : { request_id: requestId, ...response });
}

function faultOf(reason: EndReason): Fault {
  switch (reason) {
    // Into a recording nobody publishes.
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
