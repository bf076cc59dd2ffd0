// vscode-jsonrpc with one message a line: the plainest reader and writer that its points of extension allow.
import { once } from "node:events";
import { AbstractMessageReader, AbstractMessageWriter } from "vscode-jsonrpc/node";

export class LineReader extends AbstractMessageReader {
  constructor(stream) {
    super();
    this.stream = stream;
  }

  listen(hand) {
    let rest = "";
    this.stream.setEncoding("utf8");
    this.stream.on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop();
      for (const line of lines) hand(JSON.parse(line));
    });
    this.stream.on("close", () => this.fireClose());
    return { dispose: () => {} };
  }
}

/** Messages of one turn leave in one write. */
export class LineWriter extends AbstractMessageWriter {
  constructor(stream) {
    super();
    this.stream = stream;
    this.lines = "";
    this.full = false;
    stream.on("error", () => {});
  }

  async write(message) {
    if (this.lines === "") setImmediate(() => this.flush());
    this.lines += `${JSON.stringify(message)}\n`;
  }

  flush() {
    const { lines } = this;
    this.lines = "";
    this.full = !this.stream.write(lines);
  }

  async writable() {
    if (!this.full) return;
    await once(this.stream, "drain");
    this.full = false;
  }

  end() {}
}
