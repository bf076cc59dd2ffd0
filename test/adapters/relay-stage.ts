// A relay between a real daemon and a producer that does whatever the test wants.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "vitest";
import type { RelayReport } from "../../src/adapters/relay/relay-report.js";
import type { ReceivedEvent } from "../../src/client/events.js";
import { subscribe } from "../../src/client/listener/subscribe.js";
import type { Terms } from "../../src/client/listener/terms.js";
import { ipcConnector } from "../../src/client/node.js";
import type { DaemonStatus } from "../../src/daemon/status/daemon-status.js";
import { eventually, runCommandLine, type ServedDaemon, serve, startCommandLine } from "../cli/command-stage.js";
import { whenFinished } from "../support/lifetime.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

export const SESSION = "sess_11111111111111111111111111111111";
export const ID = "evt_00000000000000000000000000000001";
export const QUESTION = {
  reply_token: "rpl_00000000000000000000000000000001",
  action: "Burn the book",
  consequence: "It is gone.",
  default_decision: "reject",
  timeout_seconds: 300,
};

export type Producer = Awaited<ReturnType<typeof produce>>["producer"];

export async function produce() {
  /** What was posted to it. */
  const posted: Readonly<Record<string, unknown>>[] = [];
  /** The places from which its streams were wanted. */
  const places: (string | string[] | undefined)[] = [];
  let stream: ServerResponse | undefined;
  const server = createServer((request, response) => {
    if (request.url === "/events") {
      places.push(request.headers["last-event-id"]);
      stream = response.writeHead(200, { "content-type": "text/event-stream" });
      stream.write(": connected\n\n");
      return;
    }
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      const message = JSON.parse(body) as Readonly<Record<string, unknown>>;
      posted.push(message);
      response.writeHead(message.type === "subscription.request" ? 400 : 200).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  whenFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const saysText = (text: string): void => void stream?.write(text);
  const says = (topic: string, members: object): void => {
    const event = {
      "@context": "https://aaep-protocol.org/context/v1",
      type: `aaep:agent.${topic}`,
      session_id: SESSION,
      timestamp: "2020-01-01T00:00:00.000Z",
      producer: { agent_id: "librarian", agent_name: "Librarian" },
      ...members,
    };
    saysText(`data: ${JSON.stringify(event)}\n\n`);
  };
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { base, producer: { says, saysText, posted, places, ends: () => void stream?.end() } };
}

/** A listener that hears what is published from now on. */
export async function listen(daemon: ServedDaemon): Promise<readonly ReceivedEvent[]> {
  const { heard, isActive } = listener(daemon, {});
  await eventually(() => expect(isActive()).toBe(true));
  return heard;
}

/** A listener that can answer, and is asked from now on. */
export async function answering(daemon: ServedDaemon) {
  const { heard, subscription, isActive } = listener(daemon, { supports_confirmation_reply: true });
  await eventually(() => expect(isActive()).toBe(true));
  return { heard, reply: subscription.reply };
}

function listener(daemon: ServedDaemon, terms: Terms) {
  const heard: ReceivedEvent[] = [];
  let isActive = false;
  const subscription = subscribe(
    ipcConnector(daemon.socketPath),
    { coalesce_boundaries: ["none"], ...terms },
    {
      onState: ({ kind }) => {
        isActive ||= kind === "active";
      },
    },
  );
  whenFinished(() => subscription.close());
  void (async () => {
    for await (const event of subscription) heard.push(event);
  })();
  return { heard, subscription, isActive: () => isActive };
}

export async function relayed() {
  const { base, producer } = await produce();
  const daemon = await serve(temporaryDirectory());
  const heard = await listen(daemon);
  const relay = startCommandLine(["relay", base], { environment: daemon.environment });
  await eventually(() => expect(producer.posted.length).toBe(1));
  return { base, producer, daemon, heard, relay };
}

/** A daemon, and the base address of a listener. */
export async function servedByAddress(): Promise<{ readonly daemon: ServedDaemon; readonly base: string }> {
  const daemon = await serve(temporaryDirectory(), "--http", "127.0.0.1:0", "--agent-grace-seconds", "0");
  const made = await runCommandLine(["address", "create", "other"], daemon.environment);
  return { daemon, base: made.stdout.trim() };
}

export async function relaysOf({ environment }: ServedDaemon): Promise<readonly RelayReport[]> {
  const { stdout } = await runCommandLine(["status", "--json"], environment);
  return (JSON.parse(stdout) as DaemonStatus).relays ?? [];
}

export function chunkOf(event: ReceivedEvent): unknown {
  return (event as { readonly chunk?: unknown }).chunk;
}
