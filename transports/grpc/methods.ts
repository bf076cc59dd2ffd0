// Our methods as the library serves them, with handlers that know the connection of a call.
import type { MethodDefinition, Server, ServerUnaryCall, sendUnaryData, UntypedHandleCall } from "@grpc/grpc-js";
import { Fault, publicFault } from "../../src/base/errors.js";
import type { ServiceMethod } from "../../src/contracts/service.js";
import { bufferOf } from "../service-calls/batch-messages.js";
import type { Turnstile } from "../service-calls/turnstile.js";
import type { Gate } from "./gate.js";
import type { ResolvedGrpcOptions } from "./options.js";
import { createStreamConnection, type StreamCall } from "./stream-call.js";
import { answerCall } from "./unary-call.js";

/** Serves one method, its unary calls in `turns` once their messages are whole. Throws a Fault "usage" if its kind differs from its descriptor's. */
export function addMethod(
  server: Server,
  method: ServiceMethod,
  options: ResolvedGrpcOptions,
  admitted: Gate["admitted"],
  turns: Turnstile,
): void {
  const { parent, name, methodKind } = method.descriptor;
  if (method.kind !== (methodKind === "unary" ? "unary" : "stream") || methodKind === "client_streaming") {
    const sentence = `${parent.typeName}.${name} is ${methodKind}, which is not served as "${method.kind}".`;
    throw new Fault("usage", sentence, { origin: "local" });
  }
  const definition: MethodDefinition<Buffer, Buffer> = {
    path: `/${parent.typeName}/${name}`,
    requestStream: methodKind === "bidi_streaming",
    responseStream: methodKind !== "unary",
    requestSerialize: bufferOf,
    requestDeserialize: same,
    responseSerialize: bufferOf,
    responseDeserialize: same,
  };
  server.addService({ [name]: definition }, { [name]: handlerOf(method, options, admitted, turns) });
}

function same(bytes: Buffer): Buffer {
  return bytes;
}

function handlerOf(
  method: ServiceMethod,
  options: ResolvedGrpcOptions,
  admitted: Gate["admitted"],
  turns: Turnstile,
): UntypedHandleCall {
  if (method.kind === "unary") {
    return (call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) => {
      const { connection } = admitted(call);
      const answer = (): void => void (call.cancelled || answerCall(method, call, connection, respond, options));
      if (!turns.pass(connection, answer)) connection.cutOff();
    };
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
