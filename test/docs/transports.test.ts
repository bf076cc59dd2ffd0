import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { openAgent } from "../../src/client/node.js";
import { runCommandLine, serve } from "../cli/command-stage.js";
import { docBlock, docPage } from "../support/doc-blocks.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const PAGE = docPage("transports.md");

/** What a browser has and Node 20 has not: `onmessage` for each event without a name. */
class EventSource {
  static isOpen = false;
  onmessage: (event: { readonly data: string }) => void = () => {};

  constructor(url: string) {
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    void this.read(url, leaving.signal).catch(() => {});
  }

  private async read(url: string, signal: AbortSignal): Promise<void> {
    const { body } = await fetch(url, { signal });
    EventSource.isOpen = true;
    let text = "";
    for await (const bytes of body ?? []) {
      text += Buffer.from(bytes).toString();
      const whole = text.split("\n\n");
      text = whole.pop() ?? "";
      for (const one of whole) for (const [, data = ""] of one.matchAll(/^data: (.*)$/gm)) this.onmessage({ data });
    }
  }
}

test.each(["eventsource", "websocket"])("a page that listens by %s hears an agent, and answers it", async (name) => {
  const daemon = await serve(temporaryDirectory(), "--http", "127.0.0.1:0");
  const made = await runCommandLine(["address", "create", "page", "--confirmations"], daemon.environment);
  const base = made.stdout.trim();
  const shown: string[] = [];
  let listener: WebSocket | undefined;
  class Opened extends WebSocket {
    constructor(...given: ConstructorParameters<typeof WebSocket>) {
      super(...given);
      listener = this;
      onTestFinished(() => this.terminate());
    }
  }
  const code = docBlock(PAGE, "js", name);
  const run = new Function("base", "show", "ask", "EventSource", "WebSocket", code);
  run(
    base,
    (text: string) => shown.push(text),
    () => true,
    EventSource,
    Opened,
  );
  await expect
    .poll(() => (name === "websocket" ? listener?.readyState === WebSocket.OPEN : EventSource.isOpen))
    .toBe(true);
  const agent = await openAgent({ id: "planner", socket: daemon.socketPath });
  onTestFinished(() => agent.close());
  const outcome = agent.session("Clean up.").confirm({ action: "Delete a.txt", consequence: "It is gone." });
  expect(await outcome).toMatchObject({ decision: "accept" });
  expect(shown).toContain("Clean up.");
  expect(code.split("\n").length).toBeLessThan(40);
});
