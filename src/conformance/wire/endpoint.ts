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
  | { readonly kind: "http"; readonly baseUrl: string; readonly socketPath: string | undefined };

/** How a person writes an endpoint of each way. */
const FORMS: Readonly<Record<WayName, string>> = {
  ipc: "unix:/path, pipe:name",
  stdio: "stdio:COMMAND",
  grpc: "grpc://host:port, grpcs://host:port",
  http: "http://host:port or https://host:port",
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
  }
}
