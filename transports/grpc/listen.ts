// gRPC over @grpc/grpc-js. Connections are accepted as for every transport of services (`service-calls/listen.ts`), so that a socket is private from
// its first moment, and are passed to the library one by one. Messages stay bytes: the library neither encodes nor decodes them.
import { Server, ServerCredentials } from "@grpc/grpc-js";
import type { ServiceListener } from "../../src/contracts/service.js";
import { listenForCalls } from "../service-calls/listen.js";
import { takeTurns } from "../service-calls/sessions.js";
import { createTurnstile } from "../service-calls/turnstile.js";
import { admitted, type Handler, mapHandlers } from "./handlers.js";
import { createHealth } from "./health.js";
import { createHealthDescriptor } from "./health-descriptor.js";
import { limitMetadata, sessionOf } from "./library-internals.js";
import { servicesOf } from "./methods.js";
import { createOpenStreams } from "./open-streams.js";
import { type GrpcOptions, resolveGrpcOptions } from "./options.js";
import { createPeers } from "./peers.js";
import { createReflection } from "./reflection.js";
import { createRequestCount } from "./request-count.js";
import { drainServer } from "./shutdown.js";

/**
 * Serves the methods over gRPC, with health checks and reflection beside them. Throws a Fault "usage" for values out of range, and the Faults of
 * `listenForCalls`. Answers are never compressed, because the library cannot; requests may be.
 */
export async function listenGrpc(given: GrpcOptions): Promise<ServiceListener> {
  const options = resolveGrpcOptions(given);
  const server = new Server({
    // Turns off the library's statistics of every call, which nobody reads.
    "grpc.enable_channelz": 0,
    "grpc.max_receive_message_length": options.maxMessageBytes,
    // The makers of messages decide their size.
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": options.maxStreams,
    "grpc.keepalive_time_ms": options.keepaliveIntervalMs,
    "grpc.keepalive_timeout_ms": options.keepaliveTimeoutMs,
  });
  limitMetadata(server, options.maxMetadataBytes);
  const peers = createPeers();
  const openStreams = createOpenStreams();
  const guarded = (handler: Handler): Handler => admitted(handler, options, peers);
  const descriptors = options.methods.map(({ descriptor }) => descriptor.parent);
  const health = createHealth([...new Set(descriptors.map(({ typeName }) => typeName))]);
  const requests = createRequestCount(options.unfinished);
  for (const { definition, implementation } of servicesOf(options, peers)) {
    requests.addService(definition);
    server.addService(definition, mapHandlers(implementation, guarded));
  }
  const reflection = createReflection(
    descriptors.map(({ file }) => file),
    [createHealthDescriptor()],
  );
  for (const { definition, implementation } of [health, ...reflection]) {
    requests.addService(definition);
    server.addService(
      definition,
      mapHandlers(implementation, (handler) => guarded(openStreams.tended(handler))),
    );
  }
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const turnstile = createTurnstile({ mostWaiting: options.maxStreams });
  const listening = await listenForCalls(options.address, options, (connection) => {
    peers.add(connection);
    const session = sessionOf(server, () => injector.injectConnection(connection.socket));
    if (session !== undefined) takeTurns(session, connection, turnstile, requests.begun);
  });
  let drained: Promise<void> | undefined;
  return {
    address: listening.address,
    renew: listening.renew,
    stop: async () => {
      health.stopServing();
      await listening.stop();
    },
    drain: (withinMs = options.closeTimeoutMs) => {
      openStreams.endAll();
      drained ??= drainServer(server, listening.sockets, withinMs, options.after);
      return drained;
    },
  };
}
