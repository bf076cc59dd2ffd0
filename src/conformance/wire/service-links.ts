// Links over the service of AAEP §B.5, by gRPC or by Connect over HTTP/2: one library speaks both, and its server takes both.
import { createServer } from "node:http2";
import { create } from "@bufbuild/protobuf";
import { type Client, Code, ConnectError, type ConnectRouter, createClient } from "@connectrpc/connect";
import {
  connectNodeAdapter,
  createConnectTransport,
  createGrpcTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { type AaepMessage, AaepMessageSchema, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { connectToOwn } from "../../../transports/ipc/own-socket.js";
import { faultFromNodeError, isMissing, isRefused } from "../../../transports/node-errors.js";
import { Fault } from "../../base/errors.js";
import { withResolvers } from "../../base/with-resolvers.js";
import { endpointText, type ServiceEndpoint } from "./endpoint.js";
import { bearerOf, noConnection, tokenRefused } from "./endpoint-faults.js";
import type { Link, LinkListener, Links } from "./link.js";
import { textIn } from "./message-text.js";
import { createSentMessages, type SentMessages } from "./sent-messages.js";

/** How long the other side has to end its stream, ms. */
const CLOSING_MS = 1000;
/** How long the server has to answer a call, ms. */
const ANSWER_MS = 5000;

export function serviceLinks(target: ServiceEndpoint, token: string | undefined): Links {
  const { protocol, baseUrl, socketPath } = target;
  const endpoint = endpointText(target);
  const ends = new Set<() => void>();
  const headers = bearerOf(token);
  // A connection for each link, so that one can vanish alone. Left to itself it would stay for minutes after its last call.
  const connected = (): { readonly client: Client<typeof AaepService>; readonly end: () => void } => {
    const socket = socketPath === undefined ? {} : { createConnection: () => connectToOwn(socketPath) };
    const sessionManager = new Http2SessionManager(baseUrl, {}, socket);
    const transport =
      protocol === "grpc"
        ? createGrpcTransport({ baseUrl, sessionManager })
        : createConnectTransport({ baseUrl, httpVersion: "2", sessionManager });
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
      throw new Error(`The call of Subscribe at ${endpoint} failed: ${why}`);
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
    const answers = answersOf(client.subscribe(sent.messages, { headers, signal: abort.signal }), end);
    return callLink(sent, answers, () => abort.abort());
  };
  return {
    open,
    manifest: async () => {
      const { client, end } = connected();
      try {
        const { json } = await client.getManifest({}, { headers, timeoutMs: ANSWER_MS });
        return new TextDecoder("utf-8", { fatal: true }).decode(json);
      } finally {
        end();
      }
    },
    stop: async () => {
      for (const end of ends) end();
    },
  };
}

/** Listens until it is stopped. Throws a Fault if that is not possible. */
export async function listenOverService(target: ServiceEndpoint, accept: (link: Link) => void): Promise<LinkListener> {
  const { baseUrl, socketPath } = target;
  const routes = (router: ConnectRouter): void => {
    router.service(AaepService, {
      subscribe: async function* (requests) {
        const sent = createSentMessages<AaepMessage>();
        accept(callLink(sent, requests));
        yield* sent.messages;
      },
      getManifest: () => create(AaepService.method.getManifest.output, {}),
    });
  };
  const server = createServer(connectNodeAdapter({ routes }));
  const sessions = new Set<{ readonly destroy: () => void }>();
  server.on("session", (session) => sessions.add(session));
  const { port, hostname } = new URL(baseUrl);
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(faultFromNodeError(error, endpointText(target))));
    if (socketPath === undefined) server.listen(Number(port), host, resolve);
    else server.listen(socketPath, resolve);
  });
  return {
    stop: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** The link over a call with a stream in both directions. `cancel`: also ends the call; a server's call ends with what it has sent. */
function callLink(
  sent: SentMessages<AaepMessage>,
  received: AsyncIterable<AaepMessage>,
  cancel = (): void => {},
): Link {
  const encoder = new TextEncoder();
  let isOver = false;
  const { promise: over, resolve: tellOver } = withResolvers();
  async function* texts(): AsyncGenerator<string> {
    try {
      for await (const { json } of received) yield textIn(json);
    } catch (caught) {
      if (!isOver) throw caught;
    } finally {
      tellOver();
    }
  }
  const leave = (): void => {
    sent.end();
    cancel();
  };
  return {
    send: (text) => {
      if (!isOver) sent.push(create(AaepMessageSchema, { json: encoder.encode(text), messageType: typeIn(text) }));
    },
    incoming: texts(),
    close: async () => {
      isOver = true;
      sent.end();
      const patience = setTimeout(leave, CLOSING_MS);
      await over;
      clearTimeout(patience);
    },
    vanish: async () => {
      isOver = true;
      leave();
      await over;
    },
  };
}

function typeIn(text: string): string {
  try {
    const { type } = JSON.parse(text) as { readonly type?: unknown };
    return typeof type === "string" ? type : "";
  } catch {
    return "";
  }
}
