// The option `--endpoint`: where the tested side is.
import { Fault } from "../../base/errors.js";

export type Endpoint =
  /** A Unix socket or a named pipe (AAEP §B.3, §B.4). */
  | { readonly kind: "socket"; readonly path: string }
  /** A command whose standard input and output carry JSON-RPC (AAEP §B.6). The system's shell reads it. */
  | { readonly kind: "child"; readonly command: string }
  /** A gRPC target, `host:port` or `unix:/path` (AAEP §B.5). */
  | { readonly kind: "grpc"; readonly address: string; readonly isSecure: boolean }
  /** Connect over HTTP/2. `socketPath`: the server listens at a Unix socket. */
  | { readonly kind: "connect"; readonly baseUrl: string; readonly socketPath: string | undefined };

const FORMS =
  "unix:/path, pipe:name, stdio:COMMAND, grpc://host:port, grpcs://host:port, http://host:port or https://host:port";

/** Reads an endpoint. Throws a Fault "usage" for a text that is none, and for a named pipe where the platform has none. */
export function readEndpoint(text: string, platform: NodeJS.Platform = process.platform): Endpoint {
  const [, scheme = "", rest = ""] = /^([a-z]+):(?:\/\/)?(.*)$/s.exec(text) ?? [];
  if (rest !== "") {
    switch (scheme) {
      case "unix":
        // Of `unix:///run/a.sock` the third slash begins the path.
        return { kind: "socket", path: rest };
      case "pipe":
        if (platform !== "win32")
          throw new Fault(
            "usage",
            `${JSON.stringify(text)} is a named pipe of Windows. Give a Unix socket here: unix:/path.`,
            {
              origin: "local",
            },
          );
        return { kind: "socket", path: rest.startsWith("\\\\") ? rest : `\\\\.\\pipe\\${rest}` };
      case "stdio":
        return { kind: "child", command: rest };
      case "grpc":
      case "grpcs":
        return { kind: "grpc", address: rest, isSecure: scheme === "grpcs" };
      case "http":
      case "https":
        return connectEndpoint(text, rest);
    }
  }
  throw new Fault("usage", `${JSON.stringify(text)} is no endpoint. Give one such as ${FORMS}.`, { origin: "local" });
}

function connectEndpoint(text: string, rest: string): Endpoint {
  if (rest.startsWith("unix:"))
    return { kind: "connect", baseUrl: "http://localhost", socketPath: rest.slice("unix:".length) };
  return { kind: "connect", baseUrl: text.endsWith("/") ? text.slice(0, -1) : text, socketPath: undefined };
}

/** The endpoint as the option gives it. */
export function endpointText(endpoint: Endpoint): string {
  switch (endpoint.kind) {
    case "socket":
      return endpoint.path.startsWith("\\\\") ? `pipe:${endpoint.path}` : `unix:${endpoint.path}`;
    case "child":
      return `stdio:${endpoint.command}`;
    case "grpc":
      return `${endpoint.isSecure ? "grpcs" : "grpc"}://${endpoint.address}`;
    case "connect":
      return endpoint.socketPath === undefined ? endpoint.baseUrl : `http://unix:${endpoint.socketPath}`;
  }
}
