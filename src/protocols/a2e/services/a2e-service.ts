// a2e.v1.A2EService as a method that every transport of services can serve (R23).
import { A2EService } from "#gen/a2e/v1/a2e_service_pb.js";
import type { ServiceMethod } from "../../../contracts/service.js";
import type { Connection } from "../../../contracts/transport.js";
import { createMessageFrames, type MessageFrames, type Utf8 } from "./typed-messages.js";

/** Serves the stream of one peer, with the frames of that stream. */
export type ServeA2e = (connection: Connection<Uint8Array>, frames: MessageFrames) => void;

export function a2eMethods(serve: ServeA2e, utf8: Utf8): readonly ServiceMethod[] {
  return [
    {
      kind: "stream",
      descriptor: A2EService.method.converse,
      joinsBatches: false,
      accept: (connection) => serve(connection, createMessageFrames(utf8)),
    },
  ];
}
