import type { ServerHttp2Session } from "node:http2";
import type { ResolvedHttpOptions } from "./options.js";

/** Pings a session repeatedly, and calls `onDead` once if an answer is missing. Returns a function that stops the pings. */
export function keepAlive(
  session: ServerHttp2Session,
  { after, pingIntervalMs, pingTimeoutMs }: Pick<ResolvedHttpOptions, "after" | "pingIntervalMs" | "pingTimeoutMs">,
  onDead: () => void,
): () => void {
  let cancel = after(pingIntervalMs, ask);
  let isStopped = false;
  function ask(): void {
    cancel = after(pingTimeoutMs, onDead);
    session.ping((error) => {
      if (isStopped || error !== null) return;
      cancel();
      cancel = after(pingIntervalMs, ask);
    });
  }
  return () => {
    isStopped = true;
    cancel();
  };
}
