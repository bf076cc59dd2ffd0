// A client of gRPC by the library that most programs of Node use.
import { type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import {
  Client,
  credentials,
  type CallOptions as GrpcCallOptions,
  Metadata,
  type ServiceError,
  type StatusObject,
} from "@grpc/grpc-js";
import { type AaepdError, AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import { type CallOptions, type ServiceClient, type ServiceEnd, ServiceRefusal, statusName } from "./service-client.js";

/** `address` is "unix:/path" or "host:port". */
export function createGrpcClient(address: string, headers: Readonly<Record<string, string>> = {}): ServiceClient {
  const client = new Client(address, credentials.createInsecure(), {
    // Each has a connection of its own.
    "grpc.use_local_subchannel_pool": 1,
    "grpc.enable_retries": 0,
    "grpc.max_receive_message_length": -1,
  });
  const calls = new Set<() => void>();
  const metadataOf = (options: CallOptions): Metadata => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries({ ...headers, ...options.headers })) metadata.set(name, value);
    return metadata;
  };
  const optionsOf = ({ timeoutMs }: CallOptions): GrpcCallOptions =>
    timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
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
          metadataOf(options),
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
        metadataOf(options),
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
export function grpcEndOf({ code, details, metadata }: StatusObject | ServiceError): ServiceEnd {
  const [bytes] = metadata.get("grpc-status-details-bin");
  return { status: statusName(code), message: details, detail: bytes instanceof Buffer ? detailIn(bytes) : undefined };
}

/** google.rpc.Status by hand: its third field holds google.protobuf.Any. */
function detailIn(bytes: Uint8Array): AaepdError | undefined {
  for (const any of fieldsOf(bytes, 3)) {
    const [url] = fieldsOf(any, 1);
    const [value] = fieldsOf(any, 2);
    if (url !== undefined && Buffer.from(url).toString() === `type.googleapis.com/${AaepdErrorSchema.typeName}`) {
      return fromBinary(AaepdErrorSchema, value ?? new Uint8Array());
    }
  }
  return undefined;
}

function fieldsOf(bytes: Uint8Array, wanted: number): readonly Uint8Array[] {
  const reader = new BinaryReader(bytes);
  const found: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === wanted) found.push(reader.bytes());
    else reader.skip(wireType, number);
  }
  return found;
}
