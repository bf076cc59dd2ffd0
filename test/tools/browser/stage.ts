// A daemon as a process, an agent at its local socket, and pages that call its services.
import { readFileSync } from "node:fs";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { AgentClient } from "../../../src/client/agent/agent-client.js";
import { ipcRpcConnector } from "../../../src/client/node.js";
import { runtimeEnvironment } from "../../cli/command-stage.js";
import { createMessageQueue, type MessageQueue } from "../../support/peers/message-queue.js";
import { cleanEnvironment, startProgram } from "../../support/peers/program.js";
import type { Caller, Driver, PageRefusal, SingleCall, Told } from "./driver.js";

export interface Served {
  readonly baseUrl: string;
  /** Without the scheme. */
  readonly address: string;
  readonly token: string;
  readonly agent: AgentClient;
  readonly terminate: () => void;
  /** Stops the process without an end, and lets it go on. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  /** What `/metrics` counts. */
  readonly subscriptionCount: () => Promise<number>;
}

/** `aaepd serve` with services on a free port, for pages of that origin. */
export async function serveFor(origin: string, ...options: readonly string[]): Promise<Served> {
  const environment = cleanEnvironment(runtimeEnvironment().XDG_RUNTIME_DIR);
  const argv = ["serve", "--http", "127.0.0.1:0", "--cors-origins", origin, "--max-hold-ms", "60000", ...options];
  const program = startProgram(argv, { environment });
  const [line = ""] = await program.stdoutLines(1);
  const { endpoints, token_file } = JSON.parse(line);
  const token = readFileSync(token_file, "utf8").trim();
  const baseUrl = `http://${endpoints.http[0]}`;
  const agent = await AgentClient.open(ipcRpcConnector(endpoints.ipc));
  onTestFinished(() => agent.close());
  await agent.setManifest({ agent_id: "ferry" });
  return {
    baseUrl,
    address: endpoints.http[0],
    token,
    agent,
    terminate: () => void program.child.kill("SIGTERM"),
    freeze: () => void program.child.kill("SIGSTOP"),
    thaw: () => void program.child.kill("SIGCONT"),
    subscriptionCount: async () => {
      const answer = await fetch(`${baseUrl}/metrics`, { headers: { authorization: `Bearer ${token}` } });
      return Number(/^aaepd_subscriptions (\d+)$/m.exec(await answer.text())?.[1]);
    },
  };
}

export interface PageStream {
  /** The next message that carries no events. */
  readonly message: () => Promise<JsonObject>;
  /** The next event. */
  readonly event: () => Promise<JsonObject>;
  /** How the stream ended, once it has. */
  readonly end: Promise<PageRefusal | "ok">;
  readonly abort: () => Promise<void>;
}

export interface DrivenPage {
  readonly page: Page;
  /** Listens; `request` is a SubscriptionRequest. */
  readonly listen: (caller: Caller, request?: JsonObject) => Promise<PageStream>;
  readonly call: (caller: Caller, method: SingleCall, request: JsonObject) => ReturnType<Driver["call"]>;
  readonly read: (url: string, token?: string) => ReturnType<Driver["read"]>;
}

interface Ear {
  readonly messages: MessageQueue<JsonObject>;
  readonly events: MessageQueue<JsonObject>;
  readonly end: (how: PageRefusal | "ok") => void;
}

/** Opens a page of that origin whose script is the driver, and that has these permissions; it is closed when the test has finished. */
export async function openDriven(
  browser: Browser,
  origin: string,
  permissions: readonly string[] = [],
): Promise<DrivenPage> {
  const context = await browser.newContext({ permissions: [...permissions] });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const ears = new Map<string, Ear>();
  await page.exposeFunction("tellTest", (name: string, told: Told) => {
    const ear = ears.get(name);
    if ("end" in told) ear?.end(told.end);
    else if (told.response.events === undefined) ear?.messages.push(told.response);
    else for (const event of told.response.events as JsonObject[]) ear?.events.push(event);
  });
  await page.goto(origin);
  await page.waitForFunction(() => "driver" in globalThis);
  function drive<Name extends keyof Driver>(
    name: Name,
    ...args: Parameters<Driver[Name]>
  ): Promise<Awaited<ReturnType<Driver[Name]>>> {
    return page.evaluate(`driver.${name}(...${JSON.stringify(args)})`);
  }
  return {
    page,
    listen: async (caller, request) => {
      const name = `stream ${ears.size + 1}`;
      const messages = createMessageQueue<JsonObject>(`messages of ${name}`);
      const events = createMessageQueue<JsonObject>(`events of ${name}`);
      const end = new Promise<PageRefusal | "ok">((resolve) => {
        ears.set(name, {
          messages,
          events,
          end: (how) => {
            resolve(how);
            messages.end();
            events.end();
          },
        });
      });
      await drive("listen", caller, name, request === undefined ? {} : { request });
      return {
        message: () => messages.next(),
        event: () => events.next(),
        end,
        abort: () => drive("abort", name),
      };
    },
    call: (...args) => drive("call", ...args),
    read: (url, token) => drive("read", url, token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
}
