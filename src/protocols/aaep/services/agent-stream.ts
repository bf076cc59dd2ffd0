// One stream of aaep.v1.AgentService.Publish: an agent identified by its stream (R3, R8, R29). Requests are answered in order, each once its events
// are durable. Messages about the agent's questions go out between the answers.
import { PublishResponseSchema } from "#gen/aaep/v1/agent_service_pb.js";
import { type Fault, publicFault } from "../../../base/errors.js";
import type { IdSource } from "../../../base/ids.js";
import { timeToClose } from "../../../base/time-limit.js";
import { withResolvers } from "../../../base/with-resolvers.js";
import type { AccessPolicy } from "../../../contracts/access.js";
import type { Clock, Millis } from "../../../contracts/clock.js";
import type { Log } from "../../../contracts/log.js";
import type { Conversation, EndReason } from "../../../contracts/protocol.js";
import type { Connection, FrameTaker, PeerIdentity } from "../../../contracts/transport.js";
import type { PublishReceipt } from "../../../engine/agents/agent-handle.js";
import type { Engine } from "../../../engine/engine.js";
import { agentEvents, receiptDocument, summaryDocument } from "../agent/agent-documents.js";
import { AgentHandler } from "../agent/agent-handler.js";
import type { Message } from "../json/message.js";
import { encodeDocument } from "../protobuf/encode.js";
import type { SpokenLanguages } from "../subscriber/spoken-languages.js";
import { errorMessage } from "../subscriber/subscriber-messages.js";
import { type PublishRequest, publishRequestIn, requestIdIn } from "./service-messages.js";

export interface AgentServices {
  readonly engine: Pick<Engine, "openAgent" | "holderOf" | "publishRefused">;
  readonly languages: SpokenLanguages;
  /** An agent of unary calls keeps the access of the call that created it; its key carries that access (R36). */
  readonly access: AccessPolicy;
  readonly ids: IdSource;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a stream may stay without a request, ms (R22). */
  readonly handshakeTimeoutMs: () => Millis;
  /** How long an agent of unary calls is kept after its last one, ms (R8, `agent_idle_seconds`). Read at the end of each call. */
  readonly agentIdleMs: () => Millis;
  /** Hands the frames of a stream over, one after another, between those of other connections (R34). */
  readonly readFrames: (connection: Connection<Uint8Array>, taker: FrameTaker<Uint8Array>) => void;
  /** The fault that gives the status of a stream ended by the daemon. */
  readonly statusOf: (reason: EndReason) => Fault | undefined;
  /** Receives each stream when it is served; the receiver calls `finish`. */
  readonly served: (stream: Conversation, peer: PeerIdentity) => void;
}

/** Most messages that have not left before reading pauses. */
const MOST_WAITING = 1024;

/** Serves a stream from its first frame to its end, which is the end of its agent (R8). */
export function serveAgentStream(connection: Connection<Uint8Array>, services: AgentServices): void {
  const stream = new AgentStream(connection, services);
  services.readFrames(connection, stream);
  services.served(stream, connection.peer);
}

class AgentStream implements Conversation, FrameTaker<Uint8Array> {
  readonly inputEnded: Promise<void>;
  readonly done: Promise<void>;
  private readonly connection: Connection<Uint8Array>;
  private readonly services: AgentServices;
  private readonly handler: AgentHandler;
  private readonly tellInputEnded: () => void;
  private readonly cancelTimeout: () => void;
  /** The messages that have not left, in order. */
  private readonly places: Place[] = [];
  private changed = (): void => {};
  private isBlocked = false;
  private hasAsked = false;
  private isOver = false;

  constructor(connection: Connection<Uint8Array>, services: AgentServices) {
    const { engine, access, languages, clock } = services;
    const { peer } = connection;
    this.connection = connection;
    this.services = services;
    const { promise, resolve } = withResolvers();
    this.inputEnded = promise;
    this.tellInputEnded = resolve;
    this.handler = new AgentHandler({
      engine,
      access: access.of(peer),
      processId: peer.processId,
      languages,
      events: agentEvents((field, news) => this.reserve()("", { [field]: news })),
    });
    this.cancelTimeout = clock.wakeAt(clock.now() + services.handshakeTimeoutMs(), () => {
      if (!this.hasAsked) void this.finish("handshake_timeout");
    });
    this.done = connection.closed.then(() => this.over());
  }

  /** Ends the stream from this side: the messages known so far go out first, then the status of the reason. */
  async finish(reason: EndReason, until?: Millis): Promise<number> {
    this.over();
    await this.connection.close(this.services.statusOf(reason), timeToClose(until, this.services.clock.now()));
    const { isCutShort } = await this.connection.closed;
    return isCutShort === true ? 1 : 0;
  }

  /** Handles one request. */
  take(frame: Uint8Array): void {
    if (this.isOver) return;
    // The place is reserved first, so that messages about these events follow their receipt.
    const answer = this.reserve();
    let id: string | undefined;
    try {
      const request = publishRequestIn(frame);
      id = request.id;
      this.hasAsked = true;
      const responded = this.respond(request);
      if (!(responded instanceof Promise) && responded.durable === undefined) answer(request.id, responded.response);
      else void this.answerLater(responded, request.id, answer);
    } catch (caught) {
      answer(id ?? requestIdIn(frame), this.errorOf(caught));
    }
  }

  /** An agent that sends without reading is not read from either, and nothing overtakes a publish under way. */
  room(): Promise<void> | undefined {
    if (this.isOver) return undefined;
    if (!this.isBlocked)
      return this.handler.room() ?? (this.places.length < MOST_WAITING ? undefined : this.nextChange());
    return this.connection.writable().then(() => {
      this.isBlocked = false;
    });
  }

  /** The answer leaves when its contents are durable (R29). */
  private async answerLater(responded: Responded | Promise<Responded>, id: string, answer: Answer): Promise<void> {
    try {
      const { response, durable } = await responded;
      await durable;
      answer(id, response);
    } catch (caught) {
      answer(id, this.errorOf(caught));
    }
  }

  noMore(fault: Fault | undefined): void {
    void this.end(fault);
  }

  private async end(fault: Fault | undefined): Promise<void> {
    this.tellInputEnded();
    if (fault === undefined) {
      // A session's token is reported to its owner (R8), so the agent keeps its sessions until all its requests are answered.
      while (this.places.length > 0) await this.nextChange();
    }
    this.over();
    await this.connection.close(fault && publicFault(fault, this.services.log));
  }

  private over(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.cancelTimeout();
    for (const { bytes } of this.places.splice(0)) if (bytes !== undefined) this.connection.send(bytes);
    this.changed();
    this.handler.close();
    this.tellInputEnded();
  }

  /**
   * Takes the next place among the messages. Call the result once, with the message: it leaves behind those before it. So answers keep the order of
   * their requests, and news its place among them.
   */
  private reserve(): Answer {
    const place: Place = { bytes: undefined };
    this.places.push(place);
    return (id, message) => {
      place.bytes = encoded(id, message);
      for (let bytes = this.places[0]?.bytes; bytes !== undefined; bytes = this.places[0]?.bytes) {
        this.places.shift();
        if (!this.connection.send(bytes)) this.isBlocked = true;
      }
      this.changed();
    };
  }

  private nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.changed = resolve;
    });
  }

  private respond(request: PublishRequest): Responded | Promise<Responded> {
    const { handler } = this;
    switch (request.kind) {
      case "publish": {
        const receipt = handler.publish(request.events, true, request.resumeToken);
        return receipt instanceof Promise ? receipt.then(receipted) : receipted(receipt);
      }
      case "manifest":
        handler.setManifest(request.manifest);
        return { response: { manifest: {} } };
      case "resume": {
        const { summary, durable } = handler.resumeSession(request.claim);
        const session = summaryDocument(summary, request.claim.after);
        return { response: { session }, durable };
      }
    }
  }

  private errorOf(caught: unknown): Message {
    return { error: errorMessage(publicFault(caught, this.services.log)) };
  }
}

/** Sends the message for a reserved place, with the id of the request that it answers; "" for none. */
type Answer = (id: string, message: Message) => void;

interface Place {
  /** Undefined until the message is known. */
  bytes: Uint8Array | undefined;
}

interface Responded {
  /** The member of the response that carries the answer. */
  readonly response: Message;
  readonly durable?: Promise<void> | undefined;
}

function receipted(receipt: PublishReceipt): Responded {
  return { response: { receipt: receiptDocument(receipt) }, durable: receipt.durable };
}

function encoded(requestId: string, response: Message): Uint8Array {
  return encodeDocument(PublishResponseSchema, requestId === "" ? response : { request_id: requestId, ...response });
}
