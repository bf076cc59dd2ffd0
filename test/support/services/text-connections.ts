// Calls of services as connections of JSON texts, so that the peers of sockets speak over services too: what they say becomes the messages of a service,
// and what it answers becomes the texts that a socket would have brought.

import { create, type DescMessage, type Message as ProtoMessage } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import { AaepMessageSchema, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { AgentService } from "#gen/aaep/v1/agent_service_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import type { CloseInfo, Connection } from "../../../src/contracts/transport.js";
import type { Message } from "../oracles/wire-sniffer.js";
import { ONLY_ITERATED } from "../peers/frames.js";
import { documentOf, messageOf } from "../protobuf-documents.js";
import { refusalIn } from "./refusals.js";
import { type ServiceClient, type ServiceEnd, ServiceRefusal, type ServiceStream } from "./service-client.js";

export interface TextConnection extends Connection<Uint8Array> {
  /** How its stream ended. */
  readonly ended: Promise<ServiceEnd>;
  readonly stopReading: () => void;
  readonly readOn: () => void;
  /** Breaks without a word. */
  readonly vanish: () => Promise<void>;
}

export interface Party {
  readonly client: ServiceClient;
}

interface Talk {
  readonly say: (text: string) => void;
  readonly stream: () => Pick<ServiceStream<never>, "stopReading" | "readOn"> | undefined;
  /** Ends the client's side. */
  readonly close: () => void;
}

const ORDERLY: ServiceEnd = { status: "OK", message: "", detail: undefined };

/** What came and is not read yet, and the connection that it is read from. */
function createLine(client: ServiceClient) {
  let waiting: Uint8Array[] = [];
  let isOver = false;
  let wake = (): void => {};
  let tellEnded: (end: ServiceEnd) => void = () => {};
  const ended = new Promise<ServiceEnd>((resolve) => {
    tellEnded = resolve;
  });
  async function* frames(): AsyncGenerator<readonly Uint8Array[]> {
    for (;;) {
      const some = waiting;
      waiting = [];
      if (some.length > 0) yield some;
      else if (isOver) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }
  const closed = ended.then((): CloseInfo => ({ kind: "remote" }));
  return {
    hear: (...texts: readonly (string | Uint8Array)[]): void => {
      waiting.push(...texts.map((text) => (typeof text === "string" ? Buffer.from(text) : text)));
      wake();
    },
    end: (end: ServiceEnd): void => {
      isOver = true;
      wake();
      tellEnded(end);
    },
    connection: ({ say, stream, close }: Talk): TextConnection => {
      const send = (text: Uint8Array): boolean => {
        say(Buffer.from(text).toString());
        return true;
      };
      return {
        peer: { label: "service", trust: "same-user" },
        ...ONLY_ITERATED,
        frames: frames(),
        send,
        sendBatch: ({ frames: some, last }) => (last === undefined ? some : [...some, last]).map(send).every(Boolean),
        writable: async () => {},
        close: async () => {
          if (!isOver) close();
          await closed;
          await client.close();
        },
        closed,
        ended,
        stopReading: () => stream()?.stopReading(),
        readOn: () => stream()?.readOn(),
        vanish: async () => {
          client.abandon();
          await ended;
          await client.close();
        },
      };
    },
  };
}

/** By the type of a message, the member that holds it in a request, and the call that takes it beside Listen. */
const SAID = {
  "subscription.request": ["request", undefined],
  "subscription.renegotiate": ["renegotiate", SubscriberService.method.renegotiate],
  "subscription.close": ["close", SubscriberService.method.close],
  "confirmation.reply": ["confirmation_reply", SubscriberService.method.reply],
  "clarification.reply": ["clarification_reply", SubscriberService.method.reply],
  "aaepd.list_pending": ["list_pending", SubscriberService.method.listPending],
  "aaepd.skip": ["skip", SubscriberService.method.skip],
  "aaepd.repeat": ["repeat", SubscriberService.method.repeat],
  "aaepd.leave": ["leave", SubscriberService.method.leave],
  "aaepd.stop": ["stop", SubscriberService.method.stop],
} as const;

/** The texts of a response of Subscribe or Listen. */
function textsIn({ events, ...others }: Message): readonly string[] {
  const heard = (events ?? []) as readonly Message[];
  const said = Object.values(others);
  if (heard.length > 0 === said.length > 0) throw new Error(`events and a message, or neither: ${Object.keys(others)}`);
  return [...heard, ...said].map((message) => JSON.stringify(message));
}

/** Subscribe of SubscriberService. */
export function subscribeStream({ client }: Party): TextConnection {
  const { subscribe } = SubscriberService.method;
  const line = createLine(client);
  const stream = client.stream(subscribe, (one) => line.hear(...textsIn(documentOf(subscribe.output, one))));
  void stream.ended.then(line.end);
  return line.connection({
    say: (text) => {
      const message = JSON.parse(text) as { readonly type: keyof typeof SAID };
      stream.send(messageOf(subscribe.input, { [SAID[message.type][0]]: message }));
    },
    stream: () => stream,
    close: stream.cancel,
  });
}

/** Listen of SubscriberService, and the calls beside it, one after another. */
export function listenStream({ client }: Party): TextConnection & {
  /** Whether it counted. */
  readonly reply: (reply: Message) => Promise<boolean>;
} {
  const { listen } = SubscriberService.method;
  const line = createLine(client);
  let stream: ServiceStream<never> | undefined;
  let known: { readonly id: string; readonly key: string } | undefined;
  let before: Promise<unknown> = Promise.resolve();

  const begin = (request: Message): void => {
    const opened = client.stream(listen, (one) => {
      const document = documentOf(listen.output, one);
      const accepted = document.accepted as {
        subscription_id: string;
        honored_capabilities: { aaepd: { key: string } };
      };
      if (accepted !== undefined)
        known = { id: accepted.subscription_id, key: accepted.honored_capabilities.aaepd.key };
      line.hear(...textsIn(document));
    });
    stream = opened;
    opened.send(messageOf(listen.input, { request }));
    opened.halfClose();
    void opened.ended.then(async (end) => {
      // What was asked beside it has its answer yet.
      await before;
      line.end(end);
    });
  };
  const call = async (message: Message): Promise<Message> => {
    const [member, method] = SAID[message.type as keyof typeof SAID];
    if (method === undefined || known === undefined) throw new Error(`no call takes ${String(message.type)} now`);
    const request = { key: known.key, [member]: { ...message, subscription_id: known.id } };
    // The method's own types belong together.
    const { input, output } = method as { readonly input: DescMessage; readonly output: DescMessage };
    return documentOf(output, await client.unary(method as never, messageOf(input, request) as never));
  };
  const answered = async (message: Message): Promise<void> => {
    try {
      const answer = Object.values(await call(message)).filter((one) => typeof one === "object");
      line.hear(...answer.map((one) => JSON.stringify(one)));
    } catch (caught) {
      if (caught instanceof ServiceRefusal && caught.end.detail === undefined) return line.end(caught.end);
      const { status: _, ...error } = refusalIn(caught);
      line.hear(JSON.stringify(error));
    }
  };
  return {
    ...line.connection({
      say: (text) => {
        const message = JSON.parse(text) as Message;
        if (message.type === "subscription.request") begin(message);
        else before = before.then(() => answered(message));
      },
      stream: () => stream,
      close: () => (stream === undefined ? line.end(ORDERLY) : stream.cancel()),
    }),
    reply: async (reply) => (await call(reply)).accepted === true,
  };
}

/** Subscribe of AaepService: JSON in bytes, which is called by its type. */
export function aaepStream(client: ServiceClient): TextConnection {
  const line = createLine(client);
  const stream = client.stream(AaepService.method.subscribe, ({ json, messageType }) => {
    const { type } = JSON.parse(Buffer.from(json).toString()) as { readonly type: unknown };
    if (type !== messageType) throw new Error(`a ${String(type)} was called ${messageType}`);
    line.hear(json);
  });
  void stream.ended.then(line.end);
  const say = (text: string): void => stream.send(create(AaepMessageSchema, { json: Buffer.from(text) }));
  return line.connection({ say, stream: () => stream, close: stream.cancel });
}

/** A service with one stream of messages in both directions, whose messages the client makes of texts of JSON. */
export interface StreamOfTexts<Request extends ProtoMessage, Response extends ProtoMessage> {
  readonly service: GenService<{
    converse: { methodKind: "bidi_streaming"; input: GenMessage<Request>; output: GenMessage<Response> };
  }>;
  readonly requestOf: (text: Uint8Array, isTyped: boolean) => Request;
  readonly textOf: (response: Response) => string;
}

export function converseStream<Request extends ProtoMessage, Response extends ProtoMessage>(
  { service, requestOf, textOf }: StreamOfTexts<Request, Response>,
  client: ServiceClient,
  isTyped: boolean,
): TextConnection {
  const line = createLine(client);
  const stream = client.stream(service.method.converse, (response) => line.hear(textOf(response as Response)));
  void stream.ended.then(line.end);
  const say = (text: string): void => stream.send(requestOf(Buffer.from(text), isTyped) as never);
  return line.connection({ say, stream: () => stream, close: stream.halfClose });
}

interface Request {
  readonly id: number;
  readonly method: string;
  readonly params?: unknown;
}

interface AgentCall {
  readonly method: Exclude<
    (typeof AgentService.method)[keyof typeof AgentService.method],
    { methodKind: "bidi_streaming" }
  >;
  readonly ask: (params: Message) => Message;
  readonly answer: (document: Message) => unknown;
}

const eventsIn = (params: unknown): Message => ({ events: params === undefined ? [] : [params].flat() });

/** A question's type is that of its call, and the session's token stands beside it. */
const question = (type: string) => ({
  ask: ({ resume_token, ...fields }: Message): Message => ({
    event: { ...fields, type: `aaep:agent.awaiting.${type}` },
    ...(resume_token === undefined ? {} : { resume_token }),
  }),
  answer: ({ outcome }: Message) => outcome,
});

/** By the methods of JSON-RPC, the calls that do the same. */
const CALLS: Readonly<Record<string, AgentCall>> = {
  "aaep.publish": {
    method: AgentService.method.publishBatch,
    ask: (params) => ({ publish: eventsIn(params) }),
    answer: ({ receipt }) => receipt,
  },
  "aaep.set_manifest": {
    method: AgentService.method.setManifest,
    ask: (manifest) => ({ manifest }),
    answer: () => ({}),
  },
  "aaep.resume_session": {
    method: AgentService.method.resumeSession,
    ask: (session) => ({ session }),
    answer: ({ session }) => session,
  },
  "aaep.confirm": { method: AgentService.method.confirm, ...question("confirmation") },
  "aaep.clarify": { method: AgentService.method.clarify, ...question("clarification") },
  "aaep.cancel": {
    method: AgentService.method.cancel,
    ask: (params) => params,
    answer: ({ cancelled }) => ({ cancelled }),
  },
  "aaep.outcome_of": {
    method: AgentService.method.getOutcome,
    ask: (params) => params,
    answer: ({ outcome }) =>
      outcome === undefined ? { state: "open" } : { state: "resolved", ...(outcome as Message) },
  },
};

/** The requests of JSON-RPC by calls of AgentService, whose agent is known by its key where it has one. */
function createAgentCalls({ client }: Party, hasKey: boolean) {
  let agent_key = "";
  const carryOut = async (asked: string, params: Message): Promise<unknown> => {
    if (asked === "aaep.manifest") {
      const { getManifest } = SubscriberService.method;
      const answer = await client.unary(getManifest, create(getManifest.input));
      return documentOf(getManifest.output, answer).manifest;
    }
    const call = CALLS[asked];
    if (call === undefined) throw new Error(`${asked} is no call of a service`);
    const { input, output } = call.method as { readonly input: DescMessage; readonly output: DescMessage };
    const request = messageOf(input, { ...call.ask(params), agent_key });
    const document = documentOf(output, await client.unary(call.method as never, request as never));
    if (hasKey) agent_key = String(document.agent_key ?? "");
    return call.answer(document);
  };
  return async ({ id, method, params }: Request): Promise<string> => {
    try {
      return answerText(id, { result: await carryOut(method, (params ?? {}) as Message) });
    } catch (caught) {
      // A connection that breaks has no error of the daemon's.
      const isLost = caught instanceof ServiceRefusal && caught.end.detail === undefined;
      return answerText(id, { error: isLost ? { code: -32800, message: String(caught) } : errorOf(refusalIn(caught)) });
    }
  };
}

const answerText = (id: number, answer: Message): string => JSON.stringify({ jsonrpc: "2.0", id, ...answer });

function errorOf({ type: _, status: __, message, ...data }: Message): Message {
  return { code: -32000, message, data };
}

/** Single calls of AgentService, as a connection of JSON-RPC. */
export function agentCalls(party: Party): TextConnection {
  const line = createLine(party.client);
  const call = createAgentCalls(party, true);
  return line.connection({
    say: (text) => void call(JSON.parse(text) as Request).then(line.hear),
    stream: () => undefined,
    close: () => line.end(ORDERLY),
  });
}

/** By the methods of JSON-RPC, what a request on a stream of Publish says. */
const ON_STREAM: Readonly<Record<string, (params: unknown) => Message>> = {
  "aaep.publish": (params) => ({ publish: eventsIn(params) }),
  "aaep.set_manifest": (manifest) => ({ manifest }),
  "aaep.resume_session": (resume) => ({ resume }),
};

/** By the names of news, the notifications of JSON-RPC. */
const NEWS: Readonly<Record<string, string>> = {
  outcome: "aaep.outcome",
  waiting: "aaep.waiting",
  closing: "aaepd.closing",
  stop_requested: "aaep.stop_requested",
  user_input: "aaepd.user_input",
  error: "aaep.error",
};

/** Publish of AgentService, as a connection of JSON-RPC. What waits for a person goes by calls of their own. */
export function publishStream(party: Party): TextConnection {
  const { client } = party;
  const { publish } = AgentService.method;
  const line = createLine(client);
  const call = createAgentCalls(party, false);
  let stream: ReturnType<typeof open> | undefined;

  const take = ({ request_id: id, ...response }: Message): void => {
    const [[name, value] = ["", undefined]] = Object.entries(response);
    if (id === undefined) line.hear(JSON.stringify({ jsonrpc: "2.0", method: NEWS[name], params: value }));
    else line.hear(answerText(Number(id), name === "error" ? { error: errorOf(value as Message) } : { result: value }));
  };
  const open = () => {
    const opened = client.stream(publish, (one) => take(documentOf(publish.output, one)));
    void opened.ended.then(line.end);
    return opened;
  };
  return line.connection({
    say: (text) => {
      const request = JSON.parse(text) as Request;
      const said = ON_STREAM[request.method];
      if (said === undefined) return void call(request).then(line.hear);
      stream ??= open();
      stream.send(messageOf(publish.input, { request_id: String(request.id), ...said(request.params) }));
    },
    stream: () => stream,
    close: () => (stream === undefined ? line.end(ORDERLY) : stream.halfClose()),
  });
}
