// gRPC over @grpc/grpc-js. Connections are accepted as for every transport of services (`service-calls/listen.ts`), so that a socket is private from
// its first moment, and are passed to the library one by one. Messages stay bytes: the library neither encodes nor decodes them.
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import type { ServiceListener } from "../../src/contracts/service.js";
import { listenForCalls } from "../service-calls/listen.js";
import { createTurnstile } from "../service-calls/turnstile.js";
import { createGate } from "./gate.js";
import { createHealth, createHealthDescriptor } from "./health.js";
import { addMethod } from "./methods.js";
import { type GrpcOptions, resolveGrpcOptions } from "./options.js";
import { createReflection } from "./reflection.js";

/**
 * Serves the methods over gRPC, with health checks and reflection beside them. Throws a Fault "usage" for a method of another kind than its
 * descriptor's, and the Faults of `listenForCalls`. Answers are never compressed, because the library cannot; requests may be.
 */
export async function listenGrpc(given: GrpcOptions): Promise<ServiceListener> {
  const options = resolveGrpcOptions(given);
  const { limits } = options;
  const gate = createGate(options);
  const turns = createTurnstile({ mostWaiting: limits.maxStreams });
  const server = new Server({
    interceptors: [gate.interceptor],
    // Turns off the library's statistics of every call, which nobody reads.
    "grpc.enable_channelz": 0,
    "grpc.max_receive_message_length": options.maxMessageBytes,
    // The makers of messages decide their size.
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": limits.maxStreams,
    "grpc.keepalive_time_ms": limits.keepaliveIntervalMs,
    "grpc.keepalive_timeout_ms": limits.keepaliveTimeoutMs,
  });
  const descriptors = options.methods.map(({ descriptor }) => descriptor.parent);
  const health = createHealth([...new Set(descriptors.map(({ typeName }) => typeName))]);
  const reflection = createReflection(
    descriptors.map(({ file }) => file),
    [createHealthDescriptor()],
  );
  const openStreams = createOpenStreams();
  for (const method of options.methods) addMethod(server, method, options, gate.admitted, turns);
  for (const { definition, implementation } of [health, ...reflection])
    server.addService(definition, openStreams.tended(implementation));
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listening = await listenForCalls(options.address, options, (connection) => {
    gate.add(connection);
    injector.injectConnection(connection.socket);
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
      const inOrder = (closed: Promise<unknown>): Promise<unknown> => {
        // Clients begin no more calls. The callback is not awaited: on Node 26 it comes at once for injected connections, whatever is under way on
        // them. Each connection ends with its last call. The callback's possible error, that the server had no listener, is expected.
        server.tryShutdown(() => {});
        return closed;
      };
      drained ??= listening.end(withinMs, inOrder, () => server.forceShutdown());
      return drained;
    },
  };
}

/** A call of the library's own services with a stream in either direction, or in both. */
type Streaming = ServerDuplexStream<unknown, unknown>;

/** Keeps the open streams of the library's own services (health and reflection), which do not end by themselves. */
function createOpenStreams() {
  const open = new Set<Streaming>();
  return {
    /** The same handlers, of which those that stream are tended. */
    tended: (implementation: UntypedServiceImplementation): UntypedServiceImplementation =>
      Object.fromEntries(
        Object.entries(implementation).map(([name, handler]) => [
          name,
          (call: Streaming, respond?: unknown) => {
            if (respond === undefined) {
              open.add(call);
              call.on("cancelled", () => open.delete(call));
              if ("resume" in call) heedDrain(call);
            }
            (handler as (...given: readonly unknown[]) => void)(call, respond);
          },
        ]),
      ),
    endAll: () => {
      for (const call of open) call.emit("error", { code: status.UNAVAILABLE, details: "The daemon shuts down." });
    },
  };
}

/** Reads no more from a client that asks but does not read. */
function heedDrain(call: Streaming): void {
  call.on("data", () => {
    if (!call.writableNeedDrain) return;
    call.pause();
    call.once("drain", () => call.resume());
  });
}
