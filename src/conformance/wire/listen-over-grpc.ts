// The suite as a producer over gRPC: the service of AAEP §B.5.
import { Server, ServerCredentials, type ServerDuplexStream } from "@grpc/grpc-js";
import type { AaepMessage } from "#gen/aaep/v1/aaep_service_pb.js";
import { Fault } from "../../base/errors.js";
import { callLink } from "./call-link.js";
import type { Link, LinkListener } from "./link.js";
import { decodeMessage, encodeMessage, SUBSCRIBE_PATH } from "./service-messages.js";

export async function listenOverGrpc(address: string, accept: (link: Link) => void): Promise<LinkListener> {
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
      error === null ? resolve() : reject(cannotListen(address, error)),
    ),
  );
  return { stop: async () => server.forceShutdown() };
}

function cannotListen(address: string, { message }: Error): Fault {
  const sentence = `The suite cannot listen at grpc://${address} (${message}). Choose another --endpoint.`;
  return new Fault("address_invalid", sentence, { origin: "local" });
}
