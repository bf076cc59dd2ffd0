// Links over gRPC: the service of AAEP §B.5, with the usual library's own client.
import { type ServiceError, status } from "@grpc/grpc-js";
import type { AaepMessage } from "#gen/aaep/v1/aaep_service_pb.js";
import { createGrpcClient, type GrpcTarget, metadataOf, type OwnClient } from "../../../transports/grpc/client.js";
import { Fault } from "../../base/errors.js";
import { callLink } from "./call-link.js";
import { endpointText } from "./endpoint.js";
import { noConnection, tokenRefused } from "./endpoint-faults.js";
import type { Link, Links } from "./link.js";
import {
  decodeManifest,
  decodeMessage,
  encodeMessage,
  MANIFEST_PATH,
  manifestText,
  SUBSCRIBE_PATH,
} from "./service-messages.js";

export function grpcLinks(target: GrpcTarget): Links {
  const endpoint = endpointText({ kind: "grpc", address: target.address, isSecure: target.isSecure === true });
  const clients = new Set<OwnClient>();
  const metadata = metadataOf(target);
  const created = (): OwnClient => {
    try {
      return createGrpcClient(target);
    } catch (caught) {
      throw caught instanceof Fault && caught.code === "not_found" ? noConnection(endpoint, caught) : caught;
    }
  };
  const ready = async (): Promise<OwnClient> => {
    // A connection for each link, so that one can vanish alone.
    const own = created();
    clients.add(own);
    await new Promise<void>((resolve, reject) => {
      const told = (error?: Error): void => (error === undefined ? resolve() : reject(noConnection(endpoint, error)));
      own.connecting(() => own.client.waitForReady(Date.now() + CONNECT_MS, told));
    });
    return own;
  };
  const leave = (own: OwnClient): void => {
    own.close();
    clients.delete(own);
  };
  const open = async (): Promise<Link> => {
    const own = await ready();
    const call = own.client.makeBidiStreamRequest<AaepMessage, AaepMessage>(
      SUBSCRIBE_PATH,
      encodeMessage,
      decodeMessage,
      metadata,
    );
    return callLink({
      write: (message) => void call.write(message),
      responses: answersOf(endpoint, call),
      end: () => call.end(),
      cancel: () => {
        call.cancel();
        leave(own);
      },
    });
  };
  const manifest = async (): Promise<string> => {
    const own = await ready();
    try {
      return await new Promise<string>((resolve, reject) => {
        const deadline = Date.now() + CONNECT_MS;
        const told = (error: ServiceError | null, answer?: Parameters<typeof manifestText>[0]): void =>
          answer === undefined ? reject(error) : resolve(manifestText(answer));
        own.client.makeUnaryRequest(
          MANIFEST_PATH,
          () => Buffer.alloc(0),
          decodeManifest,
          {},
          metadata,
          { deadline },
          told,
        );
      });
    } finally {
      leave(own);
    }
  };
  return {
    isShared: false,
    isLocal: false,
    open,
    manifest,
    stop: async () => {
      for (const client of clients) client.close();
    },
  };
}

async function* answersOf(endpoint: string, call: AsyncIterable<AaepMessage>): AsyncGenerator<AaepMessage> {
  try {
    yield* call;
  } catch (caught) {
    if ((caught as Partial<ServiceError>).code === status.UNAUTHENTICATED) throw tokenRefused(endpoint);
    throw new Error(`The call of Subscribe failed: ${caught instanceof Error ? caught.message : String(caught)}`);
  }
}

/** How long the server has to take a connection, and to answer a call, ms. */
const CONNECT_MS = 5000;
