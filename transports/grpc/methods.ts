// Groups our methods by service for the library, with handlers that know the connection of a call.
import type {
  MethodDefinition,
  ServerUnaryCall,
  ServiceDefinition,
  sendUnaryData,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { Fault, publicFault } from "../../src/base/errors.js";
import type { ServiceMethod } from "../../src/contracts/service.js";
import { bufferOf } from "../service-calls/batch-messages.js";
import { type AnyCall, type Handler, refuse } from "./handlers.js";
import type { ResolvedGrpcOptions } from "./options.js";
import type { Peers } from "./peers.js";
import { statusOf } from "./status.js";
import { createStreamConnection, type StreamCall } from "./stream-call.js";
import { answerCall } from "./unary-call.js";

export interface Service {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** One for each service of the methods. Throws a Fault "usage" if a method's kind differs from its descriptor's. */
export function servicesOf(options: ResolvedGrpcOptions, peers: Peers): readonly Service[] {
  const services = new Map<
    string,
    { definition: Record<string, MethodDefinition<Buffer, Buffer>>; handlers: Record<string, Handler> }
  >();
  for (const method of options.methods) {
    const { parent, name, methodKind } = method.descriptor;
    const service = services.get(parent.typeName) ?? { definition: {}, handlers: {} };
    services.set(parent.typeName, service);
    if (method.kind !== (methodKind === "unary" ? "unary" : "stream") || methodKind === "client_streaming") {
      throw new Fault(
        "usage",
        `${parent.typeName}.${name} is ${methodKind}, which is not served as "${method.kind}".`,
        {
          origin: "local",
        },
      );
    }
    service.definition[name] = {
      path: `/${parent.typeName}/${name}`,
      requestStream: methodKind === "bidi_streaming",
      responseStream: methodKind !== "unary",
      requestSerialize: bufferOf,
      requestDeserialize: same,
      responseSerialize: bufferOf,
      responseDeserialize: same,
    };
    service.handlers[name] = handlerOf(method, options, peers);
  }
  return [...services.values()].map(({ definition, handlers }) => ({
    definition,
    implementation: handlers as unknown as UntypedServiceImplementation,
  }));
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

function handlerOf(method: ServiceMethod, options: ResolvedGrpcOptions, peers: Peers): Handler {
  return (call, respond) => {
    const peer = peers.ofCall(call);
    if (peer === undefined) {
      const gone = new Fault("peer_gone", "The connection of this call has ended. Connect again to go on.");
      refuse(call, respond, statusOf(gone, options.describeFault));
    } else if (method.kind === "unary") {
      void answerCall(
        method,
        call as AnyCall as ServerUnaryCall<Buffer, Buffer>,
        peer,
        respond as sendUnaryData<Buffer>,
        options,
      );
    } else {
      const streamOptions = { ...options, joinsBatches: method.joinsBatches };
      const connection = createStreamConnection(call as unknown as StreamCall, peer, streamOptions);
      try {
        method.accept(connection);
      } catch (caught) {
        void connection.close(publicFault(caught, options.log));
      }
    }
  };
}
