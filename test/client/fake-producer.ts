// A producer over memory connections that says exactly what a test tells it to: for what a real daemon does only when something goes wrong.
import type { Connection } from "../../src/contracts/transport.js";
import { createMemoryPair } from "../../transports/memory/memory-pair.js";

type Message = Readonly<Record<string, unknown>>;

interface FakeSide {
  /** What the subscriber has sent on this connection. */
  readonly received: Message[];
  readonly say: (...messages: Message[]) => void;
  /** `given`: members of `honored_capabilities.aaepd`. */
  readonly accept: (id?: string, given?: Message) => void;
  /** Tells the place that all it has said leads to (R17). */
  readonly reach: (cursor: string) => void;
  readonly end: () => Promise<void>;
  readonly sever: () => void;
}

export interface FakeProducer {
  readonly connect: () => Promise<Connection<Uint8Array>>;
  /** One for each connection made. */
  readonly sides: FakeSide[];
  /** The next connects reject with this, until it is undefined again. */
  refuseWith: Error | undefined;
}

export function createFakeProducer(): FakeProducer {
  const producer: FakeProducer = {
    sides: [],
    refuseWith: undefined,
    connect: async () => {
      if (producer.refuseWith !== undefined) throw producer.refuseWith;
      const { first, second, sever } = createMemoryPair<Uint8Array>();
      producer.sides.push(createSide(second, sever));
      return first;
    },
  };
  return producer;
}

function createSide(connection: Connection<Uint8Array>, sever: () => void): FakeSide {
  const received: Message[] = [];
  void (async () => {
    try {
      for await (const frames of connection.frames) {
        for (const frame of frames) received.push(JSON.parse(new TextDecoder().decode(frame)));
      }
    } catch {
      // A severed connection: the test knows.
    }
  })();
  const say = (...messages: Message[]) => {
    for (const message of messages) connection.send(new TextEncoder().encode(JSON.stringify(message)));
  };
  return {
    received,
    say,
    reach: (cursor) => say({ type: "aaepd.checkpoint", cursor }),
    accept: (id = "sub_1", given) =>
      say({
        type: "subscription.accepted",
        subscription_id: id,
        aaep_version: "1.0.0",
        producer: { agent_id: "fake" },
        honored_capabilities: given === undefined ? {} : { aaepd: given },
      }),
    end: () => connection.close(),
    sever,
  };
}

export function eventMessage(number: number, fields: Message = {}): Message {
  return {
    "@context": "https://aaep-protocol.org/context/v1",
    type: "aaep:agent.progress.updated",
    event_id: `evt_${number}`,
    session_id: "sess_1",
    timestamp: "2026-01-01T00:00:00.000Z",
    producer: { agent_id: "agent" },
    progress: { percent: number },
    ...fields,
  };
}

export function chunkMessage(number: number, chunk: string, position: number, complete = false): Message {
  return eventMessage(number, { type: "aaep:agent.output.streaming", progress: undefined, chunk, position, complete });
}
