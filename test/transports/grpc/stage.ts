// A gRPC listener with methods of a test's own behind the descriptors of AaepService.
import { join } from "node:path";
import type { DescMethod } from "@bufbuild/protobuf";
import { onTestFinished } from "vitest";
import { AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { SubscriberService } from "#gen/aaep/v1/subscriber_service_pb.js";
import type { Fault } from "../../../src/base/errors.js";
import type { ServiceListener, ServiceMethod } from "../../../src/contracts/service.js";
import type { Connection, ServiceAddress } from "../../../src/contracts/transport.js";
import { listenGrpc } from "../../../transports/grpc/listen.js";
import type { GrpcOptions } from "../../../transports/grpc/options.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

export const SUBSCRIBE = "/aaep.v1.AaepService/Subscribe";
export const GET_MANIFEST = "/aaep.v1.AaepService/GetManifest";
export const LISTEN = "/aaep.v1.SubscriberService/Listen";

type Answer = (ServiceMethod & { readonly kind: "unary" })["answer"];

/** The connections of calls, in the order in which they began. */
interface Calls {
  readonly next: () => Promise<Connection<Uint8Array>>;
}

export interface Stage {
  readonly listener: ServiceListener;
  /** For `createGrpcClient`. */
  readonly address: string;
  readonly path: string;
  readonly directory: string;
  /** Calls of `SUBSCRIBE`, which stream both ways. */
  readonly bidi: Calls;
  /** Calls of `LISTEN`, which stream to the client. */
  readonly serverStream: Calls;
  /** `SUBSCRIBE`, as it is served. */
  readonly subscribe: ServiceMethod;
  /** What was logged as an accident. */
  readonly logged: readonly unknown[];
  /** What was logged of refused calls. */
  readonly refused: readonly unknown[];
}

export interface StageOptions extends Partial<GrpcOptions> {
  /** Answers `GET_MANIFEST`. Default: the request. */
  readonly answer?: Answer;
  readonly joinsBatches?: boolean;
}

/** A fault's code and sentence, in place of the protocol's own message. */
export const describeFault = (fault: Fault) => ({
  typeName: "test.Fault",
  bytes: Buffer.from(`${fault.code} ${fault.pointer ?? "-"}`),
});

/** Listens on a Unix socket in a folder of the test's own, unless given another address. Stopped and drained when the test has finished. */
export async function stageOf(given: StageOptions = {}): Promise<Stage> {
  const { answer = (request) => request as Uint8Array, joinsBatches = true, ...options } = given;
  const directory = temporaryDirectory();
  const path = join(directory, "a.sock");
  const address: ServiceAddress = options.address ?? { kind: "unix", path };
  const logged: unknown[] = [];
  const refused: unknown[] = [];
  const bidi = createCalls();
  const serverStream = createCalls();
  const stream = (descriptor: DescMethod, accept: (connection: Connection<Uint8Array>) => void): ServiceMethod => ({
    kind: "stream",
    descriptor,
    joinsBatches,
    accept,
  });
  const subscribe = stream(AaepService.method.subscribe, bidi.add);
  const listener = await listenGrpc({
    methods: [
      { kind: "unary", descriptor: AaepService.method.getManifest, answer },
      subscribe,
      stream(SubscriberService.method.listen, serverStream.add),
    ],
    describeFault,
    log: { error: (fields) => logged.push(fields.err), debug: (fields) => refused.push(fields) },
    ...options,
    address,
  });
  onTestFinished(async () => {
    await listener.stop();
    await listener.drain();
  });
  return { listener, address: listener.address, path, directory, bidi, serverStream, subscribe, logged, refused };
}

function createCalls(): Calls & { readonly add: (connection: Connection<Uint8Array>) => void } {
  const waiting: Connection<Uint8Array>[] = [];
  const asking: ((connection: Connection<Uint8Array>) => void)[] = [];
  return {
    add: (connection) => {
      const ask = asking.shift();
      if (ask === undefined) waiting.push(connection);
      else ask(connection);
    },
    next: () => {
      const connection = waiting.shift();
      return connection === undefined ? new Promise((resolve) => asking.push(resolve)) : Promise.resolve(connection);
    },
  };
}
