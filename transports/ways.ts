// Every way to a daemon, once. Code that treats the ways alike reads this list. A fact that one place alone needs stands there, in a table of all
// `WayName`s or `ServiceName`s.
import { PACKAGE_GROUPS, type PackageGroupName } from "./optional-packages.js";

interface Way {
  /** The option that opens the way. Undefined: the command `stdio` opens it. */
  readonly option: "socket" | "grpc" | "http" | undefined;
  /** The end of the names of its sockets in the runtime folder. Undefined: it has none. */
  readonly ending: string | undefined;
  /** Its names in `transports_supported` of a manifest (AAEP §5.10). */
  readonly transports: readonly string[];
  /** Its name for people. */
  readonly label: string;
}

export const WAYS = {
  ipc: {
    option: "socket",
    ending: ".sock",
    transports: [process.platform === "win32" ? "named-pipe" : "unix-socket"],
    label: "its socket",
  },
  stdio: { option: undefined, ending: undefined, transports: ["stdio-jsonrpc"], label: "its standard streams" },
  grpc: { option: "grpc", ending: ".grpc", transports: ["grpc"], label: "gRPC" },
  http: { option: "http", ending: ".http", transports: ["connect", "sse", "websocket"], label: "HTTP" },
} as const satisfies Readonly<Record<string, Way>>;

export type WayName = keyof typeof WAYS;
export const WAY_NAMES = Object.keys(WAYS) as readonly WayName[];

/** A way for calls, at any number of addresses. Its option and its group of packages have its name. */
export type ServiceName = Extract<WayName, PackageGroupName>;
export const SERVICE_NAMES: readonly ServiceName[] = WAY_NAMES.filter(
  (name) => name in PACKAGE_GROUPS,
) as ServiceName[];

/** Whether a configuration opens a way. */
export function isOpen(
  name: WayName,
  configuration: Readonly<Record<NonNullable<Way["option"]>, { readonly kind: string }>>,
): boolean {
  const { option } = WAYS[name];
  return option !== undefined && configuration[option].kind !== "off";
}
