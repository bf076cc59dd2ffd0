// The option `--endpoint`: where the tested side is, by one of the ways to a daemon.
import { usage } from "../../base/errors.js";

export type Endpoint =
  /** A Unix socket or a named pipe (AAEP §B.3, §B.4). */
  | { readonly kind: "ipc"; readonly path: string }
  /** A command whose standard input and output carry JSON-RPC (AAEP §B.6). The system's shell reads it. */
  | { readonly kind: "stdio"; readonly command: string }
  | ServiceEndpoint
  /** WebSocket (AAEP §B.2). */
  | { readonly kind: "websocket"; readonly url: string }
  /** Server-Sent Events, and requests (AAEP §B.1). */
  | { readonly kind: "sse"; readonly baseUrl: string };

/** The service of AAEP §B.5, by gRPC or by Connect over HTTP/2. */
export interface ServiceEndpoint {
  readonly kind: "service";
  readonly protocol: "grpc" | "connect";
  /** The address as HTTP has it. */
  readonly baseUrl: string;
  /** The server listens at a Unix socket. */
  readonly socketPath: string | undefined;
}

/** How a person writes endpoints. */
const FORMS =
  "unix:/path, pipe:name, stdio:COMMAND, grpc://host:port, grpcs://host:port, http://host:port, https://host:port, ws://host:port, wss://host:port, sse:http://host:port or sse:https://host:port";

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
          throw usage(`${JSON.stringify(text)} is a named pipe of Windows. Give a Unix socket here: unix:/path.`);
        return { kind: "ipc", path: rest.startsWith("\\\\") ? rest : `\\\\.\\pipe\\${rest}` };
      case "stdio":
        return { kind: "stdio", command: rest };
      case "grpc":
      case "grpcs":
      case "http":
      case "https": {
        const service = serviceEndpoint(scheme, rest);
        if (URL.canParse(service.baseUrl)) return service;
        break;
      }
      case "ws":
      case "wss":
        if (URL.canParse(text)) return webSocketEndpoint(new URL(text));
        break;
      case "sse":
        if (/^https?:/.test(rest) && URL.canParse(rest)) return { kind: "sse", baseUrl: new URL(rest).origin };
    }
  }
  throw usage(`${JSON.stringify(text)} is no endpoint. Give one such as ${FORMS}.`);
}

function serviceEndpoint(scheme: string, rest: string): ServiceEndpoint {
  const protocol = scheme.startsWith("grpc") ? "grpc" : "connect";
  if (rest.startsWith("unix:"))
    return { kind: "service", protocol, baseUrl: "http://localhost", socketPath: rest.slice("unix:".length) };
  const baseUrl = `${scheme.replace("grpc", "http")}://${rest.endsWith("/") ? rest.slice(0, -1) : rest}`;
  return { kind: "service", protocol, baseUrl, socketPath: undefined };
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
    case "service": {
      const { protocol, baseUrl, socketPath } = endpoint;
      const url = socketPath === undefined ? baseUrl : `http://unix:${socketPath}`;
      return protocol === "grpc" ? url.replace("http", "grpc") : url;
    }
    case "websocket":
      return endpoint.url;
    case "sse":
      return `sse:${endpoint.baseUrl}`;
  }
}
