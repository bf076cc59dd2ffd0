// A listener with methods of a test, and clients of every protocol and version.
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { onTestFinished } from "vitest";
import { AaepdErrorSchema } from "#gen/aaep/v1/handshake_pb.js";
import type { Fault } from "../../../src/base/errors.js";
import type { DescribeFault, ServiceListener } from "../../../src/contracts/service.js";
import { createConnectService } from "../../../transports/connect/connect-service.js";
import type { ConnectOptions } from "../../../transports/connect/options.js";
import { listenHttp } from "../../../transports/http/listen.js";
import type { HttpListenOptions } from "../../../transports/http/options.js";
import type { LogLine } from "../../support/rigs/daemon-rig.js";
import { openWire } from "../../support/services/connect-client.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

export type ProtocolName = "connect" | "grpc" | "grpc-web";
export type Version = "1.1" | "2";

export interface ConnectRig {
  readonly listener: ServiceListener;
  readonly log: readonly LogLine[];
  /** `http://127.0.0.1:…`, or a URL whose host does not matter. */
  readonly baseUrl: string;
  /** Of a Unix socket. */
  readonly path: string;
  readonly transport: (protocol: ProtocolName, version: Version, more?: TransportOptions) => Transport;
}

interface TransportOptions {
  readonly useBinaryFormat?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

const describeFault: DescribeFault = (fault: Fault) => ({
  typeName: AaepdErrorSchema.typeName,
  bytes: toBinary(AaepdErrorSchema, create(AaepdErrorSchema, { code: fault.code, message: fault.sentence })),
});

export type RigOptions = Partial<HttpListenOptions & ConnectOptions> & { readonly kind?: "unix" | "tcp" };

/** Listens until the test has finished. */
export async function startConnect(options: RigOptions = {}): Promise<ConnectRig> {
  const { kind = "unix", ...given } = options;
  const path = join(temporaryDirectory(), "a.http");
  const log: LogLine[] = [];
  const note = (level: LogLine["level"]) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void log.push({ level, fields, message });
  const shared = {
    address: kind === "unix" ? ({ kind, path } as const) : ({ kind, host: "127.0.0.1", port: 0 } as const),
    methods: [],
    pages: [],
    admit: () => undefined,
    describeFault,
    log: { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") },
    maxMessageBytes: 1024 * 1024,
    closeTimeoutMs: 30_000,
    ...given,
  };
  const listener = await listenHttp(shared, [createConnectService(shared)]);
  onTestFinished(async () => {
    await listener.stop();
    await listener.drain();
  });
  const baseUrl = kind === "unix" ? "http://localhost" : `http://${listener.address}`;
  return {
    listener,
    log,
    baseUrl,
    path,
    transport: (protocol, httpVersion, more = {}) => {
      const address = kind === "unix" ? `unix:${path}` : listener.address;
      const { transport, destroy } = openWire({ address, protocol, httpVersion, ...more });
      onTestFinished(destroy);
      return transport;
    },
  };
}
