// akashik.v1.AkashikService as a method that every transport of services can serve (R23).
import { AkashikService } from "#gen/akashik/v1/akashik_service_pb.js";
import type { ServiceMethod } from "../../../contracts/service.js";
import type { Connection } from "../../../contracts/transport.js";
import { createMessageFrames, type MessageFrames, type Utf8 } from "./typed-messages.js";

/** Serves the stream of one agent, with the frames of that stream. */
export type ServeAkashik = (connection: Connection<Uint8Array>, frames: MessageFrames) => void;

export function akashikMethods(serve: ServeAkashik, utf8: Utf8): readonly ServiceMethod[] {
  return [
    {
      kind: "stream",
      descriptor: AkashikService.method.converse,
      joinsBatches: false,
      accept: (connection) => serve(connection, createMessageFrames(utf8)),
    },
  ];
}
