// The browser of the machine, without a window.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
// What it asks of its maker at each start is of no use here, and fails where there is no way out.
const ARGUMENTS = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"];

/** Starts it. Rejects with what to do where there is none. */
export async function startChromium(...more: readonly string[]): Promise<Browser> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined)
    throw new Error("Chromium is not on this machine. Install it, on Debian with: apt-get install chromium");
  return chromium.launch({ executablePath: found, headless: true, args: [...ARGUMENTS, ...more] });
}
