// Writes an answer of the library to the response. The library's own writer waits for ever if the client leaves during a write.
import type { UniversalServerResponse } from "@connectrpc/connect/protocol";
import type { After } from "../framing/options.js";
import { endResponse } from "../http/answers.js";
import type { Exchange } from "../http/exchange.js";

/** Writes an answer as fast as the client takes it. Resolves when everything is handed over, or the client has gone. */
export async function respond(exchange: Exchange, answer: UniversalServerResponse, after: After): Promise<void> {
  const { response, signal } = exchange;
  const body = answer.body?.[Symbol.asyncIterator]();
  try {
    let chunk = await body?.next();
    if (signal.aborted || response.writableEnded) return;
    if (!response.headersSent) response.writeHead(answer.status, Object.fromEntries(answer.header ?? []));
    for (; chunk?.done === false; chunk = await body?.next()) {
      if (!response.write(chunk.value)) await drained(exchange);
      if (signal.aborted) return;
    }
    if (answer.trailer !== undefined) response.addTrailers(Object.fromEntries(answer.trailer));
    endResponse(exchange, after);
  } finally {
    void body?.return?.().catch(() => {});
  }
}

function drained({ response, signal }: Exchange): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    response.once("drain", done);
    signal.addEventListener("abort", done, { once: true });
  });
}
