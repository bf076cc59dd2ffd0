// The option `--endpoint`: where the tested side is, by one of the ways to a daemon.
import type { WayName } from "../../../transports/ways.js";
import { Fault } from "../../base/errors.js";

export type Endpoint =
  /** A Unix socket or a named pipe (AAEP §B.3, §B.4). */
  | { readonly kind: "ipc"; readonly path: string }
  /** A command whose standard input and output carry JSON-RPC (AAEP §B.6). The system's shell reads it. */
  | { readonly kind: "stdio"; readonly command: string }
  /** A gRPC target, `host:port` or `unix:/path` (AAEP §B.5). */
  | { readonly kind: "grpc"; readonly address: string; readonly isSecure: boolean }
  /** Connect over HTTP/2. `socketPath`: the server listens at a Unix socket. */
  | { readonly kind: "http"; readonly baseUrl: string; readonly socketPath: string | undefined }
  /** WebSocket (AAEP §B.2). */
  | { readonly kind: "websocket"; readonly url: string }
  /** Server-Sent Events, and requests (AAEP §B.1). */
  | { readonly kind: "sse"; readonly baseUrl: string };

/** How a person writes an endpoint of each way. */
const FORMS: Readonly<Record<WayName | "websocket" | "sse", string>> = {
  ipc: "unix:/path, pipe:name",
  stdio: "stdio:COMMAND",
  grpc: "grpc://host:port, grpcs://host:port",
  http: "http://host:port, https://host:port",
  websocket: "ws://host:port, wss://host:port",
  sse: "sse:http://host:port or sse:https://host:port",
};

/** Reads an endpoint. Throws a Fault "usage" for a text that is none, and for a named pipe where the platform has none. */
export function readEndpoint(text: string, platform: NodeJS.Platform = process.platform): Endpoint {
  const [, scheme = "", rest = ""] = /^([a-z]+):(?:\/\/)?(.*)$/s.exec(text) ?? [];
  if (rest !== "") {
    switch (scheme) {
      case "unix":
        // Of `unix:///run/a.sock` the third slash begins the path.
        return { kind: "ipc", path: rest };
      case "pipe":
        if (platform !== "win32")
          throw new Fault(
            "usage",
            `${JSON.stringify(text)} is a named pipe of Windows. Give a Unix socket here: unix:/path.`,
            {
              origin: "local",
            },
          );
        return { kind: "ipc", path: rest.startsWith("\\\\") ? rest : `\\\\.\\pipe\\${rest}` };
      case "stdio":
        return { kind: "stdio", command: rest };
      case "grpc":
      case "grpcs":
        return { kind: "grpc", address: rest, isSecure: scheme === "grpcs" };
      case "http":
      case "https":
        return connectEndpoint(text, rest);
      case "ws":
      case "wss":
        if (URL.canParse(text)) return webSocketEndpoint(new URL(text));
        break;
      case "sse":
        if (/^https?:/.test(rest) && URL.canParse(rest)) return { kind: "sse", baseUrl: new URL(rest).origin };
    }
  }
  const forms = Object.values(FORMS).join(", ");
  throw new Fault("usage", `${JSON.stringify(text)} is no endpoint. Give one such as ${forms}.`, { origin: "local" });
}

function connectEndpoint(text: string, rest: string): Endpoint {
  if (rest.startsWith("unix:"))
    return { kind: "http", baseUrl: "http://localhost", socketPath: rest.slice("unix:".length) };
  return { kind: "http", baseUrl: text.endsWith("/") ? text.slice(0, -1) : text, socketPath: undefined };
}

/** An address without a path is that of the daemon, whose path AAEP names. */
function webSocketEndpoint(url: URL): Endpoint {
  if (url.pathname === "/") url.pathname = "/aaep/v1/ws";
  return { kind: "websocket", url: url.href };
}

/** The endpoint as the option gives it. */
export function endpointText(endpoint: Endpoint): string {
  switch (endpoint.kind) {
    case "ipc":
      return endpoint.path.startsWith("\\\\") ? `pipe:${endpoint.path}` : `unix:${endpoint.path}`;
    case "stdio":
      return `stdio:${endpoint.command}`;
    case "grpc":
      return `${endpoint.isSecure ? "grpcs" : "grpc"}://${endpoint.address}`;
    case "http":
      return endpoint.socketPath === undefined ? endpoint.baseUrl : `http://unix:${endpoint.socketPath}`;
    case "websocket":
      return endpoint.url;
    case "sse":
      return `sse:${endpoint.baseUrl}`;
  }
}
