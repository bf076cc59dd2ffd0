// The page of docs/services.md as it stands there, in Chromium.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { ensureBuilt } from "../support/built.js";
import { docBlock, docPage, projectOf } from "../support/doc-blocks.js";
import { startChromium } from "./browser/chromium.js";
import { bundleScripts, serveSite } from "./browser/site.js";
import { type Served, serveFor } from "./browser/stage.js";

const GUIDE = docPage("services.md");
const SESSION = "sess_guide1";

beforeAll(ensureBuilt, 120_000);

/** The page, opened by somebody who gives it this token; without one the daemon's. */
async function openPage(token?: string): Promise<{ readonly daemon: Served; readonly page: Page }> {
  const scripts = await bundleScripts({ listener: join(projectOf(GUIDE, "js", "listener.js"), "listener.js") });
  let body = "";
  const site = await serveSite(scripts, () => body);
  onTestFinished(site.close);
  const origin = `http://localhost:${site.port}`;
  const daemon = await serveFor(origin);
  body = docBlock(GUIDE, "html", "index.html").replace("127.0.0.1:8700", daemon.address);
  expect(body).toContain(daemon.address);
  const browser = await startChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  page.on("dialog", (dialog) => void dialog.accept(token ?? daemon.token));
  await page.goto(origin);
  return { daemon, page };
}

it("shows what an agent writes, asks, and tells the agent what the person decided", async () => {
  const { daemon, page } = await openPage();
  await vi.waitFor(async () => expect(await daemon.subscriptionCount()).toBe(1), { timeout: 60_000, interval: 50 });

  const event = (type: string, members: Readonly<Record<string, unknown>>) => ({
    ...members,
    type: `aaep:agent.${type}`,
    session_id: SESSION,
  });
  await daemon.agent.publish(event("session.started", { summary_normal: "Looks up ferries." }));
  for (const chunk of ["One leaves ", "at 2 p.m. ", "Bicycles are ", "free. ", "Shall I?"])
    await daemon.agent.publish(
      event("output.streaming", { output_id: "out_1", chunk, complete: chunk === "Shall I?" }),
    );
  const shown = page.locator("#heard p");
  await shown.filter({ hasText: "Looks up ferries." }).waitFor();
  // Sentences that are ready together come as one piece at this pace.
  await vi.waitFor(
    async () => expect((await shown.allTextContents()).join("")).toContain("at 2 p.m. Bicycles are free. Shall I?"),
    { timeout: 60_000, interval: 50 },
  );

  const outcome = daemon.agent.confirm({
    session_id: SESSION,
    action: "Book the ferry at 2 p.m.",
    consequence: "12.50 dollars are paid.",
  });
  await shown.filter({ hasText: "Book the ferry at 2 p.m. 12.50 dollars are paid." }).first().waitFor();
  await page.getByRole("button", { name: "Accept" }).click();
  expect(await outcome).toMatchObject({ decision: "accept", resolved_by: "reply" });
  await shown.filter({ hasText: "Accepted. The question was: Book the ferry at 2 p.m." }).waitFor();
  // The buttons stay and keep the focus, and say no more.
  await page.getByRole("button", { name: "Reject" }).click();
  expect(await shown.filter({ hasText: "paid. Rejected." }).count()).toBe(0);
  expect(await shown.filter({ hasText: "paid. Accepted." }).count()).toBe(1);
});

it("says why it hears nothing, where the token is wrong", async () => {
  const { daemon, page } = await openPage("guessed");
  await page.locator("#heard p", { hasText: "This is not the token of this daemon" }).waitFor();
  expect(await daemon.subscriptionCount()).toBe(0);
});
