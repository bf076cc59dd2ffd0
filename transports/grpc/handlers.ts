// What is done to every handler of a service before the library gets it. Handlers of calls with one answer are told apart by their second argument.
import type { Metadata, StatusObject, UntypedServiceImplementation } from "@grpc/grpc-js";
import type { Fault } from "../../src/base/errors.js";
import type { Admit, DescribeFault } from "../../src/contracts/service.js";
import { statusOf } from "./status.js";

/** What calls of all kinds have in common. */
export interface AnyCall {
  readonly getHost: () => string | undefined;
  readonly getPath: () => string;
  readonly getPeer: () => string;
  readonly getDeadline: () => Date | number;
  readonly metadata: Metadata;
  readonly on: (event: "cancelled", listener: () => void) => unknown;
  readonly emit: (event: "error", status: Partial<StatusObject>) => unknown;
}

/** A handler of any kind; what the call carries is for the handler to know. */
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

/** A handler that is asked only for calls that may be served. */
export function admitted(handler: Handler, admit: Admit, describeFault: DescribeFault): Handler {
  return (call, respond) => {
    const refusal = refusalOf(call, admit);
    if (refusal === undefined) handler(call, respond);
    else refuse(call, respond, statusOf(refusal, describeFault));
  };
}

function refusalOf(call: AnyCall, admit: Admit): Fault | undefined {
  const [authorization] = call.metadata.get("authorization");
  return admit({ host: call.getHost(), authorization: authorization?.toString(), path: call.getPath() });
}
