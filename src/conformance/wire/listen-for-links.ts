// The suite as a producer: it listens at an endpoint, and each connection of a subscriber is a link.
import { createServer } from "node:http2";
import { create } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import { type AaepMessage, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { Fault } from "../../base/errors.js";
import { unreachable } from "../../base/exhaustive.js";
import { callLink } from "./call-link.js";
import type { Endpoint } from "./endpoint.js";
import type { Link } from "./link.js";
import { createSentMessages } from "./sent-messages.js";
import { decodeMessage, encodeMessage, SUBSCRIBE_PATH } from "./service-messages.js";
import { listenAtSocket } from "./socket-links.js";

export interface LinkListener {
  readonly stop: () => Promise<void>;
}

/** Throws a Fault if the suite cannot listen there. */
export async function listenForLinks(endpoint: Endpoint, accept: (link: Link) => void): Promise<LinkListener> {
  switch (endpoint.kind) {
    case "socket":
      return listenAtSocket(endpoint.path, accept);
    case "grpc":
      return listenOverGrpc(endpoint.address, accept);
    case "connect":
      return listenOverConnect(endpoint, accept);
    case "child":
      throw new Fault("usage", "A subscriber starts its producer by itself over stdio. Give another endpoint.", {
        origin: "local",
      });
    default:
      return unreachable(endpoint);
  }
}

async function listenOverGrpc(address: string, accept: (link: Link) => void): Promise<LinkListener> {
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  server.addService(
    {
      Subscribe: {
        path: SUBSCRIBE_PATH,
        requestStream: true,
        responseStream: true,
        requestSerialize: encodeMessage,
        requestDeserialize: decodeMessage,
        responseSerialize: encodeMessage,
        responseDeserialize: decodeMessage,
      },
    },
    {
      Subscribe: (call: ServerDuplexStream<AaepMessage, AaepMessage>) =>
        accept(
          callLink({
            write: (message) => void call.write(message),
            responses: call,
            end: () => call.end(),
            cancel: () => call.destroy(),
          }),
        ),
    },
  );
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    ),
  );
  return { stop: async () => server.forceShutdown() };
}

async function listenOverConnect(
  { baseUrl, socketPath }: Extract<Endpoint, { kind: "connect" }>,
  accept: (link: Link) => void,
): Promise<LinkListener> {
  const routes = (router: ConnectRouter): void => {
    router.service(AaepService, {
      subscribe: async function* (requests) {
        const sent = createSentMessages<AaepMessage>();
        accept(callLink({ write: sent.push, responses: requests, end: sent.end, cancel: sent.end }));
        yield* sent.messages;
      },
      getManifest: () => create(AaepService.method.getManifest.output, {}),
    });
  };
  const server = createServer(connectNodeAdapter({ routes }));
  const sessions = new Set<{ readonly destroy: () => void }>();
  server.on("session", (session) => sessions.add(session));
  const { port, hostname } = new URL(baseUrl);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (socketPath === undefined) server.listen(Number(port), hostname, resolve);
    else server.listen(socketPath, resolve);
  });
  return {
    stop: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
