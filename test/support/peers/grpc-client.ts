// The other side of gRPC, with the library's own client: a call with a stream as a Connection, and a connection that can break.

import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { BinaryReader } from "@bufbuild/protobuf/wire";
import { Client, type ClientDuplexStream, credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { Fault } from "../../../src/base/errors.js";
import type { CloseInfo, Connection } from "../../../src/contracts/transport.js";
import { ONLY_ITERATED } from "./frames.js";

/** Bytes as they are. */
export const asIs = (bytes: Buffer): Buffer => bytes;

/** `unix:/path` or `127.0.0.1:port`. Each client has a connection of its own, and makes it as soon as it needs one. */
export function createGrpcClient(address: string, options: Readonly<Record<string, string | number>> = {}): Client {
  return new Client(address, credentials.createInsecure(), {
    "grpc.use_local_subchannel_pool": 1,
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
    // What is not read must not pile up in a buffer for repeats.
    "grpc.enable_retries": 0,
    ...options,
  });
}

export function metadataOf(entries: Readonly<Record<string, string>> = {}): Metadata {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(entries)) metadata.set(key, value);
  return metadata;
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** From now on. */
  readonly deadlineMs?: number;
}

export function deadlineOf(milliseconds: number | undefined): { readonly deadline?: number } {
  return milliseconds === undefined ? {} : { deadline: Date.now() + milliseconds };
}

/** The client's end of a call that streams both ways. Half-closes, waits for the status, and closes its connection when it is closed. */
export function callConnection(
  client: Client,
  path: string,
  { headers = {}, deadlineMs }: CallOptions = {},
): Connection<Uint8Array> & {
  readonly call: ClientDuplexStream<Buffer, Buffer>;
  readonly ended: Promise<ServiceError | undefined>;
} {
  const call = client.makeBidiStreamRequest(path, asIs, asIs, metadataOf(headers), deadlineOf(deadlineMs));
  // Until it is first asked, the library's client takes in without end.
  call.read(0);
  let isClosed = false;
  let isClosing = false;
  let tellClosed: (info: CloseInfo) => void = () => {};
  const closed = new Promise<CloseInfo>((resolve) => {
    tellClosed = resolve;
  });
  const ended = new Promise<ServiceError | undefined>((resolve) => {
    call.on("error", (error: ServiceError) => resolve(error));
    call.on("status", ({ code }) => {
      if (code === status.OK) resolve(undefined);
    });
  });
  const finish = (info: CloseInfo): void => {
    if (isClosed) return;
    isClosed = true;
    client.close();
    tellClosed(info);
  };
  void ended.then((error) => {
    const lost = error?.code === status.UNAVAILABLE && error.metadata.get("grpc-status-details-bin").length === 0;
    if (lost) finish({ kind: "abrupt", fault: new Fault("peer_gone", error.message) });
    else if (isClosing) finish({ kind: "local" });
  });
  async function* frames(): AsyncGenerator<readonly Uint8Array[]> {
    try {
      for await (const message of call) yield [message as Buffer];
    } catch {
      // The status says how it ended.
    }
  }
  return {
    peer: { label: "server", trust: "same-user" },
    ...ONLY_ITERATED,
    frames: { [Symbol.asyncIterator]: frames },
    send: (frame) => !isClosed && !isClosing && call.write(Buffer.from(frame)),
    sendBatch: ({ frames, last }) =>
      !isClosed &&
      !isClosing &&
      (last === undefined ? frames : [...frames, last]).map((frame) => call.write(Buffer.from(frame))).every(Boolean),
    writable: async () => {
      if (isClosed || isClosing || !call.writableNeedDrain) return;
      await Promise.race([new Promise((resolve) => call.once("drain", resolve)), ended]);
    },
    close: async () => {
      if (!isClosing) {
        isClosing = true;
        call.end();
        // A status that came before was the server's end.
        const wasOver = await Promise.race([
          ended.then(() => true),
          new Promise<boolean>((go) => setImmediate(go, false)),
        ]);
        if (wasOver) finish({ kind: "remote" });
        // What still comes is passed over.
        call.resume();
      }
      await closed;
    },
    closed,
    call,
    ended,
  };
}

export interface UnaryCall {
  /** Rejects with a ServiceError. */
  readonly answer: Promise<Buffer>;
  readonly cancel: () => void;
}

export function callOnce(
  client: Client,
  path: string,
  request: Uint8Array,
  { headers = {}, deadlineMs }: CallOptions = {},
): UnaryCall {
  let cancel = (): void => {};
  const answer = new Promise<Buffer>((resolve, reject) => {
    const call = client.makeUnaryRequest(
      path,
      asIs,
      asIs,
      Buffer.from(request),
      metadataOf(headers),
      deadlineOf(deadlineMs),
      (error, value) => {
        if (error === null) resolve(value ?? Buffer.alloc(0));
        else reject(error);
      },
    );
    cancel = () => call.cancel();
  });
  return { answer, cancel };
}

/** The status that a call ended with instead of an answer. */
export async function refusalOf({ answer }: UnaryCall): Promise<ServiceError> {
  const told = await answer.then(
    () => undefined,
    (error: ServiceError) => error,
  );
  if (told === undefined) throw new Error("the call was answered");
  return told;
}

/** google.rpc.Status in a status's trailers: its code, its sentence, and the bytes of its details by their type, as latin1. */
export function statusDetails({
  metadata,
}: Pick<ServiceError, "metadata">):
  | { readonly code: number; readonly message: string; readonly details: readonly (readonly [string, string])[] }
  | undefined {
  const [bytes] = metadata.get("grpc-status-details-bin");
  if (bytes === undefined) return undefined;
  const reader = new BinaryReader(bytes as Buffer);
  let code = 0;
  let message = "";
  const details: (readonly [string, string])[] = [];
  while (reader.pos < reader.len) {
    const [field] = reader.tag();
    if (field === 1) code = reader.int32();
    else if (field === 2) message = reader.string();
    else {
      const any = new BinaryReader(reader.bytes());
      any.tag();
      const type = any.string();
      any.tag();
      details.push([type, Buffer.from(any.bytes()).toString("latin1")]);
    }
  }
  return { code, message, details };
}

/** An address that leads one connection to `path`, and can break it as the death of the client's process does. */
export async function breakable(
  path: string,
  directory: string,
): Promise<{ readonly address: string; readonly kill: () => void }> {
  const through = join(directory, "through.sock");
  const sockets: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (near) => {
    server.close();
    const far = connect({ path, allowHalfOpen: true });
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(through, resolve));
  return {
    address: `unix:${through}`,
    kill: () => {
      for (const socket of sockets) socket.destroy();
    },
  };
}
