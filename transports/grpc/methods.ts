// Groups our methods by service for the library, with handlers that know the connection of a call.
import type {
  MethodDefinition,
  ServerUnaryCall,
  ServiceDefinition,
  sendUnaryData,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { Fault, publicFault } from "../../src/base/errors.js";
import type { ServiceMethod } from "../../src/contracts/service.js";
import { bufferOf } from "../service-calls/batch-messages.js";
import type { Gate } from "./gate.js";
import type { ResolvedGrpcOptions } from "./options.js";
import { createStreamConnection, type StreamCall } from "./stream-call.js";
import { answerCall } from "./unary-call.js";

export interface Service {
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/** One for each service of the methods. Throws a Fault "usage" if a method's kind differs from its descriptor's. */
export function servicesOf(options: ResolvedGrpcOptions, admitted: Gate["admitted"]): readonly Service[] {
  const services = new Map<
    string,
    { definition: Record<string, MethodDefinition<Buffer, Buffer>>; implementation: UntypedServiceImplementation }
  >();
  for (const method of options.methods) {
    const { parent, name, methodKind } = method.descriptor;
    const service = services.get(parent.typeName) ?? { definition: {}, implementation: {} };
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
    service.implementation[name] = handlerOf(method, options, admitted);
  }
  return [...services.values()];
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

function handlerOf(method: ServiceMethod, options: ResolvedGrpcOptions, admitted: Gate["admitted"]): UntypedHandleCall {
  if (method.kind === "unary") {
    return (call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) =>
      void answerCall(method, call, admitted(call).peer, respond, options);
  }
  return (call: StreamCall) => {
    const connection = createStreamConnection(call, admitted(call), { ...options, joinsBatches: method.joinsBatches });
    try {
      method.accept(connection);
    } catch (caught) {
      void connection.close(publicFault(caught, options.log));
    }
  };
}
