// The gate that every call passes before it is served, health checks and reflection included: its turn, then admission by its metadata alone. Of a
// refused call no message is read.
import {
  type Metadata,
  type Responder,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import { Fault } from "../../src/base/errors.js";
import type { ServiceConnection } from "../service-calls/connections.js";
import { createTurnstile } from "../service-calls/turnstile.js";
import type { ResolvedGrpcOptions } from "./options.js";
import { statusOf } from "./status.js";

/** An admitted call, as it is below the handler's stream of messages. */
export interface AdmittedCall {
  readonly connection: ServiceConnection;
  readonly below: Pick<ServerInterceptingCallInterface, "sendMessage">;
}

export interface Gate {
  /** Call it before the library gets the connection. */
  readonly add: (connection: ServiceConnection) => void;
  readonly interceptor: ServerInterceptor;
  /** The same call in its handler has the same metadata. */
  readonly admitted: (call: { readonly metadata: Metadata }) => AdmittedCall;
}

type GateOptions = Pick<ResolvedGrpcOptions, "admit" | "describeFault" | "limits" | "log">;

export function createGate(options: GateOptions): Gate {
  const turnstile = createTurnstile({ mostWaiting: options.limits.maxStreams });
  /** By their labels. */
  const connections = new Map<string, ServiceConnection>();
  const admittedCalls = new WeakMap<Metadata, AdmittedCall>();

  const interceptor: ServerInterceptor = ({ path }, call) => {
    const connection = connections.get(call.getPeer());
    const refusalOf = (from: ServiceConnection, metadata: Metadata): Fault | undefined => {
      const [authorization] = metadata.get("authorization");
      const head = { host: call.getHost(), authorization: authorization?.toString(), path };
      return tooMuchMetadata(metadata) ?? from.admit(head, options.admit);
    };
    const begin = (from: ServiceConnection, next: Parameters<NonNullable<Responder["start"]>>[0]): void => {
      let hasBegun = false;
      next({
        onReceiveMetadata: (metadata, serve) => {
          hasBegun = true;
          const refusal = refusalOf(from, metadata);
          if (refusal === undefined) {
            admittedCalls.set(metadata, { connection: from, below: call });
            serve(metadata);
          } else {
            options.log.debug({ peer: from.peer.label, path, code: refusal.code }, "a call was refused");
            call.sendStatus(statusOf(refusal, options.describeFault));
          }
        },
        // However it ended.
        onCancel: from.ended,
      });
      // A call that was cancelled while it waited never begins.
      if (!hasBegun) from.ended();
    };
    return new ServerInterceptingCall(call, {
      start: (next) => {
        // Without its connection a call is over, and never begins.
        if (connection !== undefined && !turnstile.pass(connection, () => begin(connection, next))) connection.cutOff();
      },
    });
  };

  return {
    // The library reveals only the address of a call's socket, which is empty for Unix sockets. Therefore each socket gets its label as its address.
    add: (connection) => {
      const { socket, peer } = connection;
      Object.defineProperty(socket, "remoteAddress", { value: peer.label });
      Object.defineProperty(socket, "remotePort", { value: undefined });
      connections.set(peer.label, connection);
      socket.once("close", () => connections.delete(peer.label));
    },
    interceptor,
    admitted: ({ metadata }) => {
      const call = admittedCalls.get(metadata);
      if (call === undefined) throw new Error("a call that passed no gate");
      return call;
    },
  };
}

/** Most metadata of a call; of entries, 128 are taken at most. */
const MOST_METADATA_BYTES = 16 * 1024;

/** Counts what HTTP/2 counts (RFC 9113 §6.5.2), without the protocol's own entries. */
function tooMuchMetadata(metadata: Metadata): Fault | undefined {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toHttp2Headers()))
    for (const value of [values].flat()) bytes += name.length + String(value).length + 32;
  if (bytes <= MOST_METADATA_BYTES) return undefined;
  const sentence = `The call has ${bytes} bytes of metadata; ${MOST_METADATA_BYTES} are taken. Send what is long in messages.`;
  return new Fault("message_too_large", sentence);
}
