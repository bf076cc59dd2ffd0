// The services from pages in Chromium: what a page of an origin that was named can do, and that no other page can do anything.
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { isStill } from "../support/patience.js";
import { startChromium } from "./browser/chromium.js";
import type { Caller } from "./browser/driver.js";
import { bundleScripts, type Site, serveSite } from "./browser/site.js";
import { type DrivenPage, openDriven, type PageStream, type Served, serveFor } from "./browser/stage.js";

const DRIVER = fileURLToPath(new URL("browser/driver.ts", import.meta.url));
const SESSION = "sess_browser1";

const WAYS = [
  { protocol: "connect", useBinaryFormat: false },
  { protocol: "connect", useBinaryFormat: true },
  { protocol: "grpc-web", useBinaryFormat: false },
  { protocol: "grpc-web", useBinaryFormat: true },
] as const;
const nameOf = ({ protocol, useBinaryFormat }: (typeof WAYS)[number]) =>
  `${protocol} in ${useBinaryFormat ? "binary" : "JSON"}`;

let browser: Browser;
let site: Site;
/** Of another port, which no daemon is told of. */
let strangers: Site;
let origin: string;

beforeAll(async () => {
  ensureBuilt();
  browser = await startChromium();
  const scripts = await bundleScripts({ driver: DRIVER });
  const body = () => '<script type="module" src="/driver.js"></script>';
  site = await serveSite(scripts, body);
  strangers = await serveSite(scripts, body);
  origin = `http://localhost:${site.port}`;
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await site?.close();
  await strangers?.close();
});

function callerOf(daemon: Served, way: (typeof WAYS)[number] = WAYS[0]): Caller {
  return { baseUrl: daemon.baseUrl, token: daemon.token, ...way };
}

function event(type: string, members: Readonly<Record<string, unknown>> = {}) {
  return { ...members, type: `aaep:agent.${type}`, session_id: SESSION };
}

function requestOf(capabilities: JsonObject = {}): JsonObject {
  return { aaepVersion: "1.0.0", subscriberId: "page", capabilities };
}

interface Terms {
  readonly key: string;
  readonly subscriptionId: string;
  readonly heartbeatSeconds: number;
}

/** Reads the acceptance, which comes first. */
async function termsOf(stream: PageStream): Promise<Terms> {
  const message = await stream.message();
  expect(message).toMatchObject({ accepted: { honoredCapabilities: { aaepd: { key: expect.any(String) } } } });
  const { subscriptionId, honoredCapabilities } = message.accepted as {
    readonly subscriptionId: string;
    readonly honoredCapabilities: { readonly aaepd: { readonly key: string; readonly heartbeatSeconds: number } };
  };
  const { key, heartbeatSeconds } = honoredCapabilities.aaepd;
  return { key, subscriptionId, heartbeatSeconds };
}

/** A page that listens, and the terms it got. */
async function listening(daemon: Served, way: (typeof WAYS)[number], capabilities?: JsonObject) {
  const caller = callerOf(daemon, way);
  const page = await openDriven(browser, origin);
  const stream = await page.listen(caller, requestOf(capabilities));
  const terms = await termsOf(stream);
  const call = (...[method, request]: [Parameters<DrivenPage["call"]>[1], JsonObject]) =>
    page.call(caller, method, { key: terms.key, ...request });
  return { page, stream, terms, call };
}

/** Resolves when the daemon has so many subscriptions. */
function untilSubscribed(daemon: Served, count: number): Promise<void> {
  return vi.waitFor(async () => expect(await daemon.subscriptionCount()).toBe(count), {
    timeout: 60_000,
    interval: 50,
  });
}

describe.each(WAYS.map((way) => [nameOf(way), way] as const))("a page over %s", (_, way) => {
  it("sees that a silent stream is alive, and why it ends", async () => {
    const daemon = await serveFor(origin, "--heartbeat-seconds", "1");
    const { stream, terms } = await listening(daemon, way);
    expect(terms.heartbeatSeconds).toBe(1);
    for (let count = 0; count < 2; count++) expect(await stream.message()).toEqual({ heartbeat: {} });
    daemon.terminate();
    let last = await stream.message();
    while ("heartbeat" in last) last = await stream.message();
    expect(last).toMatchObject({ close: { reasonCode: "producer_shutdown" } });
    expect(await stream.end).toMatchObject({ code: "Unavailable", details: [{ code: "shutting_down" }] });
  });

  it("R20, AAEP §8.2.7: reads why it is refused without the token, and gets nothing else", async () => {
    const daemon = await serveFor(origin);
    const { baseUrl } = daemon;
    const page = await openDriven(browser, origin);
    const refused = { code: "Unauthenticated", details: [{ code: "unauthenticated", rule: "AAEP §8.2.7" }] };
    for (const given of [
      { baseUrl, ...way },
      { baseUrl, ...way, token: "guessed" },
    ]) {
      const stream = await page.listen(given, requestOf());
      expect(await stream.end).toMatchObject(refused);
      await expect(stream.message()).rejects.toThrow(/ended/);
      expect(await page.call(given, "getManifest", {})).toMatchObject({ refused });
    }
    expect(await page.call(callerOf(daemon, way), "getManifest", {})).toMatchObject({
      response: { manifest: { agentId: "aaepd" } },
    });
  });

  it("gets nothing where its origin was not named, whatever it knows", async () => {
    const daemon = await serveFor(origin);
    for (const stranger of [`http://localhost:${strangers.port}`, `http://127.0.0.1:${site.port}`]) {
      const page = await openDriven(browser, stranger);
      expect(await page.call(callerOf(daemon, way), "getManifest", {})).toMatchObject({
        refused: { message: "Failed to fetch", details: [] },
      });
      const stream = await page.listen(callerOf(daemon, way), requestOf());
      expect(await stream.end).toMatchObject({ message: "Failed to fetch", details: [] });
      await expect(stream.message()).rejects.toThrow(/ended/);
    }
    expect(await daemon.subscriptionCount()).toBe(0);
  });

  it("leaves no subscription behind when it is closed, goes elsewhere or takes the call back", async () => {
    const daemon = await serveFor(origin);
    const [closed, gone, back] = [
      await listening(daemon, way),
      await listening(daemon, way),
      await listening(daemon, way),
    ];
    expect(await daemon.subscriptionCount()).toBe(3);
    await daemon.agent.publish(event("session.started", { summary_normal: "Looks." }));
    for (const { stream } of [closed, gone, back]) expect(await stream.event()).toHaveProperty("sessionStarted");
    await closed.page.page.close();
    await untilSubscribed(daemon, 2);
    await gone.page.page.goto("about:blank");
    await untilSubscribed(daemon, 1);
    await back.stream.abort();
    expect(await back.stream.end).toMatchObject({ code: "Canceled" });
    await untilSubscribed(daemon, 0);
  });
});

describe("beside the services", () => {
  it("pages of a named origin read the manifest with the token and health without, others nothing", async () => {
    const daemon = await serveFor(origin);
    const page = await openDriven(browser, origin);
    const manifest = `${daemon.baseUrl}/.well-known/aaep-manifest.json`;
    const read = await page.read(manifest, daemon.token);
    expect(read?.status).toBe(200);
    expect(JSON.parse(read?.text ?? "")).toMatchObject({ type: "aaep:producer.manifest" });
    expect(await page.read(manifest)).toMatchObject({ status: 401 });
    expect(await page.read(`${daemon.baseUrl}/healthz`)).toMatchObject({ status: 200 });
    const stranger = await openDriven(browser, `http://localhost:${strangers.port}`);
    for (const [url, token] of [[manifest, daemon.token], [manifest], [`${daemon.baseUrl}/healthz`]] as const)
      expect(await stranger.read(url, token)).toBeUndefined();
  });

  it("a page from another machine hears as well, once the person has let it reach this one", async () => {
    const daemon = await serveFor(origin);
    // Which keeps its origin, and counts as one that has come from afar.
    const afar = await startChromium(`--ip-address-space-overrides=127.0.0.1:${site.port}=public`);
    onTestFinished(() => afar.close());
    const unasked = await openDriven(afar, origin);
    const refused = await unasked.listen(callerOf(daemon), requestOf());
    expect(await refused.end).toMatchObject({ message: "Failed to fetch" });
    const allowed = await openDriven(afar, origin, ["local-network-access"]);
    await termsOf(await allowed.listen(callerOf(daemon), requestOf()));
    expect(await daemon.subscriptionCount()).toBe(1);
  });

  it("six connections to a host are all that a browser has: a sixth stream leaves none for calls", async () => {
    const daemon = await serveFor(origin);
    const caller = callerOf(daemon);
    const page = await openDriven(browser, origin);
    const streams: PageStream[] = [];
    for (let count = 0; count < 6; count++) {
      if (count > 0) {
        expect(await page.call(caller, "getManifest", {})).toHaveProperty("response");
      }
      const stream = await page.listen(caller, requestOf());
      await termsOf(stream);
      streams.push(stream);
    }
    const call = page.call(caller, "getManifest", {});
    expect(await isStill(call)).toBe(true);
    await streams[0]?.abort();
    expect(await call).toHaveProperty("response");
  });
});
