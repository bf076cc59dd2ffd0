// A Speech Dispatcher of a test's own: it answers as a script says, at a real socket.
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { whenFinished } from "../support/lifetime.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

export interface SsipServer {
  readonly path: string;
  /** Every line that it was sent, the lines of texts too. */
  readonly lines: readonly string[];
  /** How many connections it had. */
  readonly connections: () => number;
  /** Writes to the newest connection. */
  readonly write: (text: string) => void;
  /** Ends the newest connection. */
  readonly drop: () => void;
}

/**
 * What it writes to a line; undefined: what Speech Dispatcher would. `text`: the lines of the message that has just ended, with its number. "drop" ends the
 * connection.
 */
export type Script = (
  line: string,
  text?: { readonly lines: readonly string[]; readonly message: number },
) => string | undefined;

export const END = (message: number, name = "END", code = 702): string =>
  `${code}-${message}\r\n${code}-1\r\n${code} ${name}\r\n`;

/** Listening when this resolves. */
export async function startSsipServer(script: Script = () => undefined): Promise<SsipServer> {
  const path = join(temporaryDirectory(), "speechd.sock");
  const lines: string[] = [];
  const sockets: Socket[] = [];
  let message = 0;
  const server = createServer((socket) => {
    sockets.push(socket);
    let rest = "";
    let text: string[] | undefined;
    const say = (words: string): void => void (words === "drop" ? socket.destroy() : socket.write(words));
    socket.on("error", () => {});
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      rest += chunk;
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        lines.push(line);
        if (text === undefined) {
          const answer = script(line) ?? (line === "SPEAK" ? "230 OK RECEIVING DATA\r\n" : "208 OK DONE\r\n");
          if (line === "SPEAK" && answer.startsWith("230")) text = [];
          say(answer);
        } else if (line !== ".") text.push(line);
        else {
          message += 1;
          const queued = `225-${message}\r\n225 OK MESSAGE QUEUED\r\n${END(message, "BEGIN", 701)}${END(message)}`;
          say(script(line, { lines: text, message }) ?? queued);
          text = undefined;
        }
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  whenFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    path,
    lines,
    connections: () => sockets.length,
    write: (words) => void sockets.at(-1)?.write(words),
    drop: () => void sockets.at(-1)?.destroy(),
  };
}
