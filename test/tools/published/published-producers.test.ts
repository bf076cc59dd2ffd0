// AAEP's own published producers, unchanged and without a model, through `aaepd relay`: each event is heard, or told and marked, and a question of each
// is answered here.

import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ReceivedEvent } from "../../../src/client/events.js";
import { subscribe } from "../../../src/client/listener/subscribe.js";
import { ipcConnector } from "../../../src/client/node.js";
import { eventually, serve, startCommandLine } from "../../cli/command-stage.js";
import { freePort } from "../../support/free-port.js";
import { shared } from "../../support/lifetime.js";
import { fixture, startCommand } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { installedPrograms } from "./published-programs.js";

const TEN_MINUTES = 600_000;
const programs = shared(installedPrograms);

/** `path` and `body` start work in which the producer asks. */
interface Producer {
  readonly program: string;
  readonly asks: boolean;
  readonly argv: (port: number) => readonly string[];
  readonly path: string;
  readonly bodies: readonly object[];
}

/** `asks`: two of them never do without a model. */
const server = (program: string, asks = true): Producer => ({
  program,
  asks,
  argv: (port) => ["--port", String(port)],
  path: "/sessions",
  bodies: [{ user_message: "Please send an email to ada@example.org." }],
});
const call = (method: string, params: object): object => ({ jsonrpc: "2.0", id: 1, method, params });

const PRODUCERS: readonly Producer[] = [
  server("aaep-minimal-producer"),
  server("aaep-anthropic-server", false),
  server("aaep-langchain-server", false),
  server("aaep-maf-server"),
  {
    program: "aaep-mcp-bridge",
    asks: true,
    argv: (port) => [
      ...["--aaep-port", String(port)],
      ...["--mcp-server", `${process.execPath} ${fixture("mcp-server.mjs")} ${join(temporaryDirectory(), "calls")}`],
    ],
    path: "/mcp",
    bodies: [call("tools/call", { name: "write_note", arguments: {} })],
  },
];

it.each(PRODUCERS)(
  "$program is heard by one command",
  async ({ program, asks, argv, path, bodies }) => {
    const port = await freePort();
    const base = `http://127.0.0.1:${port}`;
    startCommand([join(await programs(), program), ...argv(port)]);
    await eventually(async () => expect((await fetch(`${base}/healthz`)).ok).toBe(true));
    const said = record(base);
    const daemon = await serve(temporaryDirectory());
    const heard = listen(daemon.socketPath);
    const relay = startCommandLine(["relay", base, "--socket", daemon.socketPath], { environment: daemon.environment });
    await eventually(() => expect(relay.stderr()).toContain(`Connected to ${new URL(base).host}.`));
    for (const body of bodies) void post(`${base}${path}`, body);
    await eventually(() =>
      expect(said().some(({ type }) => /tool\.completed|session\.completed/.test(type))).toBe(true),
    );
    await eventually(() => {
      for (const event of said()) expect(heard.has(event), JSON.stringify(event)).toBe(true);
    });
    expect(heard.answered() > 0).toBe(asks);
    expect(heard.events().every(({ producer }) => / at 127\.0\.0\.1:\d+$/.test(producer.agent_name ?? ""))).toBe(true);
  },
  TEN_MINUTES,
);

type Event = Readonly<Record<string, unknown>> & { readonly type: string };

/** Every event of the producer, as anybody hears it. */
function record(base: string): () => readonly Event[] {
  const events: Event[] = [];
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const read = async (): Promise<void> => {
    const { body } = await fetch(`${base}/events`, { signal: leaving.signal });
    let text = "";
    for await (const part of body ?? []) {
      text += Buffer.from(part).toString();
      const messages = text.split("\n\n");
      text = messages.pop() ?? "";
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data !== undefined) events.push(JSON.parse(data) as Event);
      }
    }
  };
  read().catch(() => {});
  return () => events;
}

/** A listener of the daemon that takes everything as it comes, and says yes. */
function listen(path: string) {
  const events: ReceivedEvent[] = [];
  let answered = 0;
  const terms = { coalesce_boundaries: ["none"], supports_confirmation_reply: true } as const;
  const subscription = subscribe(ipcConnector(path), terms, {
    onCritical: (event) => {
      if (event.type !== "aaep:agent.awaiting.confirmation") return;
      if (subscription.reply({ reply_token: String(event.reply_token), decision: "accept" })) answered += 1;
    },
  });
  onTestFinished(() => subscription.close());
  void (async () => {
    for await (const event of subscription) events.push(event);
  })();
  const wordsOf = (event: Event): unknown => event.summary_normal ?? event.chunk ?? event.tool;
  return {
    events: () => events,
    answered: () => answered,
    has: (event: Event): boolean =>
      events.some(
        (one) =>
          one.event_id === event.event_id ||
          (one.extensions?.aaepd?.breach !== undefined && one.summary_normal === wordsOf(event)),
      ),
  };
}

async function post(url: string, body: object): Promise<void> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  await answer.text();
}
