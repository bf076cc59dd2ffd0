// Wraps the handlers of a service before the library gets them. The second argument of a handler shows whether its call has one answer.
import type { Metadata, StatusObject, UntypedServiceImplementation } from "@grpc/grpc-js";
import { Fault } from "../../src/base/errors.js";
import type { ServiceConnection } from "../service-calls/connections.js";
import type { ResolvedGrpcOptions } from "./options.js";
import type { Peers } from "./peers.js";
import { statusOf } from "./status.js";

/** The part that calls of all kinds share. */
export interface AnyCall {
  readonly getHost: () => string | undefined;
  readonly getPath: () => string;
  readonly getPeer: () => string;
  readonly getDeadline: () => Date | number;
  readonly metadata: Metadata;
  readonly on: (event: "cancelled", listener: () => void) => unknown;
  readonly emit: (event: "error", status: Partial<StatusObject>) => unknown;
}

/** A handler of any kind; it knows the contents of its calls. */
export type Handler = (call: AnyCall, respond?: (status: Partial<StatusObject>) => void) => void;

/** Replaces each handler of a service. */
export function mapHandlers(
  implementation: UntypedServiceImplementation,
  change: (handler: Handler) => Handler,
): UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(implementation).map(([name, handler]) => [name, change(handler as unknown as Handler)]),
  ) as unknown as UntypedServiceImplementation;
}

/** Ends a call of any kind before it is served. */
export function refuse(
  call: AnyCall,
  respond: ((status: Partial<StatusObject>) => void) | undefined,
  status: Partial<StatusObject>,
): void {
  if (respond === undefined) call.emit("error", status);
  else respond(status);
}

export type AdmissionOptions = Pick<ResolvedGrpcOptions, "admit" | "describeFault" | "maxMetadataBytes" | "log">;

/** Wraps a handler so that it receives only admitted calls. */
export function admitted(handler: Handler, options: AdmissionOptions, peers: Peers): Handler {
  return (call, respond) => {
    const refusal = refusalOf(call, options, peers.ofCall(call)?.connection);
    if (refusal === undefined) {
      handler(call, respond);
    } else {
      options.log.debug({ peer: call.getPeer(), path: call.getPath(), code: refusal.code }, "a call was refused");
      refuse(call, respond, statusOf(refusal, options.describeFault));
    }
  };
}

function refusalOf(
  call: AnyCall,
  { admit, maxMetadataBytes }: AdmissionOptions,
  connection: ServiceConnection | undefined,
): Fault | undefined {
  // The first calls of a connection come before its client has read the limit.
  const bytes = metadataBytes(call.metadata);
  if (bytes > maxMetadataBytes) {
    const sentence = `The call has ${bytes} bytes of metadata; ${maxMetadataBytes} are taken. Send what is long in messages.`;
    return new Fault("message_too_large", sentence);
  }
  const [authorization] = call.metadata.get("authorization");
  const head = { host: call.getHost(), authorization: authorization?.toString(), path: call.getPath() };
  return connection === undefined ? admit(head) : connection.admit(head, admit);
}

/** The size that HTTP/2 counts (RFC 9113 §6.5.2), without the protocol's own entries. */
function metadataBytes(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toHttp2Headers())) {
    for (const value of [values].flat()) bytes += name.length + String(value).length + 32;
  }
  return bytes;
}
