// Links over gRPC: the service of AAEP §B.5, with the usual library's own client.
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import { type AaepMessage, AaepMessageSchema } from "#gen/aaep/v1/aaep_service_pb.js";
import { callLink } from "./call-link.js";
import type { Link, Links } from "./link.js";

export interface GrpcTarget {
  readonly address: string;
  readonly isSecure: boolean;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
}

const PATH = "/aaep.v1.AaepService/Subscribe";

export function grpcLinks({ address, isSecure, token }: GrpcTarget): Links {
  const clients = new Set<Client>();
  const open = async (): Promise<Link> => {
    const security = isSecure ? credentials.createSsl() : credentials.createInsecure();
    // A connection for each link, so that one can vanish alone. The library keeps nothing unread for repeats.
    const client = new Client(address, security, {
      "grpc.use_local_subchannel_pool": 1,
      "grpc.enable_retries": 0,
      "grpc.max_receive_message_length": -1,
    });
    clients.add(client);
    await new Promise<void>((resolve, reject) =>
      client.waitForReady(Date.now() + CONNECT_MS, (error) => (error === undefined ? resolve() : reject(error))),
    );
    const metadata = new Metadata();
    if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
    const call = client.makeBidiStreamRequest<AaepMessage, AaepMessage>(
      PATH,
      (message) => Buffer.from(toBinary(AaepMessageSchema, message)),
      (bytes) => fromBinary(AaepMessageSchema, bytes),
      metadata,
    );
    return callLink({
      write: (message) => void call.write(message),
      responses: call,
      end: () => call.end(),
      cancel: () => {
        call.cancel();
        client.close();
        clients.delete(client);
      },
    });
  };
  return {
    isShared: false,
    open,
    stop: async () => {
      for (const client of clients) client.close();
    },
  };
}

/** How long the server has to take a connection, ms. */
const CONNECT_MS = 5000;
