// Requests to a producer elsewhere, by Node's own HTTP: it follows no redirect, decodes nothing, and bounds the heads of answers.
import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { Fault } from "../../base/errors.js";

export interface Asked {
  readonly headers: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** Resolves with the head of the answer. Rejects with a Fault "peer_gone" that says why the producer is not reached. */
export function askProducer(url: string, { headers, body, signal }: Asked): Promise<IncomingMessage> {
  const request = url.startsWith("https:") ? overHttps : overHttp;
  return new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const asked = request(url, { method, headers, signal, agent: false }, resolve);
    // It may also break off behind its answer, whose reader hears that.
    asked.on("error", (error) => reject(unreachable(error)));
    // As of an answer in another protocol.
    asked.on("close", () =>
      reject(new Fault("peer_gone", "The producer has closed the connection without an answer.")),
    );
    asked.end(body);
  });
}

/** The fault of a connection that broke. */
export function unreachable(error: Error): Fault {
  return new Fault("peer_gone", `The producer is not reached: ${error.message}`, { cause: error });
}
