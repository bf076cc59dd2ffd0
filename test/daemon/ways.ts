// The ways to a daemon for a protocol of exchanges: every transport of bytes, and its stream of the services in each form.
import type { Message } from "@bufbuild/protobuf";
import type { Connection } from "../../src/contracts/transport.js";
import { serviceClient } from "../scenarios/service-parties.js";
import type { DaemonRig } from "../support/rigs/daemon-rig.js";
import { GRPC, HTTP1 } from "../support/services/service-stage.js";
import { converseStream, type StreamOfTexts } from "../support/services/text-connections.js";

export type Way = readonly [name: string, open: (rig: DaemonRig) => Promise<Connection<Uint8Array>>];

const HTTP2 = { ...HTTP1, httpVersion: "2" } as const;
const SERVICES = {
  gRPC: GRPC,
  "connect of HTTP": HTTP2,
  "grpc of HTTP": { ...HTTP2, protocol: "grpc" },
  "grpc-web of HTTP": { ...HTTP2, protocol: "grpc-web" },
} as const;

/** The names of ways over services have "gRPC" or "HTTP" in them, and end with "typed" or "JSON in bytes". */
export function waysOf<Request extends Message, Response extends Message>(
  stream: StreamOfTexts<Request, Response>,
): readonly Way[] {
  return [
    ["a socket, length-prefixed", (rig) => rig.connect("length-prefixed")],
    ["a socket, one message a line", (rig) => rig.connect("newline")],
    ["a socket, with headers", (rig) => rig.connect("content-length")],
    ["memory", (rig) => rig.connect("memory")],
    ["stdio", async (rig) => rig.parentConnection()],
    ...[true, false].flatMap((isTyped) =>
      Object.entries(SERVICES).map(
        ([name, way]): Way => [
          `${name}, ${isTyped ? "typed" : "JSON in bytes"}`,
          async (rig) => converseStream(stream, serviceClient(rig, way), isTyped),
        ],
      ),
    ),
  ];
}
