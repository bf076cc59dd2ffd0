// AAEP's own published programs, from PyPI, unchanged. Its conformance suite and its listener connect to `aaepd serve --http`. Its producers, without
// a model, are heard through `aaepd relay`: each event is heard, or told and marked, and a question of each is answered here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { ReceivedEvent } from "../../../src/client/events.js";
import { subscribe } from "../../../src/client/listener/subscribe.js";
import { ipcConnector } from "../../../src/client/node.js";
import { eventually, runCommandLine, type ServedDaemon, serve, startCommandLine } from "../../cli/command-stage.js";
import { freePort } from "../../support/free-port.js";
import { shared } from "../../support/lifetime.js";
import { fixture, startCommand } from "../../support/peers/program.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { installedPrograms } from "./published-programs.js";

const TEN_MINUTES = 600_000;
const programs = shared(installedPrograms);

/** Of the suite's checks, those that no producer can pass: it takes the first event of a session itself, and counts its own second reply. */
const IMPOSSIBLE = ["L1-LIFE-004", "L2-CONF-002"];

it.each(["http", "ws"])(
  "the suite passes at level 3 over %s",
  async (scheme) => {
    const { address } = await told();
    const report = join(temporaryDirectory(), "report.json");
    const files = ["--report-json", report, "--report-html", `${report}.html`];
    const endpoint = ["--endpoint", address.replace("http", scheme), "--level", "3"];
    await startCommand([join(await programs(), "aaep-conformance"), "producer", ...endpoint, ...files]).ended;
    const { test_results: results } = JSON.parse(readFileSync(report, "utf8")) as {
      readonly test_results: readonly {
        readonly test_id: string;
        readonly passed: boolean;
        readonly message: string;
      }[];
    };
    expect(results.length).toBeGreaterThan(30);
    const failed = results.filter(({ passed }) => !passed);
    expect(failed.map(({ test_id }) => test_id).sort(), JSON.stringify(failed)).toEqual(IMPOSSIBLE);
  },
  TEN_MINUTES,
);

/** The published listeners, what each prints of the session, and whether it answers. */
const LISTENERS = [
  { program: "aaep-listen", argv: ["--auto-accept", "--no-color"], prints: ["Sends an email.", "session.completed"] },
  { program: "aaep-narrator-bridge", argv: ["--mock", "--auto-accept"], prints: ["Accepted.", "Ended."] },
  { program: "aaep-capture", argv: ["--output", "-", "--max-events", "4"], prints: ["Deletes record"], answers: false },
  { program: "aaep-otel-bridge", argv: ["--console"], prints: ["aaep.session"], answers: false },
];

it.each(LISTENERS)(
  "$program hears a session, and its question",
  async ({ program, argv, prints, answers = true }) => {
    const { address, daemon } = await told();
    const listener = startCommand([join(await programs(), program), "--endpoint", address, ...argv]);
    await eventually(async () => {
      const { stdout } = await runCommandLine(["status"], daemon.environment);
      expect(stdout).toContain("Subscriptions: 1");
    });
    // The other question has its default after a second.
    const text = answers ? "Use a tool that requires confirmation." : "Delete it.";
    const said = JSON.stringify({ kind: "user_input", text });
    await fetch(`${address}/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: said,
    });
    const printed = (): string => listener.stdout() + listener.stderr();
    for (const words of prints) await eventually(() => expect(printed()).toContain(words));
    if (answers) expect(printed()).not.toContain("It was not done.");
  },
  TEN_MINUTES,
);

/** A daemon with an address at which a listener may say anything, and an agent that does what is said. */
async function told(): Promise<{ readonly address: string; readonly daemon: ServedDaemon }> {
  const daemon = await serve(temporaryDirectory(), "--http", "127.0.0.1:0");
  // The suite reads five events of a session that it does not answer, and takes the sixth for another session's first.
  const rights = ["--confirmations", "--clarifications", "--user-input", "--exclude", "aaep:agent.state.*"];
  const { stdout } = await runCommandLine(["address", "create", "suite", ...rights], daemon.environment);
  const agent = startCommand([process.execPath, fixture("agent-that-is-told.mjs"), daemon.socketPath]);
  await agent.stdoutLines(1);
  return { address: stdout.trim(), daemon };
}

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
