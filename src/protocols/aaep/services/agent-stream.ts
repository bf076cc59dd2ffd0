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
import type { Engine } from "../../../engine/engine.js";
import { acknowledged, agentEvents, takenOver } from "../agent/agent-documents.js";
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
      const [field, answered] = this.respond(request);
      if (answered instanceof Promise) void this.answerLater(field, answered, request.id, answer);
      else answer(request.id, { [field]: answered });
    } catch (caught) {
      answer(id ?? requestIdIn(frame), this.errorOf(caught));
    }
  }

  /** An agent that sends without reading is not read from either, and nothing overtakes a publish under way. */
  room(): Promise<void> | undefined {
    if (!this.isBlocked)
      return this.handler.room() ?? (this.places.length < MOST_WAITING ? undefined : this.nextChange());
    return this.connection.writable().then(() => {
      this.isBlocked = false;
    });
  }

  private async answerLater(field: string, answered: Promise<Message>, id: string, answer: Answer): Promise<void> {
    try {
      answer(id, { [field]: await answered });
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

  /** The member of the response that carries the answer, and the answer. */
  private respond(request: PublishRequest): readonly [field: string, answer: Message | Promise<Message>] {
    const { handler } = this;
    switch (request.kind) {
      case "publish":
        return ["receipt", acknowledged(handler.publish(request.events, true, request.resumeToken))];
      case "manifest":
        handler.setManifest(request.manifest);
        return ["manifest", {}];
      case "resume":
        return ["session", takenOver(handler.resumeSession(request.claim), request.claim.after)];
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

function encoded(requestId: string, response: Message): Uint8Array {
  return encodeDocument(PublishResponseSchema, requestId === "" ? response : { request_id: requestId, ...response });
}
