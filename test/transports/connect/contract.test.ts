import { AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import type { Connection } from "../../../src/contracts/transport.js";
import { type Pair, transportContract } from "../../contract/transport-contract.js";
import { createChance } from "../../support/chance.js";
import { isWhole } from "../../support/extent.js";
import { openWire } from "../../support/services/connect-client.js";
import { bidiClient } from "./bidi-client.js";
import { type ConnectRig, type ProtocolName, startConnect } from "./rig.js";

const MAX_MESSAGE_BYTES = 1024 * 1024 + 1000;
const BYTES_TAG = 0x0a;

async function listening(
  accept: (connection: Connection<Uint8Array>) => void,
  options: Parameters<typeof startConnect>[0] = {},
): Promise<ConnectRig> {
  return startConnect({
    methods: [{ kind: "stream", descriptor: AaepService.method.subscribe, joinsBatches: false, accept }],
    maxMessageBytes: MAX_MESSAGE_BYTES,
    ...options,
  });
}

/** Why nobody looks at first frames here. */
const CALLED = "a call names its method, and so its protocol";

async function open(protocol: ProtocolName, isBinary: boolean): Promise<Pair> {
  let accept: (connection: Connection<Uint8Array>) => void = () => {};
  const accepted = new Promise<Connection<Uint8Array>>((resolve) => {
    accept = resolve;
  });
  // In JSON a third is added to bytes.
  const maxMessageBytes = isBinary ? MAX_MESSAGE_BYTES : 2 * MAX_MESSAGE_BYTES;
  const { listener, path } = await listening((connection) => accept(connection), { maxMessageBytes });
  const { transport, destroy: kill } = openWire({
    address: `unix:${path}`,
    protocol,
    httpVersion: "2",
    useBinaryFormat: isBinary,
  });
  const client = bidiClient(transport, kill);
  return {
    server: await accepted,
    client,
    peekable: { notBecause: CALLED },
    killClient: kill,
    stop: listener.stop,
  };
}

async function listenTwice(): Promise<unknown> {
  const first = await listening(() => {});
  return listening(() => {}, { address: { kind: "unix", path: first.path } }).catch((caught: unknown) => caught);
}

/** An AaepMessage of `json` alone, of exactly that size. */
function frameOf(bytes: number, seed: number): Uint8Array {
  for (let lengthBytes = 1; lengthBytes <= 4; lengthBytes++) {
    const length = bytes - 1 - lengthBytes;
    const head = [BYTES_TAG, ...varint(length)];
    if (head.length !== 1 + lengthBytes) continue;
    const { next } = createChance(seed);
    return Buffer.concat([Uint8Array.from(head), Uint8Array.from({ length }, () => next() * 256)]);
  }
  throw new Error(`no frame has ${bytes} bytes`);
}

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

for (const protocol of isWhole ? (["connect", "grpc", "grpc-web"] as const) : (["connect", "grpc"] as const)) {
  for (const isBinary of isWhole ? [true, false] : [protocol !== "connect"]) {
    transportContract({
      name: `${protocol}, HTTP/2, ${isBinary ? "binary" : "JSON"}`,
      maxFrameBytes: isBinary ? MAX_MESSAGE_BYTES : { unlimitedBecause: "the limit is of the JSON, which is longer" },
      frameOf,
      // An empty field is not written.
      smallestFrameBytes: 3,
      onTheWire: { notBecause: "frames are messages in HTTP/2, which the library alone puts together" },
      trust: "same-user",
      open: () => open(protocol, isBinary),
      listenTwice,
    });
  }
}
