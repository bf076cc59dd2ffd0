// Links over Connect: the service of AAEP §B.5 over HTTP/2.
import { connect } from "node:net";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { type AaepMessage, AaepService } from "#gen/aaep/v1/aaep_service_pb.js";
import { callLink } from "./call-link.js";
import type { Link, Links } from "./link.js";
import { createSentMessages } from "./sent-messages.js";

export interface ConnectTarget {
  readonly baseUrl: string;
  readonly socketPath: string | undefined;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
}

export function connectLinks({ baseUrl, socketPath, token }: ConnectTarget): Links {
  const ends = new Set<() => void>();
  const open = async (): Promise<Link> => {
    // A transport for each link is a connection for each link, so that one can vanish alone.
    const transport = createConnectTransport({
      baseUrl,
      httpVersion: "2",
      ...(socketPath === undefined ? {} : { nodeOptions: { createConnection: () => connect({ path: socketPath }) } }),
    });
    const sent = createSentMessages<AaepMessage>();
    const abort = new AbortController();
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    ends.add(() => abort.abort());
    return callLink({
      write: sent.push,
      responses: createClient(AaepService, transport).subscribe(sent.messages, { headers, signal: abort.signal }),
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
    stop: async () => {
      for (const end of ends) end();
    },
  };
}
