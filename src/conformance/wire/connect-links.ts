// Links over Connect: the service of AAEP §B.5 over HTTP/2.
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, Http2SessionManager } from "@connectrpc/connect-node";
import { type AaepMessage, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { connectToOwn } from "../../../transports/ipc/own-socket.js";
import { isMissing, isRefused } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { callLink } from "./call-link.js";
import { endpointText } from "./endpoint.js";
import { noConnection, tokenRefused } from "./endpoint-faults.js";
import type { Link, Links } from "./link.js";
import { createSentMessages } from "./sent-messages.js";
import { manifestText } from "./service-messages.js";

export interface ConnectTarget {
  readonly baseUrl: string;
  readonly socketPath: string | undefined;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
}

export function connectLinks({ baseUrl, socketPath, token }: ConnectTarget): Links {
  const endpoint = endpointText({ kind: "http", baseUrl, socketPath });
  const ends = new Set<() => void>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // A connection for each link, so that one can vanish alone. Left to itself it would stay for minutes after its last call.
  const connected = (): { readonly client: Client<typeof AaepService>; readonly end: () => void } => {
    const socket = socketPath === undefined ? {} : { createConnection: () => connectToOwn(socketPath) };
    const sessionManager = new Http2SessionManager(baseUrl, {}, socket);
    const transport = createConnectTransport({ baseUrl, httpVersion: "2", sessionManager });
    return { client: createClient(AaepService, transport), end: () => sessionManager.abort() };
  };
  /** A connection is made with the first call, so that a missing server shows itself in the answers. */
  async function* answersOf(messages: AsyncIterable<AaepMessage>, end: () => void): AsyncGenerator<AaepMessage> {
    try {
      yield* messages;
    } catch (caught) {
      const cause = caught instanceof ConnectError ? caught.cause : caught;
      if (cause instanceof Fault && cause.code !== "not_found") throw cause;
      if (cause instanceof Fault || isRefused(cause) || isMissing(cause)) throw noConnection(endpoint, caught);
      if (caught instanceof ConnectError && caught.code === Code.Unauthenticated) throw tokenRefused(endpoint);
      const why = caught instanceof Error ? caught.message : String(caught);
      throw new Error(`The call of Subscribe by Connect over HTTP/2 failed: ${why}`);
    } finally {
      end();
    }
  }
  const open = async (): Promise<Link> => {
    const sent = createSentMessages<AaepMessage>();
    const abort = new AbortController();
    const { client, end } = connected();
    ends.add(() => {
      abort.abort();
      end();
    });
    return callLink({
      write: sent.push,
      responses: answersOf(client.subscribe(sent.messages, { headers, signal: abort.signal }), end),
      end: sent.end,
      cancel: () => {
        sent.end();
        abort.abort();
      },
    });
  };
  return {
    isShared: false,
    isLocal: false,
    open,
    manifest: async () => {
      const { client, end } = connected();
      try {
        return manifestText(await client.getManifest({}, { headers, timeoutMs: ANSWER_MS }));
      } finally {
        end();
      }
    },
    stop: async () => {
      for (const end of ends) end();
    },
  };
}

/** How long the server has to answer a call, ms. */
const ANSWER_MS = 5000;
