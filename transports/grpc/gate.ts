// What every call passes before it is served, health checks and reflection included: its turn, then admission by its metadata alone. Of a refused
// call no message is read.
import { type Metadata, ServerInterceptingCall, type ServerInterceptor } from "@grpc/grpc-js";
import { Fault } from "../../src/base/errors.js";
import { createTurnstile } from "../service-calls/turnstile.js";
import type { ResolvedGrpcOptions } from "./options.js";
import type { KnownPeer, Peers } from "./peers.js";
import { statusOf } from "./status.js";

export function createGate(options: ResolvedGrpcOptions, peers: Peers): ServerInterceptor {
  const turnstile = createTurnstile({ mostWaiting: options.maxStreams });
  return ({ path }, call) => {
    const peer = peers.ofCall(call);
    const refusalOf = (metadata: Metadata): Fault | undefined => {
      if (peer === undefined)
        return new Fault("peer_gone", "The connection of this call has ended. Connect again to go on.");
      const [authorization] = metadata.get("authorization");
      const head = { host: call.getHost(), authorization: authorization?.toString(), path };
      return tooMuchMetadata(metadata, options.maxMetadataBytes) ?? peer.connection.admit(head, options.admit);
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        inTurn(peer, () => {
          let hasBegun = false;
          next({
            onReceiveMetadata: (metadata, serve) => {
              hasBegun = true;
              const refusal = refusalOf(metadata);
              if (refusal === undefined) return serve(metadata);
              options.log.debug({ peer: call.getPeer(), path, code: refusal.code }, "a call was refused");
              call.sendStatus(statusOf(refusal, options.describeFault));
            },
            // However it ended.
            onCancel: () => peer?.connection.ended(),
          });
          // A call that was cancelled while it waited never begins.
          if (!hasBegun) peer?.connection.ended();
        }),
    });
  };

  function inTurn(peer: KnownPeer | undefined, begin: () => void): void {
    if (peer === undefined) begin();
    else if (!turnstile.pass(peer.connection, begin)) peer.connection.cutOff();
  }
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
