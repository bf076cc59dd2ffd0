// The suite as a producer over Connect: the service of AAEP §B.5 over HTTP/2.
import { createServer } from "node:http2";
import { create } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { type AaepMessage, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { faultFromNodeError } from "../../../transports/node-errors.js";
import { callLink } from "./call-link.js";
import { type Endpoint, endpointText } from "./endpoint.js";
import type { Link, LinkListener } from "./link.js";
import { createSentMessages } from "./sent-messages.js";

export async function listenOverConnect(
  endpoint: Extract<Endpoint, { kind: "http" }>,
  accept: (link: Link) => void,
): Promise<LinkListener> {
  const { baseUrl, socketPath } = endpoint;
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
    server.once("error", (error) => reject(faultFromNodeError(error, endpointText(endpoint))));
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
