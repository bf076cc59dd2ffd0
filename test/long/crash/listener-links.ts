// One connection of a listener, over each of five ways, with one face: everything that comes is one row, for what a cursor covers is what came before it.
import { Fault } from "../../../src/base/errors.js";
import type { Connection } from "../../../src/contracts/transport.js";
import type { Message, WireSniffer } from "../../support/oracles/wire-sniffer.js";
import type { MortalDaemon } from "../../support/peers/mortal-daemon.js";
import { createConnectClient } from "../../support/services/connect-client.js";
import { createGrpcClient } from "../../support/services/grpc-client.js";
import { listenStream, subscribeStream, type TextConnection } from "../../support/services/text-connections.js";
import { ipcConnection } from "./ipc-connection.js";

export type ListenerTransport = "length-prefixed" | "newline" | "json-rpc" | "grpc" | "connect";

export interface ListenerLink {
  /** Answers accepted or rejected, which comes in the row as well. Rejects where the connection is lost before. */
  readonly subscribe: (request: Message) => Promise<Message>;
  /** What came since the last call, in order, each in the form that it has in plain framings; the answer to a ping as `{type: "ping", cursor}`. */
  readonly take: () => readonly Message[];
  readonly isOver: () => boolean;
  /** "counted" and "vain" where the transport says so. Rejects where the connection is lost. */
  readonly reply: (reply: Message) => Promise<"counted" | "vain" | "unknown">;
  /** Asks for the place, where the protocol has a way to; the answer is in the row. */
  readonly ping: () => void;
  readonly stopReading: () => void;
  readonly readOn: () => void;
  /** Breaks the connection without a word. */
  readonly vanish: () => Promise<void>;
}

export async function openListenerLink(
  transport: ListenerTransport,
  daemon: MortalDaemon,
  sniffer: WireSniffer,
): Promise<ListenerLink> {
  switch (transport) {
    case "length-prefixed":
    case "newline":
      return overPlain(bytesOf(await ipcConnection(daemon.socket, transport)), sniffer);
    case "json-rpc":
      return overRpc(bytesOf(await ipcConnection(daemon.socket, "newline")), sniffer);
    case "grpc":
      return overService(subscribeStream({ client: createGrpcClient(daemon.grpc) }), sniffer);
    case "connect": {
      const client = createConnectClient({ address: daemon.http, protocol: "connect", httpVersion: "1.1" });
      const stream = listenStream({ client });
      const link = overService(stream, sniffer);
      return { ...link, reply: async (reply) => ((await stream.reply(reply)) ? "counted" : "vain") };
    }
  }
}

interface Row {
  readonly push: (message: Message) => void;
  readonly end: () => void;
  readonly isOver: () => boolean;
  readonly take: () => readonly Message[];
  /** Resolves with the answer to a request. Rejects where the end comes first. */
  readonly answer: Promise<Message>;
}

function createRow(): Row {
  let row: Message[] = [];
  let isOver = false;
  let tell: (answer: Message) => void = () => {};
  let fail: (error: Error) => void = () => {};
  const answer = new Promise<Message>((resolve, reject) => {
    tell = resolve;
    fail = reject;
  });
  answer.catch(() => {});
  return {
    push: (message) => {
      row.push(message);
      if (/^subscription\.(?:accepted|rejected)$|^aaepd\.error$/.test(String(message.type))) tell(message);
    },
    end: () => {
      isOver = true;
      fail(new Error("The connection is lost."));
    },
    isOver: () => isOver,
    take: () => {
      const taken = row;
      row = [];
      return taken;
    },
    answer,
  };
}

interface Bytes {
  readonly say: (message: Message) => void;
  /** Reads until the end. */
  readonly read: (take: (frame: Uint8Array) => void, end: () => void) => void;
  readonly stopReading: () => void;
  readonly readOn: () => void;
  readonly close: () => Promise<void>;
}

function bytesOf(connection: Connection<Uint8Array>): Bytes {
  let gate: Promise<void> | undefined;
  let open: () => void = () => {};
  let done: Promise<void> = Promise.resolve();
  const readOn = (): void => {
    gate = undefined;
    open();
  };
  return {
    say: (message) => void connection.send(Buffer.from(JSON.stringify(message))),
    read: (take, end) => {
      const read = async (): Promise<void> => {
        try {
          for await (const frames of connection.frames) {
            for (const frame of frames) take(frame);
            if (gate !== undefined) await gate;
          }
        } catch (caught) {
          // A reset is an end too.
          if (!(caught instanceof Fault)) throw caught;
        } finally {
          await connection.close();
          end();
        }
      };
      done = read();
    },
    stopReading: () => {
      gate = new Promise((resolve) => {
        open = resolve;
      });
    },
    readOn,
    close: async () => {
      readOn();
      await connection.close();
      await done;
    },
  };
}

function overPlain(bytes: Bytes, sniffer: WireSniffer): ListenerLink {
  const row = createRow();
  let id = "";
  bytes.read((frame) => {
    const message = sniffer.plain(frame);
    if (typeof message.subscription_id === "string") id = message.subscription_id;
    row.push(message);
  }, row.end);
  return {
    ...bytes,
    ...row,
    subscribe: (request) => {
      bytes.say(request);
      return row.answer;
    },
    reply: async (reply) => {
      bytes.say({ ...reply, subscription_id: id });
      return "unknown";
    },
    ping: () => {},
    vanish: bytes.close,
  };
}

function overService(stream: TextConnection, sniffer: WireSniffer): ListenerLink {
  const { stopReading, readOn, vanish } = stream;
  return { ...overPlain(bytesOf(stream), sniffer), stopReading, readOn, vanish };
}

interface Asked {
  readonly method: string;
  readonly resolve: (result: Message | undefined) => void;
}

function overRpc(bytes: Bytes, sniffer: WireSniffer): ListenerLink {
  const row = createRow();
  const asked = new Map<unknown, Asked>();
  let lastId = 0;
  let subscription = "";
  bytes.read(
    (frame) => {
      const { method, id, params, result, error } = sniffer.rpc(frame, (which) => asked.get(which)?.method);
      if (method === "aaep.event") row.push(params as Message);
      else if (method === "aaepd.checkpoint") row.push({ ...(params as Message), type: method });
      else if (method === "aaep.close") row.push({ ...(params as Message), type: "subscription.close" });
      else if (method === "aaep.error") row.push({ ...(params as Message), type: "aaepd.error" });
      const one = asked.get(id);
      if (one === undefined) return;
      asked.delete(id);
      if (error !== undefined && one.method === "aaep.subscribe")
        row.push({ ...((error as Message).data as Message), type: "subscription.rejected" });
      if (one.method === "aaep.subscribe" && result !== undefined) row.push(result as Message);
      if (one.method === "aaep.ping" && result !== undefined) row.push({ ...(result as Message), type: "ping" });
      one.resolve(result as Message | undefined);
    },
    () => {
      for (const { resolve } of asked.values()) resolve(undefined);
      row.end();
    },
  );
  const request = (method: string, params: Message): Promise<Message | undefined> => {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve) => {
      if (row.isOver()) return resolve(undefined);
      asked.set(id, { method, resolve });
      bytes.say({ jsonrpc: "2.0", id, method, params });
    });
  };
  return {
    ...bytes,
    ...row,
    subscribe: async (params) => {
      void request("aaep.subscribe", params);
      const answer = await row.answer;
      subscription = String(answer.subscription_id);
      return answer;
    },
    reply: async (reply) => {
      const result = await request("aaep.reply", { ...reply, subscription_id: subscription });
      if (result === undefined) throw new Error("The reply was not answered.");
      return result.accepted === true ? "counted" : "vain";
    },
    ping: () => void request("aaep.ping", {}),
    vanish: bytes.close,
  };
}
