// Calls with any bytes for messages.
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import type { StatusObject } from "@grpc/grpc-js";
import { onTestFinished } from "vitest";
import { asIs, createGrpcClient, metadataOf } from "../peers/grpc-client.js";
import { createMessageQueue, type MessageQueue } from "../peers/message-queue.js";
import { grpcEndOf } from "./grpc-client.js";
import type { ServiceEnd } from "./service-client.js";

export interface RawCall {
  readonly write: (message: Uint8Array) => void;
  readonly halfClose: () => void;
  readonly cancel: () => void;
  readonly messages: MessageQueue<Uint8Array>;
  readonly ended: Promise<ServiceEnd>;
}

/** One call of gRPC on a connection of its own. `path` as in "/aaep.v1.SubscriberService/Listen". */
export function openRawGrpc(address: string, path: string, headers: Readonly<Record<string, string>> = {}): RawCall {
  const client = createGrpcClient(address);
  const call = client.makeBidiStreamRequest(path, asIs, asIs, metadataOf(headers));
  const messages = createMessageQueue<Uint8Array>(path);
  call.on("data", messages.push);
  call.on("error", () => {});
  onTestFinished(() => {
    call.cancel();
    client.close();
  });
  return {
    write: (message) => void call.write(Buffer.from(message)),
    halfClose: () => void call.end(),
    cancel: () => call.cancel(),
    messages,
    ended: new Promise((resolve) => {
      call.once("status", (status: StatusObject) => {
        messages.end();
        resolve(grpcEndOf(status));
      });
    }),
  };
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface RawRequest {
  /** Without one, POST where there is a body or its type, else GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/**
 * One request of HTTP/1.1 on a connection of its own. `address` is "unix:/path", or a host with its port, also behind "http://". Rejects where the
 * connection broke before it was answered.
 */
export function rawHttp(
  address: string,
  path: string,
  { method, headers = {}, body = "" }: RawRequest,
): Promise<RawAnswer> {
  const isUnix = address.startsWith("unix:");
  const { hostname, port } = new URL(isUnix || address.includes("://") ? address : `http://${address}`);
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...(isUnix ? { socketPath: address.slice("unix:".length) } : { hostname, port }),
      path,
      method: method ?? (body.length === 0 && headers["content-type"] === undefined ? "GET" : "POST"),
      headers: { ...(isUnix ? { host: "localhost" } : {}), ...headers },
      agent: false,
    });
    request.once("error", reject);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("error", reject);
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    request.end(body);
  });
}

/** A message as Connect puts it into a stream. */
export function enveloped(message: Uint8Array, flags = 0): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
