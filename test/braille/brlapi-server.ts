// BRLTTY's server of a test's own: it answers as BrlAPI does or as a script says, at a real socket.
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { whenFinished } from "../support/lifetime.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

export interface Packet {
  readonly type: string;
  readonly body: Buffer;
}

/** The answers to a packet; "" stands for the greeting. Undefined: what BRLTTY would. "nothing": none. Bytes are written as they are. */
export type Script = (type: string, body: Buffer) => readonly Packet[] | "nothing" | Buffer | undefined;

export interface BrlapiServer {
  readonly connect: () => Socket;
  readonly packets: readonly Packet[];
  /** The text of the last write. */
  readonly shown: () => string;
  /** Types and numbers of what was sent since the last call, as in "t 1 7". */
  readonly asked: () => readonly string[];
  readonly send: (type: string, ...numbers: readonly number[]) => void;
  readonly key: (command: number) => void;
  /** The display has another size from now on; 0: it is gone. */
  readonly resize: (cells: number) => void;
  /** Ends the newest connection. */
  readonly drop: () => void;
  readonly connections: () => number;
}

export function packet(type: string, ...numbers: readonly number[]): Packet {
  return { type, body: Buffer.concat(numbers.map(word)) };
}

export function bytesOf({ type, body }: Packet): Buffer {
  return Buffer.concat([
    word(body.length),
    word([...type].reduce((sum, one) => sum * 256 + one.charCodeAt(0), 0)),
    body,
  ]);
}

function word(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

/** Listening when this resolves. */
export async function startBrlapiServer(script: Script = () => undefined, cells = 40): Promise<BrlapiServer> {
  const path = join(temporaryDirectory(), "brlapi");
  const packets: Packet[] = [];
  const sockets: Socket[] = [];
  let size = cells;
  let askedCount = 0;
  const ordinary = (type: string, body: Buffer): readonly Packet[] => {
    if (type === "") return [packet("v", 8)];
    if (type === "v") return [packet("a", "N".charCodeAt(0))];
    if (type === "n") return [{ type: "n", body: Buffer.from("Virtual\0") }];
    // A display that has gone has the size that it had.
    if (type === "s") return [packet("s", size || cells, 1)];
    if (type === "PR") {
      const value = body.readUInt32BE(4) === 9 ? Buffer.from([size === 0 ? 0 : 1]) : Buffer.alloc(8);
      return [{ type: "PV", body: Buffer.concat([packet("", 1, body.readUInt32BE(4), 0, 0).body, value]) }];
    }
    return type === "w" ? [] : [packet("A")];
  };
  const server = createServer((socket) => {
    sockets.push(socket);
    let rest = Buffer.alloc(0);
    const answer = (type: string, body: Buffer): void => {
      const answers = script(type, body) ?? ordinary(type, body);
      if (answers === "nothing") return;
      socket.write(Buffer.isBuffer(answers) ? answers : Buffer.concat(answers.map(bytesOf)));
    };
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 8 && rest.length >= 8 + rest.readUInt32BE(0)) {
        const type = rest.toString("latin1", 4, 8).replaceAll("\0", "");
        const body = rest.subarray(8, 8 + rest.readUInt32BE(0));
        rest = rest.subarray(8 + body.length);
        packets.push({ type, body });
        answer(type, body);
      }
    });
    answer("", Buffer.alloc(0));
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  whenFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const send = (type: string, ...numbers: readonly number[]): void => {
    sockets.at(-1)?.write(bytesOf(packet(type, ...numbers)));
  };
  return {
    connect: () => connect(path),
    packets,
    shown: () => {
      const body = packets.findLast(({ type }) => type === "w")?.body;
      return body === undefined ? "" : body.toString("utf8", 16, 16 + body.readUInt32BE(12));
    },
    asked: () => {
      const since = packets.slice(askedCount);
      askedCount = packets.length;
      return since.map(({ type, body }) => [type, ...wordsIn(type, body)].join(" "));
    },
    send,
    key: (command) => send("k", 0, 0x2000_0000 + command),
    resize: (to) => {
      size = to;
      send("PU", 0, 6, 0, 0, to, 1);
    },
    drop: () => sockets.at(-1)?.destroy(),
    connections: () => sockets.length,
  };
}

function wordsIn(type: string, body: Buffer): readonly number[] {
  if (type === "w") return [];
  return Array.from({ length: Math.floor(body.length / 4) }, (_, index) => body.readUInt32BE(4 * index));
}
