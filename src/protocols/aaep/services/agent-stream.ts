// One stream of aaep.v1.AgentService.Publish: an agent identified by its stream (R3, R8, R29). Requests are answered in order, each once its events
// are durable. Messages about the agent's questions go out between the answers.
import { PublishResponseSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { Fault, publicFault } from "../../../base/errors.js";
import { timeToClose } from "../../../base/time-limit.js";
import { withResolvers } from "../../../base/with-resolvers.js";
import type { AccessPolicy } from "../../../contracts/access.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Log } from "../../../contracts/log.js";
import type { Conversation, EndReason } from "../../../contracts/protocol.js";
import type { Connection, FrameTaker, PeerIdentity } from "../../../contracts/transport.js";
import type { PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { AgentEvents } from "../../../engine/agents/question-agents.js";
import type { Engine } from "../../../engine/engine.js";
import type { ResolvedQuestion } from "../../../engine/questions/question-result.js";
import {
  closedOutcomeDocument,
  closedSummaryDocument,
  closingDocument,
  receiptDocument,
  waitingDocument,
} from "../agent/agent-documents.js";
import { AgentHandler } from "../agent/agent-handler.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import type { SpokenLanguages } from "../subscriber/spoken-languages.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";
import { type PublishRequest, publishRequestIn, requestIdIn } from "./agent-requests.js";
import { OrderedAnswers } from "./ordered-answers.js";
import { messageBytes } from "./service-messages.js";

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

/** Serves a stream from its first frame to its end, which is the end of its agent (R8). */
export function serveAgentStream(connection: Connection<Uint8Array>, services: AgentStreamServices): void {
  const stream = new AgentStream(connection, services);
  services.readFrames(connection, stream);
  services.served(stream, connection.peer);
}

class AgentStream implements Conversation, FrameTaker<Uint8Array> {
  readonly inputEnded: Promise<void>;
  readonly done: Promise<void>;
  private readonly connection: Connection<Uint8Array>;
  private readonly services: AgentStreamServices;
  private readonly answers: OrderedAnswers<Uint8Array>;
  private readonly handler: AgentHandler;
  private readonly tellInputEnded: () => void;
  private readonly cancelTimeout: () => void;
  /** Answers that wait until their contents are durable (R29). */
  private readonly unsafe = new Set<Promise<void>>();
  private hasAsked = false;
  private isOver = false;

  constructor(connection: Connection<Uint8Array>, services: AgentStreamServices) {
    const { engine, access, languages, clock } = services;
    const { peer } = connection;
    this.connection = connection;
    this.services = services;
    this.answers = new OrderedAnswers(connection);
    const { promise, resolve } = withResolvers();
    this.inputEnded = promise;
    this.tellInputEnded = resolve;
    this.handler = new AgentHandler({
      engine,
      access: access.of(peer),
      processId: peer.processId,
      languages,
      events: this.eventsForAgent(),
    });
    this.cancelTimeout = clock.wakeAt(clock.now() + services.handshakeTimeoutMs(), () => {
      if (!this.hasAsked) void this.finish("handshake_timeout");
    });
    this.done = connection.closed.then(() => this.over());
  }

  /** Ends the stream from this side: the answers known so far go out first, then the status of the reason. */
  async finish(reason: EndReason, until?: Millis): Promise<number> {
    this.over();
    await this.connection.close(faultOf(reason), timeToClose(until, this.services.clock.now()));
    const { isCutShort } = await this.connection.closed;
    return isCutShort === true ? 1 : 0;
  }

  /** Handles one request. Returns whether it was costly. */
  take(frame: Uint8Array): boolean {
    if (this.isOver) return false;
    // The place is reserved first, so that messages about these events follow their receipt.
    const answer = this.answers.reserve(messageBytes(frame));
    let id: string | undefined;
    const refuse = (caught: unknown): void => answer(encoded(id ?? requestIdIn(frame), this.errorOf(caught)));
    try {
      const request = publishRequestIn(frame);
      id = request.id;
      this.hasAsked = true;
      const respondWith = ({ response, isCostly, durable }: Responded): boolean => {
        const message = encoded(request.id, response);
        // Acknowledged events are durable (R29).
        if (durable === undefined) answer(message);
        else this.answerLater(durable.then(() => answer(message), refuse));
        return isCostly;
      };
      const responded = this.respond(request);
      if (!(responded instanceof Promise)) return respondWith(responded);
      this.answerLater(responded.then(respondWith).then(() => undefined, refuse));
      return true;
    } catch (caught) {
      refuse(caught);
      return false;
    }
  }

  /** An agent that sends without reading is not read from either, and nothing overtakes a publish under way. */
  room(): Promise<void> | undefined {
    return this.isOver ? undefined : (this.handler.room() ?? this.answers.room());
  }

  noMore(fault: Fault | undefined): void {
    void this.end(fault);
  }

  private async end(fault: Fault | undefined): Promise<void> {
    this.tellInputEnded();
    if (fault === undefined) {
      // A session's token is reported to its owner (R8), so the agent keeps its sessions until all its requests are answered.
      await Promise.all(this.unsafe);
      // The end of the input ends the agent: pending answers go out, further messages do not.
      this.handler.close();
      await this.answers.empty();
    }
    this.over();
    await this.connection.close(fault && publicFault(fault, this.services.log));
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.cancelTimeout();
    this.answers.handOver();
    this.handler.close();
    this.tellInputEnded();
  }

  private answerLater(answered: Promise<void>): void {
    this.unsafe.add(answered);
    void answered.then(() => this.unsafe.delete(answered));
  }

  private respond(request: PublishRequest): Responded | Promise<Responded> {
    const { handler } = this;
    switch (request.kind) {
      case "publish": {
        const receipt = handler.publish(request.events, true, request.resumeToken);
        return receipt instanceof Promise ? receipt.then(receipted) : receipted(receipt, handler.wasCostly);
      }
      case "manifest":
        handler.setManifest(request.manifest);
        return { response: { manifest: {} }, isCostly: false };
      case "resume": {
        const { summary, durable } = handler.resumeSession(request.claim);
        const session = closedSummaryDocument(summary, request.claim.after);
        return { response: { session }, isCostly: true, durable };
      }
    }
  }

  private eventsForAgent(): AgentEvents {
    const tell = (response: Message, key?: string): void => this.answers.tell(encoded("", response), key);
    return {
      outcome: (resolved) => tell(this.outcomeOf(resolved)),
      // The state of waiting may change many times before a slow agent takes the message, so only the newest is kept.
      waiting: (question, isWaiting) => tell({ waiting: waitingDocument(question, isWaiting) }, question.token),
      stopRequested: (session_id) => tell({ stop_requested: { session_id } }, `stop ${session_id}`),
      closing: (areSessionsKept) => tell({ closing: closingDocument(areSessionsKept) }),
    };
  }

  private outcomeOf(resolved: ResolvedQuestion): Message {
    try {
      return { outcome: closedOutcomeDocument(resolved) };
    } catch (caught) {
      return this.errorOf(caught);
    }
  }

  private errorOf(caught: unknown): Message {
    return { error: errorMessage(publicFault(caught, this.services.log)) };
  }
}

interface Responded {
  /** The member of the response that carries the answer. */
  readonly response: Message;
  readonly isCostly: boolean;
  readonly durable?: Promise<void> | undefined;
}

function receipted(receipt: PublishReceipt, isCostly = true): Responded {
  return { response: { receipt: receiptDocument(receipt) }, isCostly, durable: receipt.durable };
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
