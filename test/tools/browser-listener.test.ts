// `subscribe` with `httpConnector` in pages in Chromium, bundled as an author would bundle them.
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import type { Capabilities, Envelope } from "#gen/aaep/types.js";
import type { SubscribeOptions } from "../../src/client/listener/types.js";
import { ensureBuilt } from "../support/built.js";
import { startChromium } from "./browser/chromium.js";
import type { PageListener } from "./browser/listener-driver.js";
import { bundleScripts, type Site, serveSite } from "./browser/site.js";
import { type Served, serveFor } from "./browser/stage.js";

const DRIVER = fileURLToPath(new URL("browser/listener-driver.ts", import.meta.url));
const SESSION = "sess_page";

let browser: Browser;
let site: Site;
let origin: string;

beforeAll(async () => {
  ensureBuilt();
  browser = await startChromium();
  const scripts = await bundleScripts({ listener: DRIVER });
  site = await serveSite(scripts, () => '<script type="module" src="/listener.js"></script>');
  origin = `http://localhost:${site.port}`;
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await site?.close();
});

const event = (kind: string, members: Readonly<Record<string, unknown>> = {}) => ({
  ...members,
  type: `aaep:agent.${kind}`,
  session_id: SESSION,
});
const text = (output_id: string, chunk: string, complete = false) =>
  event("output.streaming", { output_id, chunk, complete });

const patience = { timeout: 60_000, interval: 20 };

/** A page that listens, and what a test asks it. */
async function listening(
  daemon: Served,
  terms: Capabilities = {},
  options: SubscribeOptions = {},
  from = origin,
  token = daemon.token,
) {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const page: Page = await context.newPage();
  await page.goto(from);
  await page.waitForFunction(() => "listener" in globalThis);
  const ask = <Answer>(expression: string): Promise<Answer> => page.evaluate(expression);
  const call = <Name extends keyof PageListener["call"]>(
    name: Name,
    ...args: Parameters<PageListener["call"][Name]>
  ): Promise<Awaited<ReturnType<PageListener["call"][Name]>>> =>
    ask(`listener.call.${name}(...${JSON.stringify(args)})`);
  const events = (): Promise<readonly Envelope[]> => ask("listener.events");
  const told = <Name extends "states" | "cursors" | "notTaken" | "end">(name: Name): Promise<PageListener[Name]> =>
    ask(`listener.${name}`);
  await ask(`listener.start(...${JSON.stringify([daemon.baseUrl, token, terms, options])})`);
  return {
    page,
    call,
    events,
    told,
    active: () => vi.waitFor(async () => expect(await told("states")).toContain("active"), patience),
    last: (matching: object) =>
      vi.waitFor(async () => expect((await events()).at(-1)).toMatchObject(matching), patience),
  };
}

it("R19, R26, R28: hears, answers, lists, renegotiates, repeats, skips and closes", async () => {
  const daemon = await serveFor(origin);
  const page = await listening(daemon, { coalesce_boundaries: ["none"], supports_confirmation_reply: true });
  await page.active();
  await daemon.agent.publish(
    event("session.started", { summary_terse: "Ferries.", summary_normal: "Looks up ferries." }),
  );
  await page.last({ type: "aaep:agent.session.started", summary_normal: "Looks up ferries." });

  const outcome = daemon.agent.confirm({ session_id: SESSION, action: "Book it.", consequence: "It costs 12.50." });
  await page.last({ type: "aaep:agent.awaiting.confirmation", action: "Book it.", urgency: "critical" });
  const question = (await page.events()).at(-1);
  expect(await page.call("listPending")).toEqual([question]);
  const reply_token = String(question?.reply_token);
  expect(await page.call("reply", { reply_token, decision: "accept" })).toBe(true);
  expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
  expect(await page.call("reply", { reply_token, decision: "accept" })).toBe(true);
  await vi.waitFor(async () => expect(await page.told("notTaken")).toEqual([reply_token]), patience);

  expect(await page.call("renegotiate", { preferred_verbosity: "terse" })).toMatchObject([
    { honored_capabilities: { preferred_verbosity: "terse", coalesce_boundaries: ["none"] } },
  ]);
  await daemon.agent.publish(text("out_a", "Long "));
  await page.last({ chunk: "Long ", position: 0 });
  const long = (await page.events()).at(-1);
  expect(await page.call("repeat", -1)).toBe(true);
  await vi.waitFor(async () => {
    const again = (await page.events()).filter(({ event_id }) => event_id === long?.event_id);
    expect(again).toEqual([long, long]);
  }, patience);
  expect(await page.call("skip", -1)).toBe(true);
  // The answer to a later call: the skip has been carried out.
  await page.call("listPending");
  await daemon.agent.publish([text("out_a", "story.", true), text("out_b", "Next.", true)]);
  await page.last({ output_id: "out_b", chunk: "Next.", complete: true });
  expect((await page.events()).at(-2)).toMatchObject({ output_id: "out_a", chunk: "", complete: true });

  await page.call("close", "The page is done.");
  expect(await page.told("end")).toBe("over");
  expect(await daemon.subscriptionCount()).toBe(0);
});

it("R17: a page that is opened again goes on at the cursor of the one before", async () => {
  const daemon = await serveFor(origin);
  const terms = { coalesce_boundaries: ["none"] } satisfies Capabilities;
  const first = await listening(daemon, terms);
  await first.active();
  await daemon.agent.publish([event("session.started", { summary_normal: "Reads." }), text("out_1", "One ")]);
  await first.last({ chunk: "One " });
  const before = (await first.told("cursors")).length;
  await vi.waitFor(async () => expect((await first.told("cursors")).length).toBeGreaterThan(before), patience);
  const cursor = (await first.told("cursors")).at(-1) ?? "";
  await first.page.close();
  await daemon.agent.publish([text("out_1", "two.", true), event("session.completed", { summary_normal: "D." })]);
  const second = await listening(daemon, terms, { cursor });
  await second.last({ type: "aaep:agent.session.completed" });
  expect((await second.events()).map(({ chunk }) => chunk)).toEqual(["two.", undefined]);
});

it("R17: a page whose daemon is silent for too long comes back at its place", async () => {
  const daemon = await serveFor(origin, "--heartbeat-seconds", "1");
  const page = await listening(daemon, { coalesce_boundaries: ["none"] });
  await page.active();
  await daemon.agent.publish([event("session.started", { summary_normal: "Reads." }), text("out_1", "One ")]);
  await page.last({ chunk: "One " });
  daemon.freeze();
  await vi.waitFor(async () => expect(await page.told("states")).toContain("waiting"), patience);
  daemon.thaw();
  await daemon.agent.publish([text("out_1", "two.", true), event("session.completed", { summary_normal: "D." })]);
  await page.last({ type: "aaep:agent.session.completed" });
  const heard = (await page.events()).map(({ chunk }) => chunk ?? "");
  expect(heard.join("")).toBe("One two.");
});

it("AAEP §8.2.7: says why a token is refused, and waits where its origin was not named", async () => {
  const daemon = await serveFor(origin);
  const guessed = await listening(daemon, {}, {}, origin, "guessed");
  await vi.waitFor(async () => expect(await guessed.told("end")).toMatch(/^\[unauthenticated\] /), patience);
  const stranger = await listening(daemon, {}, {}, `http://127.0.0.1:${site.port}`);
  await vi.waitFor(async () => expect(await stranger.told("states")).toContain("waiting"), patience);
  expect(await stranger.told("end")).toBeUndefined();
  expect(await daemon.subscriptionCount()).toBe(0);
});
