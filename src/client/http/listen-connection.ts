// A listener's conversation over HTTP/1.1: the stream `Listen`, and single calls with the key of its acceptance, as one connection whose frames are
// messages of AAEP in JSON. The stream is read when the listener asks for frames, so a slow loop holds the daemon's stream, and its silence is
// watched only while it is read.
import { Fault, faultFrom } from "../../base/errors.js";
import type { Members } from "../../base/members.js";
import { within } from "../../base/time-limit.js";
import { withResolvers } from "../../base/with-resolvers.js";
import type { CloseInfo } from "../../contracts/transport.js";
import type { Connector, ListenerConnection } from "../listener/types.js";
import { encodeMessage, errorFromFault, parseObject } from "../messages.js";
import { PLATFORM_TIMERS, type Timers } from "../timers.js";
import { type HttpCalls, type HttpConnectorOptions, openHttpCalls } from "./calls.js";
import { documentOf, memberName } from "./documents.js";
import { createEnvelopeReader, type Envelope, enveloped, notDaemon } from "./envelopes.js";

const SERVICE = "SubscriberService";

/** A stream that was silent for so many intervals of heartbeats is dead. */
const SILENT_INTERVALS = 2.5;
/** How long `close` waits for calls under way, ms. */
const CLOSE_MS = 1000;

/**
 * For `subscribe`: the daemon at `address`, the URL of its option `--http`, such as "http://127.0.0.1:8700", by nothing but
 * `fetch`. A page needs its origin among the daemon's `cors_origins`. A connection takes one of the six that a browser has for a host, and one more
 * while a call is under way.
 */
export function httpConnector(address: string, options: HttpConnectorOptions = {}): Connector {
  return async () => {
    const abort = new AbortController();
    return createListenConnection(await openHttpCalls(address, options, abort.signal), abort, options.timers);
  };
}

/** `abort` aborts the calls. The stream begins with the first message that is sent, which is the request. */
function createListenConnection(
  calls: HttpCalls,
  abort: AbortController,
  timers: Timers = PLATFORM_TIMERS,
): ListenerConnection {
  const readEnvelopes = createEnvelopeReader();
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let isReading = false;
  const taken: Uint8Array[] = [];
  /** Tells the listener that something has come, or that the stream can be read on. */
  let wake = (): void => {};
  let key: unknown;
  let silentMs = 0;
  let over: CloseInfo | undefined;
  let calling: Promise<void> = Promise.resolve();
  const { promise: closed, resolve: tellClosed } = withResolvers<CloseInfo>();

  function finish(info: CloseInfo): void {
    over ??= info;
    tellClosed(over);
    wake();
  }

  function lose(caught: unknown): void {
    finish({ kind: "abrupt", fault: faultFrom(caught) });
    reader?.cancel().catch(() => {});
  }

  function push(document: object): void {
    if (over !== undefined) return;
    taken.push(encodeMessage(document));
    wake();
  }

  async function begin({ type: _, ...request }: Members): Promise<void> {
    try {
      const response = await calls
        .stream(SERVICE, "Listen", enveloped({ request: { additional: request } }))
        .catch((caught: unknown) => {
          const sentence = `No daemon answers at ${calls.address}.`;
          throw new Fault("not_found", sentence, { origin: "local", cause: caught });
        });
      const { body, headers, status } = response;
      if (body === null || headers.get("content-type")?.startsWith("application/connect+json") !== true) {
        throw notDaemon(`${calls.address} answers with status ${status} of HTTP`);
      }
      reader = body.getReader();
      wake();
    } catch (caught) {
      lose(caught);
    }
  }

  async function* frames(): AsyncGenerator<readonly Uint8Array[], void, undefined> {
    for (;;) {
      if (taken.length > 0) yield taken.splice(0);
      else if (over === undefined) {
        const something = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (reader !== undefined && !isReading) void readOnce(reader);
        await something;
      } else if (over.kind === "abrupt" && over.fault !== undefined) throw over.fault;
      else return;
    }
  }

  /** Reads once. Nobody watches the time while the listener is busy, because nobody would see a heartbeat. */
  async function readOnce(stream: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    isReading = true;
    const cancelWatch =
      silentMs === 0 ? () => {} : timers.wakeAt(timers.now() + silentMs, () => lose(silentFault(calls.address)));
    try {
      const { done, value } = await stream.read().catch((caught: unknown) => {
        const sentence = `The connection to the daemon at ${calls.address} was lost.`;
        throw new Fault("peer_gone", sentence, { origin: "local", cause: caught });
      });
      if (done) finish({ kind: "remote" });
      else for (const envelope of readEnvelopes(value)) take(envelope);
    } catch (caught) {
      lose(caught);
    } finally {
      cancelWatch();
      isReading = false;
      // Also if no message has come: the rest of one may follow.
      wake();
    }
  }

  function take({ isLast, message }: Envelope): void {
    if (isLast) {
      if (message.error !== undefined) throw calls.faultOf(message.error as Members);
      finish({ kind: "remote" });
    }
    for (const event of (message.events ?? []) as readonly Members[]) push(documentOf(event));
    for (const document of documentsIn(message)) {
      if (document.type === "subscription.accepted") noteTerms(document);
      push(document);
    }
  }

  function noteTerms({ honored_capabilities: honored }: Members): void {
    const given = (honored as { readonly aaepd?: Members } | undefined)?.aaepd;
    key = given?.key;
    silentMs = Number(given?.heartbeat_seconds ?? 0) * 1000 * SILENT_INTERVALS;
  }

  async function say({ type, ...rest }: Members): Promise<void> {
    if (over !== undefined) return;
    try {
      const { method, body } = callOf(String(type), rest);
      const answer = await calls.call(SERVICE, method, { key, ...body });
      // The stream tells of a reply that did not count. The place in an acceptance counts the events that are still on the stream.
      if (method !== "Reply") for (const document of documentsIn(answer)) push(withoutPlace(document));
    } catch (caught) {
      const fault = faultFrom(caught);
      if (fault.origin === "local") return lose(fault);
      push(errorFromFault(fault, String(type)));
    }
  }

  function send(frame: Uint8Array): boolean {
    if (over !== undefined) return false;
    const message = parseObject(frame);
    if (message.type === "subscription.request") void begin(message);
    // One after another: over several connections, a later call might come first.
    else calling = calling.then(() => say(message));
    return true;
  }

  return {
    peer: { label: calls.address, trust: "token-holder" },
    frames: frames(),
    send,
    close: async (fault, withinMs = CLOSE_MS) => {
      await within(timers.now() + withinMs, calling, timers);
      finish({ kind: "local", ...(fault && { fault }) });
      abort.abort();
      await closed;
    },
    closed,
  };
}

/**
 * The call that a message becomes. AAEP's own messages have `additional`, which takes their members as JSON. The daemon's own messages take them by
 * their names.
 */
function callOf(type: string, members: Members): { readonly method: string; readonly body: Members } {
  const isReply = type.endsWith(".reply");
  const field = isReply ? type.replace(".", "_") : type.slice(type.indexOf(".") + 1);
  const method = isReply ? "Reply" : `_${field}`.replace(/_./g, (start) => start.slice(1).toUpperCase());
  return { method, body: { [field]: type.startsWith("aaepd.") ? members : { additional: members } } };
}

/** The documents in a response besides its events. Nobody is told of a heartbeat. */
function documentsIn({ events: _, heartbeat: __, ...others }: Members): readonly Record<string, unknown>[] {
  return Object.entries(others).map(([field, json]) => {
    const type = `${AAEPS_OWN.test(field) ? "subscription" : "aaepd"}.${memberName(field)}`;
    // The JSON of protobuf leaves out an empty list.
    return { ...(field === "pending" ? { questions: [] } : undefined), ...documentOf(json as Members, type) };
  });
}

const AAEPS_OWN = /^(?:accepted|rejected|close)$/;

function withoutPlace(document: Record<string, unknown>): object {
  if (document.type !== "subscription.accepted") return document;
  const honored = document.honored_capabilities as { readonly aaepd?: Members };
  const { cursor: _, ...aaepd } = honored.aaepd ?? {};
  return { ...document, honored_capabilities: { ...honored, aaepd } };
}

function silentFault(address: string): Fault {
  return new Fault("timed_out", `The daemon at ${address} has been silent for too long.`, { origin: "local" });
}
