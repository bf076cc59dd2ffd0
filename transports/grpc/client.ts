// Clients of gRPC services, with the usual library: a connection of their own, and messages as bytes.
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";
import { Client, credentials, Metadata, type ServiceError, type StatusObject, status } from "@grpc/grpc-js";
import { Fault, type FaultCode } from "../../src/base/errors.js";
import { type HeldSocket, holdOwnSocket } from "../ipc/own-socket.js";
import { bufferOf } from "../service-calls/batch-messages.js";
import { detailIn } from "./status.js";

export interface GrpcTarget {
  /** "unix:/path" or "host:port". */
  readonly address: string;
  /** Whether the connection is encrypted. Default false. */
  readonly isSecure?: boolean;
  /** Sent as a bearer token. Default none. */
  readonly token?: string | undefined;
}

/** Calls with one answer, and streams in both directions, over one connection. */
export interface GrpcCalls {
  /** Rejects with a Fault: the server's own, "peer_gone" without a connection, "timed_out" after `withinMs`. Default: no time limit. */
  readonly unary: (path: string, request: Uint8Array, withinMs?: number) => Promise<Uint8Array>;
  /** `take` receives each message, in order. */
  readonly stream: (path: string, take: (message: Uint8Array) => void) => GrpcStream;
  /** Cancels what is under way, and ends the connection. */
  readonly close: () => void;
  /** From then on the connection keeps no process running. */
  readonly unref: () => void;
}

export interface GrpcStream {
  /** False: the server is slow; `writable` resolves when it takes more. */
  readonly write: (message: Uint8Array) => boolean;
  /** Never rejects. */
  readonly writable: () => Promise<void>;
  /** Ends this side's direction. */
  readonly end: () => void;
  readonly cancel: () => void;
  /** Resolves when the stream is over, with the fault of its status; undefined: OK. Never rejects. */
  readonly ended: Promise<Fault | undefined>;
}

/** Reads the typed detail of a status (R20); undefined for a type that it does not know. */
export type ReadFault = (detail: { readonly typeName: string; readonly bytes: Uint8Array }) => Fault | undefined;

/** Most bytes of a message that is taken, as over HTTP. A daemon's are smaller by far. */
const MOST_BYTES = 16 * 1024 * 1024;

/** A client of the library, and its sockets, which the library does not reveal. */
interface OwnClient {
  readonly client: Client;
  /** Runs what may connect. Outside of it nobody looks at the peer of the connection. */
  readonly connecting: <Result>(run: () => Result) => Result;
  readonly sockets: ReadonlySet<Socket>;
  readonly close: () => void;
}

const MADE_BY = new AsyncLocalStorage<(socket: Socket) => void>();
// Node tells of each socket where it is made, and so under the client whose call made it.
subscribe("net.client.socket", (message) => MADE_BY.getStore()?.((message as { readonly socket: Socket }).socket));

/**
 * A client that shares its connection with no other, and keeps nothing unread for repeats. It connects with its first call, and holds a Unix
 * socket from now on until it is closed. Throws as `holdOwnSocket` does.
 */
function createGrpcClient({ address, isSecure = false }: GrpcTarget): OwnClient {
  const held = heldSocket(address);
  const client = new Client(
    held === undefined ? address : `unix:${held.address}`,
    isSecure ? credentials.createSsl() : credentials.createInsecure(),
    {
      "grpc.use_local_subchannel_pool": 1,
      "grpc.enable_retries": 0,
      "grpc.max_receive_message_length": MOST_BYTES,
    },
  );
  const sockets = new Set<Socket>();
  const made = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.once("connect", () => {
      const fault = held?.peerFault(socket);
      if (fault !== undefined) socket.destroy(fault);
    });
  };
  return {
    client,
    connecting: (run) => MADE_BY.run(made, run),
    sockets,
    close: () => {
      client.close();
      held?.release();
    },
  };
}

/** "unix:///path" is the same as "unix:/path". Undefined: an address over TCP. */
function heldSocket(address: string): HeldSocket | undefined {
  const [, path] = /^unix:(?:\/\/)?(.+)$/.exec(address) ?? [];
  return path === undefined ? undefined : holdOwnSocket(path);
}

/** The metadata of each call. */
function metadataOf({ token }: GrpcTarget): Metadata {
  const metadata = new Metadata();
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

export function createGrpcCalls(target: GrpcTarget, readFault: ReadFault): GrpcCalls {
  const { client, connecting, sockets, close } = createGrpcClient(target);
  const metadata = metadataOf(target);
  const cancels = new Set<() => void>();

  return {
    unary: (path, request, withinMs) =>
      new Promise((resolve, reject) => {
        const options = withinMs === undefined ? {} : { deadline: Date.now() + withinMs };
        const told = (error: ServiceError | null, answer?: Uint8Array): void => {
          cancels.delete(cancel);
          if (error === null && answer !== undefined) resolve(answer);
          else reject(error === null ? gone("The answer is missing.") : faultOf(error, readFault));
        };
        const call = connecting(() => client.makeUnaryRequest(path, bufferOf, asIs, request, metadata, options, told));
        const cancel = (): void => call.cancel();
        cancels.add(cancel);
      }),
    stream: (path, take) => {
      const call = connecting(() =>
        client.makeBidiStreamRequest<Uint8Array, Uint8Array>(path, bufferOf, asIs, metadata),
      );
      const cancel = (): void => call.cancel();
      cancels.add(cancel);
      const ended = new Promise<Fault | undefined>((resolve) => {
        call.on("status", (end: StatusObject) => {
          cancels.delete(cancel);
          resolve(end.code === status.OK ? undefined : faultOf(end, readFault));
        });
      });
      // The status tells the same.
      call.on("error", () => {});
      // A connection that the taker makes is none of this client.
      call.on("data", AsyncResource.bind(take));
      return {
        write: (message) => call.write(message),
        writable: async () => {
          if (call.writableNeedDrain)
            await Promise.race([new Promise((resolve) => call.once("drain", resolve)), ended]);
        },
        end: () => void call.end(),
        cancel,
        ended,
      };
    },
    close: () => {
      for (const cancel of cancels) cancel();
      close();
    },
    unref: () => {
      for (const socket of sockets) {
        socket.unref();
        // The library refers to its socket again with each first call of a connection.
        Object.assign(socket, { ref: () => socket });
      }
    },
  };
}

function asIs(message: Buffer): Uint8Array {
  return message;
}

/** Codes of calls whose status has no typed detail. */
const CODES: Readonly<Record<number, FaultCode>> = {
  [status.UNAUTHENTICATED]: "unauthenticated",
  [status.PERMISSION_DENIED]: "permission_denied",
  [status.RESOURCE_EXHAUSTED]: "rate_limit",
  [status.DEADLINE_EXCEEDED]: "timed_out",
  [status.UNIMPLEMENTED]: "unknown_method",
};

function faultOf({ code, details, metadata }: StatusObject | ServiceError, readFault: ReadFault): Fault {
  const detail = detailIn(metadata);
  const fault = detail === undefined ? undefined : readFault(detail);
  const known = CODES[code];
  return fault ?? (known === undefined ? gone(details) : new Fault(known, details));
}

function gone(why: string): Fault {
  return new Fault("peer_gone", `The call has no answer: ${why}`);
}
