// Subscribers of aaep.v1.AaepService: JSON in bytes, so that whoever speaks without an envelope speaks here too.
import { create } from "@bufbuild/protobuf";
import { AaepMessageSchema, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import type { CloseInfo, Connection } from "../../../src/contracts/transport.js";
import type { WireSniffer } from "../oracles/wire-sniffer.js";
import { plainPeer } from "../peers/peers.js";
import type { ServiceClient } from "./service-client.js";
import type { ServiceListener } from "./typed-listeners.js";

export function jsonListener(options: {
  readonly client: ServiceClient;
  readonly sniffer: WireSniffer;
  readonly label?: string;
}): Omit<ServiceListener, "heartbeats" | "runs"> {
  const { client, sniffer } = options;
  const { connection, ended } = openJsonStream(client);
  const peer = plainPeer(connection, sniffer, options.label);
  return {
    ...peer,
    ended: () => ended,
    close: async () => {
      await peer.close();
      const end = await ended;
      if (end.status !== "OK") throw new Error(`closed in order, but told ${JSON.stringify(end)}`);
      await client.close();
    },
    vanish: async () => {
      client.abandon();
      await ended;
      await client.close();
    },
  };
}

/** One call, as a connection whose frames are the JSON of its messages. */
function openJsonStream(client: ServiceClient) {
  let waiting: Uint8Array[] = [];
  let isOver = false;
  let wake: () => void = () => {};
  let wrong: Error | undefined;
  const stream = client.stream(AaepService.method.subscribe, ({ json, messageType }) => {
    const { type } = JSON.parse(Buffer.from(json).toString()) as { readonly type: unknown };
    if (type !== messageType) wrong ??= new Error(`a ${String(type)} was called ${messageType}`);
    waiting.push(json);
    wake();
  });
  const closed = stream.ended.then((): CloseInfo => {
    isOver = true;
    wake();
    return { kind: "remote" };
  });
  async function* frames(): AsyncGenerator<readonly Uint8Array[]> {
    for (;;) {
      const some = waiting;
      waiting = [];
      if (wrong !== undefined) throw wrong;
      if (some.length > 0) yield some;
      else if (isOver) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
  const send = (json: Uint8Array): boolean => {
    stream.send(create(AaepMessageSchema, { json }));
    return true;
  };
  const connection: Connection<Uint8Array> = {
    peer: { label: "AaepService", trust: "same-user" },
    frames: frames(),
    send,
    sendBatch: ({ frames, last }) => {
      for (const frame of last === undefined ? frames : [...frames, last]) send(frame);
      return true;
    },
    writable: async () => {},
    close: async () => {
      if (!isOver) stream.cancel();
      await closed;
    },
    closed,
  };
  return { connection, ended: stream.ended };
}
