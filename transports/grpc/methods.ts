// Our methods as the library serves them, with handlers that know the connection of a call.
import type { MethodDefinition, Server, ServerUnaryCall, sendUnaryData, UntypedHandleCall } from "@grpc/grpc-js";
import { publicFault, usage } from "../../src/base/errors.js";
import type { ServiceMethod } from "../../src/contracts/service.js";
import { bufferOf } from "../service-calls/batch-messages.js";
import type { ServiceConnection } from "../service-calls/connections.js";
import { watchCallEnd } from "../service-calls/deadline.js";
import type { Turnstile } from "../service-calls/turnstile.js";
import type { Gate } from "./gate.js";
import type { ResolvedGrpcOptions } from "./options.js";
import { statusOf } from "./status.js";
import { createStreamConnection, type StreamCall } from "./stream-call.js";

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
    throw usage(sentence);
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

/** Answers one call. Its signal is aborted if the call ends first; the reason shows whether the client cancelled. */
async function answerCall(
  method: ServiceMethod & { readonly kind: "unary" },
  call: ServerUnaryCall<Buffer, Buffer>,
  connection: ServiceConnection,
  respond: sendUnaryData<Buffer>,
  options: Pick<ResolvedGrpcOptions, "describeFault" | "log">,
): Promise<void> {
  const ended = new AbortController();
  const whyEnded = watchCallEnd(call, connection);
  let isAnswered = false;
  // Also emitted after an answer.
  call.on("cancelled", () => {
    if (isAnswered) return;
    whyEnded((fault) => {
      if (!isAnswered) ended.abort(fault === undefined ? "cancelled" : "ended");
    });
  });
  try {
    const answer = await method.answer(call.request, { peer: connection.peer, signal: ended.signal });
    isAnswered = true;
    respond(null, bufferOf(answer));
  } catch (caught) {
    isAnswered = true;
    respond(statusOf(publicFault(caught, options.log), options.describeFault));
  }
}
