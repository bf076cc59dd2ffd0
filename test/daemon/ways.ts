// The ways to a daemon for a protocol of exchanges: every transport of bytes, and its stream of the services in each form.
import type { Message } from "@bufbuild/protobuf";
import type { Connection } from "../../src/contracts/transport.js";
import { type StreamOfTexts, streamOverConnect, streamOverGrpc } from "../support/peers/service-streams.js";
import type { DaemonRig } from "../support/rigs/daemon-rig.js";
import { socketTransport } from "../transports/connect/bidi-client.js";

export type Way = readonly [name: string, open: (rig: DaemonRig) => Promise<Connection<Uint8Array>>];

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
    ...[true, false].flatMap((isTyped): Way[] => {
      const form = isTyped ? "typed" : "JSON in bytes";
      return [
        [
          `gRPC, ${form}`,
          async (rig) => streamOverGrpc(stream, rig.serviceAddress("grpc"), isTyped, rig.authorization()),
        ],
        ...(["connect", "grpc", "grpc-web"] as const).map(
          (protocol): Way => [
            `${protocol} of HTTP, ${form}`,
            async (rig) => {
              const path = rig.serviceAddress("http").replace(/^unix:/, "");
              const { transport, kill } = socketTransport(protocol, path, true);
              return streamOverConnect(stream, transport, isTyped, kill);
            },
          ],
        ),
      ];
    }),
  ];
}
