import { isLoopback } from "../../../transports/service-calls/loopback.js";

/**
 * The base address of a producer, without a slash at its end; undefined if it is none. An address of another machine is https, unless
 * `isPlainAllowed`.
 */
export function relayAddress(text: string, isPlainAllowed: boolean): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && (isPlainAllowed || isLoopback(host)));
  const isPlace = url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!isSafe || !isPlace) return undefined;
  let base = url.href;
  while (base.endsWith("/")) base = base.slice(0, -1);
  return base;
}

/** The address by which a producer is relayed once. `localhost` is 127.0.0.1; other loopback addresses may be other producers. */
export function producerAddress(base: string): string {
  const url = new URL(base);
  if (url.hostname === "localhost") url.hostname = "127.0.0.1";
  return url.href;
}
