// The other end of a daemon's connection, in both protocols' envelopes, with one face for subscribers in either.
import { Fault } from "../../../src/base/errors.js";
import type { CloseInfo, Connection } from "../../../src/contracts/transport.js";
import type { Message, WireSniffer } from "../oracles/wire-sniffer.js";
import { patiently } from "../patience.js";
import { createMessageQueue, type MessageQueue } from "./message-queue.js";
import { allPending } from "./pages.js";

/** What a peer here needs of its connection. */
type PeerConnection = Pick<Connection<Uint8Array>, "frames" | "send" | "sendBatch" | "close" | "closed">;

/** Anything that can be said on a connection, framed. */
interface RawPeer {
  readonly connection: PeerConnection;
  readonly sendText: (...texts: readonly string[]) => void;
  readonly sendBytes: (bytes: Uint8Array) => void;
  /** Resolves when the connection is over and everything that came has been looked at. */
  readonly closed: Promise<CloseInfo>;
  readonly close: () => Promise<void>;
  /** While true nothing is read. */
  readonly stopReading: () => void;
  readonly readOn: () => void;
}

/** `take` is called with each frame, and `end` when no more will come. */
export function rawPeer(connection: PeerConnection, take: (frame: Uint8Array) => void, end: () => void): RawPeer {
  let gate: Promise<void> | undefined;
  let open: () => void = () => {};
  const read = async (): Promise<CloseInfo> => {
    try {
      for await (const frames of connection.frames) {
        for (const frame of frames) take(frame);
        if (gate !== undefined) await gate;
      }
    } catch (caught) {
      // A reset is an end too; what else went wrong is for the test to see.
      if (!(caught instanceof Fault)) throw caught;
    }
    await connection.close();
    end();
    return connection.closed;
  };
  return {
    connection,
    sendText: (...texts) => {
      connection.sendBatch({ frames: texts.map((text) => Buffer.from(text)), joined: new Map() });
    },
    sendBytes: (bytes) => void connection.send(bytes),
    closed: read(),
    close: async () => {
      open();
      await connection.close();
    },
    stopReading: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    readOn: () => {
      gate = undefined;
      open();
    },
  };
}

export interface Subscription {
  /** Events, as they came. */
  readonly events: MessageQueue<Message>;
  /** The text of each event as it stood on the wire, in the same order. */
  readonly eventTexts: string[];
  /** `subscription.close` of the daemon. */
  readonly closings: MessageQueue<Message>;
  /** `aaepd.reply_not_taken`, or its params. */
  readonly notTaken: MessageQueue<Message>;
  /** `aaepd.checkpoint`, or its params. */
  readonly checkpoints: MessageQueue<Message>;
  /** The last place that it was told, by whichever message (R17). */
  readonly cursor: () => string | undefined;
  /** Answers accepted or rejected. */
  readonly subscribe: (request: Message) => Promise<Message>;
  /** Answers accepted, rejected, or the error. */
  readonly renegotiate: (capabilities: unknown) => Promise<Message>;
  /** Answers `{}` or the error. In plain framings there is no answer, so that the next question's answer shows that it was taken. */
  readonly skip: (params: Message) => Promise<Message>;
  readonly repeat: (eventId: string) => Promise<Message>;
  /** Leaves a question to the window of its host. */
  readonly leave: (token: string) => Promise<Message>;
  /** Asks the agent of a session to stop. */
  readonly stop: (sessionId: string) => Promise<Message>;
  readonly listPending: () => Promise<readonly Message[]>;
  /** Answers whether it counted, where a call is answered. */
  readonly reply: (message: Message) => Promise<boolean | undefined>;
  /** Closes the subscription in order. */
  readonly close: () => Promise<void>;
  readonly id: () => string;
  readonly peer: RawPeer;
}

export interface PlainPeer extends RawPeer, Subscription {
  /** Everything that is no event. */
  readonly answers: MessageQueue<Message>;
  /** Of streams (R22). */
  readonly heartbeats: MessageQueue<Message>;
  readonly say: (message: unknown) => void;
}

/** The place in a message that tells one. */
function cursorIn(message: Message): string | undefined {
  const {
    cursor,
    honored_capabilities: honored,
    extensions,
  } = message as {
    readonly cursor?: string;
    readonly honored_capabilities?: { readonly aaepd?: { readonly cursor?: string } };
    readonly extensions?: { readonly aaepd?: { readonly cursor?: string } };
  };
  return cursor ?? honored?.aaepd?.cursor ?? extensions?.aaepd?.cursor;
}

const CONTROL = /^(subscription\.|aaepd\.(error|pending))/;

/** `heard` is told everything that comes, in order. */
export function plainPeer(
  connection: PeerConnection,
  sniffer: WireSniffer,
  label = "plain peer",
  heard: (message: Message) => void = () => {},
): PlainPeer {
  const events = createMessageQueue<Message>(`${label}'s events`);
  const answers = createMessageQueue<Message>(`${label}'s answers`);
  const closings = createMessageQueue<Message>(`${label}'s closings`);
  const notTaken = createMessageQueue<Message>(`${label}'s replies that did not count`);
  const checkpoints = createMessageQueue<Message>(`${label}'s checkpoints`);
  const heartbeats = createMessageQueue<Message>(`${label}'s heartbeats`);
  const eventTexts: string[] = [];
  let id = "";
  let cursor: string | undefined;
  const raw = rawPeer(
    connection,
    (frame) => {
      const message = sniffer.plain(frame);
      heard(message);
      const type = String(message.type);
      if (type === "aaepd.checkpoint" || CONTROL.test(type)) cursor = cursorIn(message) ?? cursor;
      if (type === "subscription.close") closings.push(message);
      else if (type === "aaepd.heartbeat") heartbeats.push(message);
      else if (type === "aaepd.checkpoint") checkpoints.push(message);
      else if (type === "aaepd.reply_not_taken") notTaken.push(message);
      else if (CONTROL.test(type)) answers.push(message);
      else {
        eventTexts.push(Buffer.from(frame).toString());
        events.push(message);
      }
    },
    () => {
      for (const queue of [events, answers, closings, notTaken, checkpoints, heartbeats]) queue.end();
    },
  );
  const say = (message: unknown): void => raw.sendText(JSON.stringify(message));
  const listPending = () =>
    allPending((after) => {
      say({ type: "aaepd.list_pending", ...after });
      return answers.next("the open questions");
    });
  /** What is not answered where it works is followed by what is answered always. */
  const tell = async (message: Message): Promise<Message> => {
    say(message);
    say({ type: "aaepd.list_pending" });
    const first = await answers.next(`the answer to ${message.type}`);
    if (first.type !== "aaepd.error") return {};
    await answers.next("the open questions");
    return first;
  };
  return {
    ...raw,
    peer: raw,
    events,
    eventTexts,
    answers,
    closings,
    notTaken,
    checkpoints,
    heartbeats,
    cursor: () => cursor,
    say,
    id: () => id,
    subscribe: async (request) => {
      say(request);
      const answer = await answers.next("accepted or rejected");
      if (typeof answer.subscription_id === "string") id = answer.subscription_id;
      return answer;
    },
    renegotiate: (capabilities) => {
      say({ type: "subscription.renegotiate", subscription_id: id, capabilities });
      return answers.next("accepted or rejected");
    },
    skip: (params) => tell({ ...params, type: "aaepd.skip" }),
    repeat: (eventId) => tell({ type: "aaepd.repeat", event_id: eventId }),
    leave: (token) => tell({ type: "aaepd.leave", reply_token: token }),
    stop: (sessionId) => tell({ type: "aaepd.stop", session_id: sessionId }),
    listPending,
    reply: async (message) => void say({ ...message, subscription_id: id }),
    close: async () => {
      say({ type: "subscription.close", subscription_id: id, reason_code: "subscriber_shutdown" });
      await raw.closed;
    },
  };
}

export interface RpcError extends Message {
  readonly code: number;
  readonly message: string;
  readonly data: { readonly code: string; readonly pointer?: string; readonly rule?: string };
}

export interface RpcPeer extends RawPeer {
  /** Answers the result; rejects with the error as `RpcRefusal`. */
  readonly request: (method: string, params?: unknown) => Promise<Message>;
  /** Answers the error; rejects where there was none. */
  readonly refusal: (method: string, params?: unknown) => Promise<RpcError["data"] & { readonly rpcCode: number }>;
  /** As `request`, with the params' own text. */
  readonly requestText: (method: string, paramsText: string) => Promise<Message>;
  readonly notify: (method: string, params?: unknown) => void;
  readonly publish: (...events: readonly Message[]) => Promise<Message>;
  /** Params of `aaep.error`. */
  readonly errors: MessageQueue<Message>;
  /** Params of `aaep.outcome` and `aaep.waiting`. */
  readonly outcomes: MessageQueue<Message>;
  readonly waiting: MessageQueue<Message>;
  /** Answers to ids that nobody here gave out, null among them. */
  readonly strays: MessageQueue<Message>;
  readonly subscription: () => Subscription;
}

export class RpcRefusal extends Error {
  readonly error: RpcError;
  constructor(error: RpcError) {
    super(`${error.data?.code}: ${error.message}`);
    this.error = error;
  }
}

/** What notifications are called in plain framings, whose params do not say it. */
const PLAIN_TYPES: Readonly<Record<string, string>> = {
  "aaepd.checkpoint": "aaepd.checkpoint",
  "aaep.close": "subscription.close",
  "aaep.error": "aaepd.error",
};

type Ask = (method: string, params: unknown, onResult?: (result: Message) => void) => Promise<Message>;

interface Pending {
  readonly method: string;
  /** Told before the next message of the same read is looked at. */
  readonly onResult: ((result: Message) => void) | undefined;
  readonly resolve: (result: Message) => void;
  readonly reject: (error: Error) => void;
}

/** `heard` is told what comes for subscribers, in order and in the form that it has in plain framings, and the result of each request. */
export function rpcPeer(
  connection: Connection<Uint8Array>,
  sniffer: WireSniffer,
  label = "RPC peer",
  heard: (message: Message) => void = () => {},
): RpcPeer {
  const pending = new Map<unknown, Pending>();
  const errors = createMessageQueue<Message>(`${label}'s errors`);
  const strays = createMessageQueue<Message>(`${label}'s strays`);
  const outcomes = createMessageQueue<Message>(`${label}'s outcomes`);
  const waiting = createMessageQueue<Message>(`${label}'s waiting`);
  const subscriptions: OpenRpcSubscription[] = [];
  let lastId = 0;

  const take = (frame: Uint8Array): void => {
    const message = sniffer.rpc(frame, (id) => pending.get(id)?.method);
    const { method, id, params, subscription_id: whose } = message;
    const type = PLAIN_TYPES[String(method)];
    if (method === "aaep.event" || type !== undefined) heard({ ...(params as Message), ...(type && { type }) });
    const one = subscriptions.find((each) => (whose === undefined ? each.isUnnamed() : each.id() === whose));
    if (method === "aaep.event") {
      one?.eventTexts.push(paramsTextOf(Buffer.from(frame).toString()));
      one?.events.push(params as Message);
    } else if (method === "aaepd.reply_not_taken") {
      const { subscription_id: named } = params as Message;
      subscriptions.find((each) => named === undefined || each.id() === named)?.notTaken.push(params as Message);
    } else if (method === "aaepd.checkpoint") {
      one?.checkpoints.push(params as Message);
      one?.reached(params as Message);
    } else if (method === "aaep.error") errors.push(params as Message);
    else if (method === "aaep.outcome") outcomes.push(params as Message);
    else if (method === "aaep.waiting") waiting.push(params as Message);
    else if (method === "aaep.close") {
      const closed = subscriptions.find((each) => each.id() === (params as Message).subscription_id);
      closed?.closings.push(params as Message);
      closed?.reached(params as Message);
    } else {
      const asked = pending.get(id);
      pending.delete(id);
      if (asked === undefined) strays.push(message);
      else if (message.error === undefined) {
        heard({ type: asked.method, ...(message.result as Message) });
        asked.onResult?.(message.result as Message);
        asked.resolve(message.result as Message);
      } else asked.reject(new RpcRefusal(message.error as RpcError));
    }
  };

  const raw = rawPeer(connection, take, () => {
    for (const { method, reject } of pending.values()) reject(new Error(`${label} ended while waiting for ${method}`));
    for (const queue of [errors, strays, outcomes, waiting]) queue.end();
    for (const { events, closings, notTaken, checkpoints } of subscriptions)
      for (const queue of [events, closings, notTaken, checkpoints]) queue.end();
  });

  const send = (method: string, id: number | undefined, paramsText: string | undefined): void => {
    const head = JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method }).slice(0, -1);
    raw.sendText(paramsText === undefined ? `${head}}` : `${head},"params":${paramsText}}`);
  };
  const requestText = (
    method: string,
    paramsText: string | undefined,
    onResult?: (result: Message) => void,
  ): Promise<Message> => {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      const settle = patiently(() => reject(new Error(`${label} waited in vain for ${method}`)));
      pending.set(id, {
        method,
        onResult,
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      send(method, id, paramsText);
    });
  };
  const request: Ask = (method, params, onResult) =>
    requestText(method, params === undefined ? undefined : JSON.stringify(params), onResult);

  return {
    ...raw,
    errors,
    strays,
    outcomes,
    waiting,
    request,
    requestText,
    refusal: async (method, params) => {
      const caught: unknown = await request(method, params).catch((error: unknown) => error);
      if (!(caught instanceof RpcRefusal)) throw new Error(`${method} was not refused: ${JSON.stringify(caught)}`);
      const { code: rpcCode, message, data } = caught.error;
      if (!/^\S.{8,}[.?…]$/s.test(message)) throw new Error(`${method} was refused without a sentence: ${message}`);
      return { ...data, rpcCode };
    },
    notify: (method, params) => send(method, undefined, JSON.stringify(params)),
    publish: (...events) => request("aaep.publish", events.length === 1 ? events[0] : events),
    subscription: () => {
      const one = openRpcSubscription(raw, request, subscriptions, label);
      subscriptions.push(one);
      return one;
    },
  };
}

interface OpenRpcSubscription extends Subscription {
  readonly isUnnamed: () => boolean;
  readonly reached: (message: Message) => void;
}

/** On a connection with others its events bear its name; alone they need none. */
function openRpcSubscription(
  peer: RawPeer,
  request: Ask,
  all: OpenRpcSubscription[],
  label: string,
): OpenRpcSubscription {
  let id = "";
  let isUnnamed = false;
  let cursor: string | undefined;
  const reached = (message: Message): void => {
    cursor = cursorIn(message) ?? cursor;
  };
  const answerOf = (method: string, params: Message, onResult?: (result: Message) => void): Promise<Message> =>
    request(method, params, onResult).catch((caught: unknown) => {
      if (caught instanceof RpcRefusal) return { type: "aaepd.error", ...caught.error.data };
      throw caught;
    });
  const one: OpenRpcSubscription = {
    events: createMessageQueue<Message>(`${label}'s events`),
    eventTexts: [],
    closings: createMessageQueue<Message>(`${label}'s closings`),
    notTaken: createMessageQueue<Message>(`${label}'s replies that did not count`),
    checkpoints: createMessageQueue<Message>(`${label}'s checkpoints`),
    cursor: () => cursor,
    reached,
    peer,
    id: () => id,
    isUnnamed: () => isUnnamed,
    subscribe: async (params) => {
      const isOnly = all.every((each) => each === one || each.id() === "");
      return answerOf("aaep.subscribe", params, (answer) => {
        if (typeof answer.subscription_id !== "string") return;
        id = answer.subscription_id;
        isUnnamed = isOnly;
        reached(answer);
      });
    },
    renegotiate: (capabilities) =>
      answerOf(
        "aaep.renegotiate",
        { type: "subscription.renegotiate", subscription_id: id, capabilities },
        (answer) => {
          if (answer.type === "subscription.rejected") all.splice(all.indexOf(one), 1);
          reached(answer);
        },
      ),
    skip: (params) => answerOf("aaepd.skip", { ...params, subscription_id: id }),
    repeat: (eventId) => answerOf("aaep.repeat", { event_id: eventId, subscription_id: id }),
    leave: (token) => answerOf("aaepd.leave", { reply_token: token, subscription_id: id }),
    stop: (sessionId) => answerOf("aaepd.stop", { session_id: sessionId, subscription_id: id }),
    listPending: () => allPending((after) => request("aaep.list_pending", { subscription_id: id, ...after })),
    reply: async (message) => (await request("aaep.reply", { ...message, subscription_id: id })).accepted === true,
    close: async () => {
      await request("aaep.close", { type: "subscription.close", subscription_id: id });
      all.splice(all.indexOf(one), 1);
    },
  };
  return one;
}

/** The last member of a notification is its params. */
function paramsTextOf(text: string): string {
  const marker = '"params":';
  return text.slice(text.indexOf(marker) + marker.length, -1);
}
