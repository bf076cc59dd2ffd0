// Writes refusals in the forms of Connect, gRPC-Web and gRPC.
import { encodeEnvelope } from "@connectrpc/connect/protocol";
import { createEndStreamSerialization, endStreamFlag, errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { answerWhole, endResponse } from "../http/answers.js";
import type { HttpService, RefusalForm } from "../http/http-service.js";
import { connectErrorOf } from "./faults.js";
import type { ResolvedConnectOptions } from "./options.js";

/** The form of refusals for requests of each content type; undefined for one of other protocols. */
export function refusalForms({
  describeFault,
  after,
}: Pick<ResolvedConnectOptions, "describeFault" | "after">): HttpService["refusalForm"] {
  const grpc: RefusalForm = {
    hasOwnStatus: true,
    write: (exchange, fault, httpStatus) => {
      const { response, contentType } = exchange;
      const error = connectErrorOf(fault, describeFault);
      // Not by `writeHead`: a status alone must be one frame of headers that ends the stream. A client of gRPC reads a separate end after the
      // headers as a message.
      response.statusCode = httpStatus;
      response.setHeader("content-type", contentType);
      for (const [name, value] of setTrailerStatus(new Headers(), error)) response.setHeader(name, value);
      endResponse(exchange, after);
    },
  };
  const connectStream: RefusalForm = {
    hasOwnStatus: true,
    write: (exchange, fault, status) => {
      const error = connectErrorOf(fault, describeFault);
      const last = createEndStreamSerialization(undefined).serialize({ metadata: new Headers(), error });
      const { contentType } = exchange;
      answerWhole(exchange, after, { status, contentType, body: encodeEnvelope(endStreamFlag, last) });
    },
  };
  const connectCall: RefusalForm = {
    hasOwnStatus: false,
    write: (exchange, fault, status) => {
      const body = errorToJsonBytes(connectErrorOf(fault, describeFault), undefined);
      answerWhole(exchange, after, { status, contentType: "application/json", body });
    },
  };
  return (contentType) => {
    if (contentType.startsWith("application/grpc")) return grpc;
    if (contentType.startsWith("application/connect+")) return connectStream;
    return contentType === "application/json" || contentType === "application/proto" ? connectCall : undefined;
  };
}
