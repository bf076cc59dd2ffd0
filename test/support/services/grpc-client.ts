// A client of gRPC by the library that most programs of Node use.
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import type { CallOptions as GrpcCallOptions, Metadata, ServiceError, StatusObject } from "@grpc/grpc-js";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { createGrpcClient as createClient, deadlineOf, metadataOf, statusDetails } from "../peers/grpc-client.js";
import { type CallOptions, type ServiceClient, type ServiceEnd, ServiceRefusal, statusName } from "./service-client.js";

/** `address` is "unix:/path" or "host:port". */
export function createGrpcClient(address: string, headers: Readonly<Record<string, string>> = {}): ServiceClient {
  const client = createClient(address);
  const calls = new Set<() => void>();
  const withHeaders = (options: CallOptions): Metadata => metadataOf({ ...headers, ...options.headers });
  const optionsOf = ({ timeoutMs }: CallOptions): GrpcCallOptions => deadlineOf(timeoutMs);
  const pathOf = (method: { readonly parent: { readonly typeName: string }; readonly name: string }): string =>
    `/${method.parent.typeName}/${method.name}`;

  return {
    unary: (method, request, options = {}) =>
      new Promise((resolve, reject) => {
        const call = client.makeUnaryRequest(
          pathOf(method),
          encoderOf(method.input),
          decoderOf(method.output),
          request,
          withHeaders(options),
          optionsOf(options),
          (error, answer) => {
            if (error !== null) reject(new ServiceRefusal(grpcEndOf(error)));
            else if (answer === undefined) reject(new Error(`${method.name} was answered by nothing`));
            else resolve(answer);
          },
        );
        options.signal?.addEventListener("abort", () => call.cancel(), { once: true });
      }),
    stream: (method, take, options = {}) => {
      const call = client.makeBidiStreamRequest(
        pathOf(method),
        encoderOf(method.input),
        decoderOf(method.output),
        withHeaders(options),
        optionsOf(options),
      );
      const cancel = (): void => call.cancel();
      calls.add(cancel);
      options.signal?.addEventListener("abort", cancel, { once: true });
      call.on("data", take);
      call.on("error", () => {});
      return {
        send: (message) => void call.write(message),
        halfClose: () => void call.end(),
        cancel,
        ended: new Promise((resolve) => {
          call.once("status", (status: StatusObject) => {
            calls.delete(cancel);
            resolve(grpcEndOf(status));
          });
        }),
        stopReading: () => void call.pause(),
        readOn: () => void call.resume(),
      };
    },
    // The library gives nobody its socket.
    abandon: () => {
      for (const cancel of calls) cancel();
      client.close();
    },
    close: async () => {
      for (const cancel of calls) cancel();
      client.close();
    },
  };
}

function encoderOf<Descriptor extends DescMessage>(descriptor: Descriptor) {
  return (message: MessageShape<Descriptor>): Buffer => Buffer.from(toBinary(descriptor, message));
}

function decoderOf<Descriptor extends DescMessage>(descriptor: Descriptor) {
  return (bytes: Buffer): MessageShape<Descriptor> => fromBinary(descriptor, bytes);
}

/** The end of a call from what the library says of it. */
export function grpcEndOf(told: StatusObject | ServiceError): ServiceEnd {
  const detail = statusDetails(told)?.details.find(
    ([url]) => url === `type.googleapis.com/${AaepdErrorSchema.typeName}`,
  );
  return {
    status: statusName(told.code),
    message: told.details,
    detail: detail === undefined ? undefined : fromBinary(AaepdErrorSchema, Buffer.from(detail[1], "latin1")),
  };
}
