import { expect, onTestFinished, vi } from "vitest";

const WATCHED = new Set([
  "PipeWrap",
  "PipeServerWrap",
  "TCPSocketWrap",
  "TCPServerWrap",
  "ProcessWrap",
  "PipeConnectWrap",
]);

function openHandles(): readonly string[] {
  return process.getActiveResourcesInfo().filter((name) => WATCHED.has(name));
}

/** Fails the test that asked for it where it leaves a socket, a listener or a child process open. To be called first. */
export function expectNothingLeftOpen(): void {
  const before = openHandles().length;
  onTestFinished(async () => {
    await vi.waitFor(() => expect(openHandles().length).toBeLessThanOrEqual(before), { timeout: 60_000, interval: 5 });
  });
}
