// Links over Connect: the service of AAEP §B.5 over HTTP/2.
import { connect } from "node:net";
import { type Client, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { type AaepMessage, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { callLink } from "./call-link.js";
import type { Link, Links } from "./link.js";
import { createSentMessages } from "./sent-messages.js";
import { manifestText } from "./service-messages.js";

export interface ConnectTarget {
  readonly baseUrl: string;
  readonly socketPath: string | undefined;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
}

export function connectLinks({ baseUrl, socketPath, token }: ConnectTarget): Links {
  const ends = new Set<() => void>();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  // A transport for each link is a connection for each link, so that one can vanish alone.
  const client = (): Client<typeof AaepService> =>
    createClient(
      AaepService,
      createConnectTransport({
        baseUrl,
        httpVersion: "2",
        ...(socketPath === undefined ? {} : { nodeOptions: { createConnection: () => connect({ path: socketPath }) } }),
      }),
    );
  const open = async (): Promise<Link> => {
    const sent = createSentMessages<AaepMessage>();
    const abort = new AbortController();
    ends.add(() => abort.abort());
    return callLink({
      write: sent.push,
      responses: client().subscribe(sent.messages, { headers, signal: abort.signal }),
      end: sent.end,
      cancel: () => {
        sent.end();
        abort.abort();
      },
    });
  };
  return {
    isShared: false,
    open,
    manifest: async () => manifestText(await client().getManifest({}, { headers, timeoutMs: ANSWER_MS })),
    stop: async () => {
      for (const end of ends) end();
    },
  };
}

/** How long the server has to answer a call, ms. */
const ANSWER_MS = 5000;
