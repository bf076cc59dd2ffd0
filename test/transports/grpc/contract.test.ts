import type { Connection } from "../../../src/contracts/transport.js";
import { type Pair, transportContract } from "../../contract/transport-contract.js";
import { createChance } from "../../support/chance.js";
import { breakable, callConnection, createGrpcClient } from "../../support/peers/grpc-client.js";
import { SUBSCRIBE, stageOf } from "./stage.js";

/** Why nobody looks at first frames here. */
const CALLED = "a call names its method, and so its protocol";

async function open(): Promise<Pair> {
  const { listener, path, directory, bidi } = await stageOf({ joinsBatches: false });
  const { address, kill } = await breakable(path, directory);
  const client = callConnection(createGrpcClient(address), SUBSCRIBE);
  return {
    // What goes in is bytes, as the library leaves it.
    server: (await bidi.next()) as Connection<Uint8Array>,
    client,
    peekable: { notBecause: CALLED },
    killClient: kill,
    stop: listener.stop,
  };
}

function frameOf(bytes: number, seed: number): Uint8Array {
  const { next } = createChance(seed);
  return Uint8Array.from({ length: bytes }, () => next() * 256);
}

async function listenTwice(): Promise<unknown> {
  const first = await stageOf();
  return stageOf({ address: { kind: "unix", path: first.path } }).catch((caught: unknown) => caught);
}

transportContract({
  name: "grpc",
  maxFrameBytes: {
    unlimitedBecause: "the library ends the call itself and loses what came in the same read: see limits.test.ts",
  },
  frameOf,
  smallestFrameBytes: 0,
  onTheWire: { notBecause: "frames are messages in HTTP/2, which the library alone puts together" },
  trust: "same-user",
  open,
  listenTwice,
});
