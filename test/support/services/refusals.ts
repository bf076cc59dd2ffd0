// Errors of services as documents.
import type { AaepdError } from "#gen/aaep/v1/handshake_pb.js";
import type { FaultCode } from "../../../src/base/errors.js";
import { STATUS_OF } from "../../../transports/rpc-status.js";
import type { Message } from "../oracles/wire-sniffer.js";
import { type ServiceEnd, ServiceRefusal, type StatusName, statusName } from "./service-client.js";

/** What an agent was told of a request that was refused. */
export interface Refusal extends Message {
  readonly code: string;
  readonly pointer?: string;
  readonly rule?: string;
  /** Of a call of its own. */
  readonly status?: StatusName;
}

/** An error as `aaepd.error` says it. Throws where it lacks what each has (R20). */
function errorDocument({ code, message, pointer, rule, eventId, answers }: AaepdError): Refusal {
  if (code === undefined || !(code in STATUS_OF) || message === undefined)
    throw new Error(`no error: ${code}, ${message}`);
  return {
    type: "aaepd.error",
    code,
    message,
    ...(pointer === undefined ? {} : { pointer }),
    ...(rule === undefined ? {} : { rule }),
    ...(eventId === undefined ? {} : { event_id: eventId }),
    ...(answers === undefined ? {} : { answers }),
  };
}

/** The error of a call that ended so. Throws where it has no typed detail, or another status than its code has (R20). */
export function refusalOf(end: ServiceEnd): Refusal & { readonly status: StatusName } {
  if (end.detail === undefined) throw new Error(`a status without a detail: ${end.status}, ${end.message}`);
  const document = errorDocument(end.detail);
  const expected = statusName(STATUS_OF[document.code as FaultCode]);
  if (end.status !== expected) throw new Error(`${document.code} came as ${end.status}, not ${expected}`);
  return { ...document, status: end.status };
}

/** As `refusalOf`, of what a call rejected with. */
export function refusalIn(caught: unknown): Refusal & { readonly status: StatusName } {
  if (caught instanceof ServiceRefusal) return refusalOf(caught.end);
  throw caught;
}
