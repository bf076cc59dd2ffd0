// AAEP's published React component, from npm, unchanged, in Chromium. Its page is of another origin than the daemon. Beside it, a page's own EventSource.
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";
import { openAgent } from "../../../src/client/node.js";
import { runCommandLine, serve } from "../../cli/command-stage.js";
import { shared, whenFinished } from "../../support/lifetime.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { installed } from "../agents/installed.js";
import { startChromium } from "../browser/chromium.js";
import { bundleScripts, type Site, serveSite } from "../browser/site.js";

const TEN_MINUTES = 600_000;
const COMPONENT = "@aaep/web-subscriber-react";

/** The address of the producer stands behind the page's `#`. */
const PAGE = `
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { AAEPSubscriber } from "./node_modules/${COMPONENT}/dist/index.js";
const endpoint = location.hash.slice(1);
createRoot(document.querySelector("main")).render(createElement(AAEPSubscriber, { endpoint }));
`;

const chromium = shared(async (): Promise<Browser> => {
  const browser = await startChromium();
  whenFinished(() => browser.close());
  return browser;
});

const published = shared(async (): Promise<Site> => {
  const folder = dirname(await installed(`${COMPONENT}@1.0.1`, "react@19.2.0", "react-dom@19.2.0"));
  writeFileSync(join(folder, "page.mjs"), PAGE);
  const scripts = await bundleScripts({ page: join(folder, "page.mjs") });
  const environment = '<script>globalThis.process = { env: { NODE_ENV: "production" } }</script>';
  const page = `${environment}<main></main><script type="module" src="/page.js"></script>`;
  const site = await serveSite(scripts, () => page);
  whenFinished(() => site.close());
  return site;
});

/** A daemon with an address for pages of the site, an agent, and a page. */
async function stage(hash: boolean) {
  const [browser, site] = await Promise.all([chromium(), published()]);
  const origin = `http://localhost:${site.port}`;
  const daemon = await serve(temporaryDirectory(), "--http", "127.0.0.1:0", "--cors-origins", origin);
  const made = await runCommandLine(["address", "create", "page", "--confirmations"], daemon.environment);
  const address = made.stdout.trim();
  const agent = await openAgent({ id: "planner", socket: daemon.socketPath });
  onTestFinished(() => agent.close());
  const page: Page = await browser.newPage();
  onTestFinished(() => page.close());
  await page.goto(hash ? `${origin}/#${address}` : origin);
  const listens = (): Promise<void> =>
    expect
      .poll(async () => (await runCommandLine(["status"], daemon.environment)).stdout)
      .toContain("Subscriptions: 1");
  return { address, agent, page, listens };
}

it(
  "the published React component tells a session in its live regions, and answers its question",
  async () => {
    const { agent, page, listens } = await stage(true);
    await listens();
    const session = agent.session("Cleans up.");
    await expect.poll(() => page.textContent("#aaep-polite-region")).toContain("Cleans up.");
    const asked = session.confirm({ action: "Delete a.txt", consequence: "It is gone." });
    await expect.poll(() => page.textContent("#aaep-assertive-region")).toContain("Delete a.txt");
    // React hears keys a moment after its region has the text.
    await expect
      .poll(async () => {
        await page.keyboard.press("a");
        return page.textContent("#aaep-assertive-region");
      })
      .toContain("Accepted.");
    expect(await asked).toMatchObject({ decision: "accept" });
  },
  TEN_MINUTES,
);

it(
  "an EventSource with credentials, as in AAEP's appendix B, hears events and keeps the place of each",
  async () => {
    const { address, agent, page, listens } = await stage(false);
    const heard = page.evaluate(
      (url) =>
        new Promise<{ readonly data: string; readonly lastEventId: string }>((resolve) => {
          const events = new EventSource(url, { withCredentials: true });
          events.onmessage = ({ data, lastEventId }) => resolve({ data, lastEventId });
        }),
      `${address}/events`,
    );
    await listens();
    agent.session("Cleans up.");
    const { data, lastEventId } = await heard;
    expect(JSON.parse(data)).toMatchObject({ type: "aaep:agent.session.started" });
    expect(lastEventId).toMatch(/^c1\.\w+\.\d+$/);
  },
  TEN_MINUTES,
);
