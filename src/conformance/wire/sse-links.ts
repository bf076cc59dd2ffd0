// Links over Server-Sent Events (AAEP §B.1): a request opens a subscription, whose events come on a stream of their own, and every later message is a
// request again.
import { createParser } from "eventsource-parser";
import { endpointText } from "./endpoint.js";
import { bearerOf, noConnection, tokenRefused } from "./endpoint-faults.js";
import type { Link, Links } from "./link.js";
import { createSentMessages } from "./sent-messages.js";

export function sseLinks(baseUrl: string, token: string | undefined): Links {
  const endpoint = endpointText({ kind: "sse", baseUrl });
  const ends = new Set<() => void>();
  const fetched = async (path: string, init: RequestInit): Promise<Response> => {
    let answer: Response;
    const url = new URL(path, baseUrl);
    // A producer may name a place elsewhere. The token is for this one.
    const own = url.origin === new URL(baseUrl).origin ? bearerOf(token) : {};
    try {
      answer = await fetch(url, { ...init, headers: { ...own, ...init.headers } });
    } catch (caught) {
      if (init.signal?.aborted) throw caught;
      throw noConnection(endpoint, caught);
    }
    if (answer.status === 401) throw tokenRefused(endpoint);
    return answer;
  };
  const post = (path: string, body: string): Promise<Response> =>
    fetched(path, { method: "POST", headers: { "content-type": "application/json" }, body });

  const open = async (): Promise<Link> => {
    const incoming = createSentMessages<string>();
    const leaving = new AbortController();
    let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
    const end = (): void => {
      leaving.abort();
      // Node's fetch holds its signal weakly once the answer has begun.
      reader?.cancel().catch(() => {});
      incoming.end();
    };
    ends.add(end);
    let isSubscribed = false;
    const listen = async (path: string): Promise<void> => {
      const { body } = await fetched(path, { headers: { accept: "text/event-stream" }, signal: leaving.signal });
      const parser = createParser({ onEvent: ({ data }) => incoming.push(data) });
      const decoder = new TextDecoder();
      reader = body?.getReader();
      for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read())
        parser.feed(decoder.decode(part.value, { stream: true }));
      end();
    };
    const say = async (text: string): Promise<void> => {
      const answer = await post(isSubscribed ? "/aaep/v1/replies" : "/aaep/v1/subscriptions", text);
      const said = await answer.text();
      const place = answer.headers.get("location");
      if (said !== "") incoming.push(said);
      if (isSubscribed || answer.status !== 201 || place === null) return;
      isSubscribed = true;
      listen(place).catch(end);
    };
    // One after another, since each is a request of its own.
    let sending = Promise.resolve();
    return {
      send: (text) => {
        sending = sending.then(() => say(text)).catch(end);
      },
      incoming: incoming.messages,
      close: async () => {
        await sending;
        end();
      },
      vanish: async () => end(),
    };
  };
  return {
    open,
    stop: async () => {
      for (const end of ends) end();
    },
  };
}
