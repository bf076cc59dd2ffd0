// R8b: what a running daemon does with a configuration that was read again. Each option that applies at once is changed, and then looked for.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Configuration } from "../../../src/daemon/config/config.js";
import { OPTION_NAMES } from "../../../src/daemon/config/config-schema.js";
import { fallbackOf } from "../../../src/daemon/config/option-names.js";
import { reconfigure } from "../../../src/daemon/config/reconfigure.js";
import { createLog } from "../../../src/daemon/platform/log.js";
import type { PlainPeer, RpcPeer } from "../../support/peers/peers.js";
import { type DaemonRig, nextSession, requestOf, startRig, turns } from "../../support/rigs/daemon-rig.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";

type Message = Readonly<Record<string, unknown>>;

const ABLE = { supports_confirmation_reply: true };

/** With time that is moved by hand. */
const rigOf = (configuration: Partial<Configuration> = {}): Promise<DaemonRig> =>
  startRig({ clock: "hands", configuration });

async function subscribed(rig: DaemonRig, capabilities: unknown = {}): Promise<PlainPeer> {
  const peer = await rig.plain();
  expect(await peer.subscribe(requestOf(capabilities))).toMatchObject({ type: "subscription.accepted" });
  return peer;
}

async function speaking(rig: DaemonRig): Promise<{ readonly agent: RpcPeer; readonly session_id: string }> {
  const agent = await rig.rpc();
  const session_id = nextSession();
  await agent.publish({ type: "aaep:agent.session.started", session_id, summary_normal: "Begins." });
  return { agent, session_id };
}

const chunkOf = (session_id: string, chunk: string, position = 0): Message => ({
  type: "aaep:agent.output.streaming",
  session_id,
  chunk,
  position,
  complete: false,
});

const linesOf = (rig: DaemonRig): readonly unknown[] =>
  rig.log.filter(({ level }) => level !== "debug").map(({ level, message, fields }) => [level, message, fields]);

describe("R8b: what was read again", () => {
  it("is answered and logged: one line for what applies, one for what waits; and waits until it is taken back", async () => {
    const rig = await rigOf();
    const { socket } = { socket: { kind: "path", path: rig.path } } as const;
    const elsewhere = { kind: "path", path: `${rig.path}.other` } as const;
    expect(rig.reconfigure({ socket: elsewhere, burst: 3, retryAfterSeconds: 9 })).toStrictEqual({
      applied: ["retryAfterSeconds", "burst"],
      waiting: ["socket"],
    });
    expect(linesOf(rig)).toStrictEqual([
      ["info", "the configuration was read again", { applied: ["retry_after_seconds", "burst"] }],
      ["info", "takes effect at the next start", { options: ["socket"] }],
    ]);
    expect(rig.reconfigure({ burst: 4 })).toStrictEqual({ applied: ["burst"], waiting: ["socket"] });
    expect(rig.reconfigure({ socket })).toStrictEqual({ applied: [], waiting: [] });
    expect(linesOf(rig).at(-1)).toStrictEqual(["info", "the configuration was read again", { applied: [] }]);
  });

  it("waits where the log's level cannot be set", async () => {
    const rig = await rigOf();
    expect(rig.reconfigure({ logLevel: "debug" })).toStrictEqual({ applied: [], waiting: ["logLevel"] });
  });

  it.each([
    ["info", "off"],
    ["off", "info"],
  ] as const)("log_level: from %s to %s is told, and holds from then on", (before, after) => {
    const lines: string[] = [];
    const stream = { writableLength: 0, write: (line: string) => lines.push(line) > 0 };
    const log = createLog(before, { stream });
    // Every option has a fallback of its own type.
    const fallbacks = Object.fromEntries(
      OPTION_NAMES.map((name) => [name, fallbackOf(name, "serve")]),
    ) as unknown as Configuration;
    const settings = { ...fallbacks, logLevel: before };
    const services = { settings, log, applied: () => {}, renewToken: () => undefined };
    expect(reconfigure({ ...settings, logLevel: after }, services)).toStrictEqual({
      applied: ["logLevel"],
      waiting: [],
    });
    expect(lines.map((line) => JSON.parse(line).applied)).toStrictEqual([["log_level"]]);
    log.info({}, "afterwards");
    expect(lines).toHaveLength(after === "info" ? 2 : 1);
  });

  it("changes nothing once the daemon stops", async () => {
    const rig = await rigOf();
    const manifest = join(rig.directory, "test.manifest.json");
    expect(existsSync(manifest)).toBe(true);
    await rig.daemon.stop("signal");
    expect(rig.reconfigure({ maxConcurrentSubscriptions: 7 })).toStrictEqual({ applied: [], waiting: [] });
    expect(existsSync(manifest)).toBe(false);
  });
});

describe("R8b: at once", () => {
  it("max_concurrent_subscriptions and retry_after_seconds: for the next one, and in the manifest; those that are there stay", async () => {
    const rig = await rigOf();
    const kept = [await subscribed(rig), await subscribed(rig)];
    rig.reconfigure({ maxConcurrentSubscriptions: 1, retryAfterSeconds: 77 });
    const third = await rig.plain();
    expect(await third.subscribe(requestOf())).toMatchObject({ reason_code: "rate_limit", retry_after_seconds: 77 });
    const manifest = JSON.parse(readFileSync(join(rig.directory, "test.manifest.json"), "utf8"));
    expect(manifest.max_concurrent_subscriptions).toBe(1);
    rig.reconfigure({ maxConcurrentSubscriptions: 3 });
    await subscribed(rig);
    await speaking(rig);
    for (const peer of kept) await peer.events.next("aaep:agent.session.started");
  });

  it("max_events_per_second: for terms that are negotiated from then on, new ones and renegotiated ones", async () => {
    const rig = await rigOf();
    const asks = { max_events_per_second: 50 };
    const early = await subscribed(rig, asks);
    rig.reconfigure({ maxEventsPerSecond: 7 });
    const granted = { honored_capabilities: { max_events_per_second: 7 } };
    expect(await (await rig.plain()).subscribe(requestOf(asks))).toMatchObject(granted);
    expect(await early.renegotiate(asks)).toMatchObject(granted);
  });

  it("burst: for new subscriptions", async () => {
    const rig = await rigOf();
    const limited = { max_events_per_second: 1 };
    const early = await subscribed(rig, limited);
    rig.reconfigure({ burst: 5 });
    const late = await subscribed(rig, limited);
    const { agent, session_id } = await speaking(rig);
    const tools = Array.from({ length: 4 }, (_, index) => ({
      type: "aaep:agent.tool.invoked",
      session_id,
      tool: `tool_${index}`,
      summary_normal: "It searches.",
    }));
    await agent.publish(...tools);
    await turns();
    expect([early, late].map(({ events }) => events.rest().length)).toEqual([1, 5]);
  });

  it("clock_skew_seconds: for the next event", async () => {
    const rig = await rigOf();
    const { agent, session_id } = await speaking(rig);
    const ahead = { ...chunkOf(session_id, "Ahead."), timestamp: "2026-05-24T14:05:00.000Z" };
    expect((await agent.refusal("aaep.publish", ahead)).code).toBe("timestamp_skewed");
    rig.reconfigure({ clockSkewSeconds: 600 });
    await agent.publish(ahead);
  });

  it("agent_grace_seconds: for sessions that wait for their agents already, too", async () => {
    const rig = await rigOf({ agentGraceSeconds: 600 });
    const listener = await subscribed(rig);
    const [first, second] = [await speaking(rig), await speaking(rig)];
    await listener.events.next("aaep:agent.session.started");
    await listener.events.next("aaep:agent.session.started");
    await first.agent.close();
    await rig.advance(10_000);
    await second.agent.close();
    await rig.advance(1000);
    rig.reconfigure({ agentGraceSeconds: 11 });
    await rig.advance(0);
    const lost = { type: "aaep:agent.session.errored", error_code: "AGENT_DISCONNECTED" };
    expect(await listener.events.next()).toMatchObject({ ...lost, session_id: first.session_id });
    // The other one has waited for a second by now.
    rig.reconfigure({ agentGraceSeconds: 30 });
    await rig.advance(28_999);
    expect(listener.events.rest()).toEqual([]);
    await rig.advance(1);
    expect(await listener.events.next()).toMatchObject({ ...lost, session_id: second.session_id });
  });

  it("confirmation_grace_seconds and reconnect_grace_seconds: for waits that begin from then on", async () => {
    const rig = await rigOf();
    const { agent, session_id } = await speaking(rig);
    const confirm = { session_id, action: "Pay.", consequence: "Money leaves.", default_decision: "reject" };
    rig.reconfigure({ confirmationGraceSeconds: 40, reconnectGraceSeconds: 20 });
    const first = agent.request("aaep.confirm", confirm);
    await rig.advance(39_999);
    const person = await subscribed(rig, ABLE);
    await person.events.next("aaep:agent.awaiting.confirmation");
    await person.close();
    await rig.advance(19_999);
    const second = await subscribed(rig, ABLE);
    await second.events.next("aaep:agent.awaiting.confirmation");
    await second.close();
    await rig.advance(20_000);
    expect(await first).toMatchObject({ decision: "reject", resolved_by: "subscription_ended" });
  });

  it("max_hold_ms: for text that is held from then on", async () => {
    const rig = await rigOf();
    const listener = await subscribed(rig, { coalesce_boundaries: ["sentence"] });
    rig.reconfigure({ maxHoldMs: 200 });
    const { agent, session_id } = await speaking(rig);
    await listener.events.next("aaep:agent.session.started");
    await agent.publish(chunkOf(session_id, "No end of a sentence"));
    await rig.advance(199);
    expect(listener.events.rest()).toEqual([]);
    await rig.advance(1);
    expect(await listener.events.next()).toMatchObject({ chunk: "No end of a sentence" });
  });

  it.each([
    ["max_lag_seconds", { maxLagSeconds: 20 }, { seconds: 25 }],
    ["max_lag_events", { maxLagEvents: 16 }, { seconds: 25 }],
  ] as const)("%s: for one that takes nothing already, and it is told the new limit", async (_, change, lag) => {
    const rig = await rigOf({ maxLagSeconds: 3600 });
    const slow = await subscribed(rig, { coalesce_boundaries: ["none"] });
    slow.stopReading();
    const { agent, session_id } = await speaking(rig);
    const text = "x".repeat(16_000);
    for (let index = 0; index < 100; index += 1) await agent.publish(chunkOf(session_id, text, index * text.length));
    await rig.advance(25_000);
    rig.reconfigure(change);
    slow.readOn();
    await rig.advance(1);
    await slow.closed;
    expect(slow.closings.rest()).toMatchObject([
      { reason_code: "lagging", extensions: { aaepd: { lag, limits: limitsOf(change) } } },
    ]);
  });

  it("handshake_timeout_seconds: for new connections", async () => {
    const rig = await rigOf();
    const early = await rig.plain("memory");
    rig.reconfigure({ handshakeTimeoutSeconds: 2 });
    const late = await rig.plain("memory");
    await rig.advance(2000);
    await late.closed;
    expect(await early.subscribe(requestOf())).toMatchObject({ type: "subscription.accepted" });
  });

  it.each([
    ["keep", "end"],
    ["end", "keep"],
  ] as const)("on_stop: from %s to %s, asked when the daemon stops", async (before, after) => {
    const journal = { kind: "directory", path: join(temporaryDirectory(), "journal") } as const;
    const rig = await startRig({ configuration: { journal, onStop: before } });
    const listener = await subscribed(rig);
    await speaking(rig);
    await listener.events.next("aaep:agent.session.started");
    rig.reconfigure({ onStop: after });
    await rig.daemon.stop("signal");
    await listener.closed;
    const ends = after === "end" ? ["aaep:agent.session.errored"] : [];
    expect(listener.events.rest().map(({ type }) => type)).toEqual(ends);
  });
});

function limitsOf(change: Partial<Configuration>): Message {
  const { maxLagSeconds = 3600, maxLagEvents = 16_384 } = change;
  return { max_lag_seconds: maxLagSeconds, max_lag_events: maxLagEvents };
}

describe("R8b: services over TCP", () => {
  it("cors_origins: for the next request; the token is made anew, and whoever was let in stays", async () => {
    const rig = await startRig({ services: { http: "tcp" } });
    const before = rig.authorization();
    const get = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(`http://${rig.serviceAddress("http")}/.well-known/aaep-manifest.json`, {
        headers: { connection: "close", ...headers },
      });
    const origin = { origin: "https://reader.example" };
    const allowed = (response: Response) => response.headers.get("access-control-allow-origin");
    expect(allowed(await get({ ...before, ...origin }))).toBeNull();
    rig.reconfigure({ corsOrigins: [origin.origin] });
    const after = rig.authorization();
    expect(after).not.toStrictEqual(before);
    const answer = await get({ ...after, ...origin });
    expect([answer.status, allowed(answer)]).toStrictEqual([200, origin.origin]);
    expect((await get(before)).status).toBe(401);
    const told = rig.log.filter(({ message }) => message === "the configuration was read again");
    expect(told.map(({ fields }) => fields)).toStrictEqual([
      { applied: ["cors_origins"], new_token_in: rig.daemon.tokenPath },
    ]);
  });

  it("http_token_file: the token of a file stays, is read again, and stands where the manifest says", async () => {
    const path = join(temporaryDirectory(), "monitor.token");
    const rig = await startRig({ services: { http: "tcp" }, configuration: { httpTokenFile: { kind: "path", path } } });
    expect(rig.daemon.tokenPath).toBe(path);
    expect(JSON.parse(readFileSync(rig.path.replace(/sock$/, "manifest.json"), "utf8")).token_file).toBe(path);
    const status = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await fetch(`http://${rig.serviceAddress("http")}/metrics`, { headers: { connection: "close", ...headers } }))
        .status;
    const made = rig.authorization();
    expect(await status(made)).toBe(200);

    rig.reconfigure({});
    expect(rig.authorization()).toStrictEqual(made);
    expect(await status(made)).toBe(200);

    const chosen = "a-token-that-an-operator-has-chosen-1";
    writeFileSync(path, `${chosen}\n`);
    expect(await status({ authorization: `Bearer ${chosen}` })).toBe(401);
    rig.reconfigure({});
    expect(await status({ authorization: `Bearer ${chosen}` })).toBe(200);
    expect(await status(made)).toBe(401);

    chmodSync(path, 0o640);
    rig.reconfigure({});
    expect(await status({ authorization: `Bearer ${chosen}` })).toBe(200);

    rmSync(path);
    rig.reconfigure({});
    expect(await status({ authorization: `Bearer ${chosen}` })).toBe(401);
    expect(await status(rig.authorization())).toBe(200);

    const told = (line: unknown): unknown => (line as readonly unknown[])[2];
    expect(linesOf(rig).map(told)).toStrictEqual([
      { applied: [] },
      { applied: [], new_token_in: path },
      {
        reason: `The file ${path} of the token has mode 0640, so that other users can read the token. Run: chmod 600 ${path}, or delete the file for another token.`,
      },
      { applied: [] },
      { applied: [], new_token_in: path },
    ]);
    await rig.stop();
    expect(readFileSync(path, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  });

  it("http_token_file: without TCP nobody needs a token, and none is made", async () => {
    const path = join(temporaryDirectory(), "monitor.token");
    const rig = await startRig({
      services: { http: "unix" },
      configuration: { httpTokenFile: { kind: "path", path } },
    });
    expect([rig.daemon.tokenPath, existsSync(path)]).toStrictEqual([undefined, false]);
  });

  it("where the token cannot be written, the one of before holds, and the rest applies", async () => {
    const rig = await startRig({ services: { http: "tcp" } });
    const before = rig.authorization();
    const { tokenPath = expect.fail("there is no token") } = rig.daemon;
    rmSync(tokenPath);
    mkdirSync(tokenPath);
    expect(rig.reconfigure({ burst: 2 }).applied).toStrictEqual(["burst"]);
    rmdirSync(tokenPath);
    expect(linesOf(rig).map((line) => (line as readonly unknown[]).slice(0, 2))).toStrictEqual([
      ["warn", "there is no other token; the former one stays valid"],
      ["info", "the configuration was read again"],
    ]);
    const page = `http://${rig.serviceAddress("http")}/.well-known/aaep-manifest.json`;
    const headers = { connection: "close", ...before };
    expect((await fetch(page, { headers })).status).toBe(200);
    rig.reconfigure({});
    expect((await fetch(page, { headers })).status).toBe(401);
    expect((await fetch(page, { headers: { ...headers, ...rig.authorization() } })).status).toBe(200);
  });
});
