// The gate that every call passes before it is served, health checks and reflection included: its turn, then admission by its metadata alone. Of a
// refused call no message is read.
import {
  type Metadata,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import { Fault } from "../../src/base/errors.js";
import { createTurnstile } from "../service-calls/turnstile.js";
import type { ResolvedGrpcOptions } from "./options.js";
import type { KnownPeer, Peers } from "./peers.js";
import { statusOf } from "./status.js";

/** An admitted call, as it is below the handler's stream of messages. */
export interface AdmittedCall {
  readonly peer: KnownPeer;
  readonly below: Pick<ServerInterceptingCallInterface, "sendMessage">;
}

export interface Gate {
  readonly interceptor: ServerInterceptor;
  /** The same call in its handler has the same metadata. */
  readonly admitted: (call: { readonly metadata: Metadata }) => AdmittedCall;
}

type GateOptions = Pick<ResolvedGrpcOptions, "admit" | "describeFault" | "maxMetadataBytes" | "maxStreams" | "log">;

export function createGate(options: GateOptions, peers: Peers): Gate {
  const turnstile = createTurnstile({ mostWaiting: options.maxStreams });
  const admittedCalls = new WeakMap<Metadata, AdmittedCall>();

  function inTurn(peer: KnownPeer | undefined, begin: () => void): void {
    if (peer === undefined) begin();
    else if (!turnstile.pass(peer.connection, begin)) peer.connection.cutOff();
  }

  function judge(call: ServerInterceptingCallInterface, path: string, metadata: Metadata): AdmittedCall | Fault {
    const peer = peers.ofCall(call);
    if (peer === undefined)
      return new Fault("peer_gone", "The connection of this call has ended. Connect again to go on.");
    const [authorization] = metadata.get("authorization");
    const head = { host: call.getHost(), authorization: authorization?.toString(), path };
    const tooMuch = tooMuchMetadata(metadata, options.maxMetadataBytes);
    return tooMuch ?? peer.connection.admit(head, options.admit) ?? { peer, below: call };
  }

  const interceptor: ServerInterceptor = ({ path }, call) => {
    const peer = peers.ofCall(call);
    return new ServerInterceptingCall(call, {
      start: (next) =>
        inTurn(peer, () => {
          let hasBegun = false;
          next({
            onReceiveMetadata: (metadata, serve) => {
              hasBegun = true;
              const judged = judge(call, path, metadata);
              if (judged instanceof Fault) {
                options.log.debug({ peer: call.getPeer(), path, code: judged.code }, "a call was refused");
                call.sendStatus(statusOf(judged, options.describeFault));
              } else {
                admittedCalls.set(metadata, judged);
                serve(metadata);
              }
            },
            // However it ended.
            onCancel: () => peer?.connection.ended(),
          });
          // A call that was cancelled while it waited never begins.
          if (!hasBegun) peer?.connection.ended();
        }),
    });
  };

  return {
    interceptor,
    admitted: ({ metadata }) => {
      const call = admittedCalls.get(metadata);
      if (call === undefined) throw new Error("a call that passed no gate");
      return call;
    },
  };
}

/** Counts what HTTP/2 counts (RFC 9113 §6.5.2), without the protocol's own entries. */
function tooMuchMetadata(metadata: Metadata, mostBytes: number): Fault | undefined {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toHttp2Headers()))
    for (const value of [values].flat()) bytes += name.length + String(value).length + 32;
  if (bytes <= mostBytes) return undefined;
  const sentence = `The call has ${bytes} bytes of metadata; ${mostBytes} are taken. Send what is long in messages.`;
  return new Fault("message_too_large", sentence);
}
