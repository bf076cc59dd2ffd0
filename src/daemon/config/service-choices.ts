// Parses the addresses of services: `auto`, `off`, or a list.
import { isLoopback } from "../../../transports/service-calls/loopback.js";
import { SERVICE_NAMES, type ServiceName } from "../../../transports/ways.js";
import { relayAddress } from "../../adapters/relay/relay-address.js";
import type { ServiceAddress } from "../../contracts/transport.js";
import { given, readPath, refused, textValue, type ValueType, wordOrPath } from "./config-values.js";

/** The addresses where services listen. */
export type ServiceChoice =
  /** A Unix socket in the runtime folder. */
  | { readonly kind: "auto" }
  | { readonly kind: "off" }
  | { readonly kind: "addresses"; readonly addresses: readonly ServiceAddress[] };

const WANTED_HERE =
  "addresses of this machine, with 127.0.0.1, [::1] or localhost as the host: what leaves the machine must be encrypted, and cannot be yet (AAEP §8.2.8)";
const WANTED =
  "auto, off, or addresses with commas between them, each unix:PATH without variables, or HOST:PORT as in 127.0.0.1:50051 with a port up to 65535";
/** Most addresses of one option; more are a mistake in a file. */
const MOST_ADDRESSES = 8;
const HIGHEST_PORT = 65_535;

export const serviceChoice = textValue<ServiceChoice>({
  placeholder: "ADDRESS|auto|off",
  range: "auto, off, unix:PATH, HOST:PORT, several with commas between them",
  read: (text) => {
    if (text === "auto" || text === "off") return given({ kind: text });
    const parts = text.split(",");
    const addresses = parts.flatMap((part) => addressOf(part.trim()) ?? []);
    if (addresses.length < parts.length || addresses.length > MOST_ADDRESSES) return refused(WANTED);
    const isHere = addresses.every((address) => address.kind === "unix" || isLoopback(address.host));
    return isHere ? given({ kind: "addresses", addresses }) : refused(WANTED_HERE);
  },
  toText: (value) => (value.kind === "addresses" ? value.addresses.map(addressText).join(",") : value.kind),
});

function addressOf(text: string): ServiceAddress | undefined {
  if (text.startsWith("unix:")) {
    // gRPC clients write three slashes before an absolute path.
    const path = text.slice("unix:".length).replace(/^\/\/(?=\/)/, "");
    const read = readPath(path, WANTED);
    return read.kind === "refused" ? undefined : { kind: "unix", path: read.value };
  }
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]]+)\]|([^:[\]/\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  return host === undefined || port > HIGHEST_PORT ? undefined : { kind: "tcp", host, port };
}

/** The addresses that a configuration names for services. */
export function serviceAddresses(
  configuration: Readonly<Record<ServiceName, ServiceChoice>>,
): readonly ServiceAddress[] {
  return SERVICE_NAMES.flatMap((name) => {
    const choice = configuration[name];
    return choice.kind === "addresses" ? choice.addresses : [];
  });
}

/** An address in the spelling of options: "unix:/run/x", "127.0.0.1:50051", "[::1]:50051". */
export function addressText(address: ServiceAddress): string {
  if (address.kind === "unix") return `unix:${address.path}`;
  return `${address.host.includes(":") ? `[${address.host}]` : address.host}:${address.port}`;
}

export const tokenFileChoice = wordOrPath("FILE", "path", ["auto"], "path");

/** "none", or values with commas between them. `read` gives undefined for what is none. */
function listChoice(
  placeholder: string,
  range: string,
  wanted: string,
  most: number,
  read: (text: string) => string | undefined,
): ValueType<readonly string[]> {
  return textValue<readonly string[]>({
    placeholder: `${placeholder}|none`,
    range: `none, or ${range}`,
    read: (text) => {
      const values = text === "none" ? [] : text.split(",").map((part) => read(part.trim()));
      const isAll = values.length <= most && values.every((value) => value !== undefined);
      return isAll ? given(values) : refused(`none, or ${wanted}`);
    },
    toText: (values) => (values.length === 0 ? "none" : values.join(",")),
  });
}

/** Origins of pages that may use the services from a browser. */
export const originChoice = listChoice(
  "ORIGIN",
  "origins with commas between them, as in https://reader.example",
  "origins as a browser sends them, such as https://reader.example or http://localhost:5173",
  Number.POSITIVE_INFINITY,
  (text) => (URL.canParse(text) && new URL(text).origin === text ? text : undefined),
);

/** Base addresses of producers elsewhere (R38). */
export const relayChoice = listChoice(
  "URL",
  "base addresses with commas between them, as in http://localhost:8080",
  `at most ${MOST_ADDRESSES} base addresses of producers, such as http://localhost:8080 or https://agents.example/library`,
  MOST_ADDRESSES,
  (text) => relayAddress(text, true),
);
