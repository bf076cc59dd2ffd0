// Changes the file of the addresses, which a running daemon reads again by itself.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { nodeErrorCode } from "../../../transports/node-errors.js";
import { Fault, usage } from "../../base/errors.js";
import { addressesPath } from "../../daemon/addresses/open-addresses.js";
import { resolveConfiguration } from "../../daemon/config/config-sources.js";
import { writeWhole } from "../../daemon/platform/whole-file.js";
import { digestOf, type ListenerAddress, readAddresses } from "../../security/listener-addresses.js";
import { type CapabilityOptions, capabilitiesFromOptions } from "../shell/capability-options.js";
import { listeningDaemons } from "../shell/find-socket.js";
import { EXIT, runCommand } from "../shell/run-command.js";
import { askStatus } from "../status/ask-status.js";
import type { CommandIo } from "../terminal/command-io.js";
import { shownText } from "../terminal/shown-text.js";

export interface AddressOptions extends CapabilityOptions {
  readonly userInput?: true;
  readonly producerId?: string;
}

/** 256 bits: it stands for a token. */
const SECRET_BYTES = 32;
const NAME = /^[\w][\w.-]{0,63}$/;
const MOST_ADDRESSES = 256;

export function runCreate(name: string, options: AddressOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async () => {
    const producerId = producerIdOf(options, io);
    const path = addressesPath(io.environment, producerId);
    const known = readAddresses(path, process.getuid?.());
    if (!NAME.test(name)) throw usage("Give a name of letters, digits, dots and dashes, at most 64 of them.");
    if (known.some((one) => one.name === name)) {
      throw usage(`There is an address ${name} already. Revoke it first: aaepd address revoke ${name}`);
    }
    if (known.length >= MOST_ADDRESSES) throw usage(`There are ${MOST_ADDRESSES} addresses. Revoke one first.`);
    const secret = `listen-${randomBytes(SECRET_BYTES).toString("base64url")}`;
    const made: ListenerAddress = {
      name,
      secret_sha256: digestOf(secret),
      created_at: new Date(io.clock.wallTime()).toISOString(),
      capabilities: capabilitiesFromOptions(options),
      user_input: options.userInput === true,
    };
    write(path, [...known, made]);
    const bases = await httpBases(producerId, io);
    for (const base of bases) io.stdout.write(`${base}/${secret}\n`);
    if (bases.length === 0) {
      io.stdout.write(`http://HOST:PORT/${secret}\n`);
      io.stderr.write(`No daemon of that name listens over HTTP now. Start it: aaepd serve --http 127.0.0.1:PORT\n`);
    }
    return EXIT.ok;
  });
}

export function runList(options: AddressOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async () => {
    const known = readAddresses(addressesPath(io.environment, producerIdOf(options, io)), process.getuid?.());
    for (const { name, created_at: at, capabilities, user_input: speaks } of known) {
      const rights = [
        capabilities.supports_confirmation_reply === true ? "confirms" : "",
        capabilities.supports_clarification_reply === true ? "clarifies" : "",
        speaks ? "speaks to an agent" : "",
      ].filter(Boolean);
      io.stdout.write(`${shownText(name)}: made ${shownText(at)}; ${["listens", ...rights].join(", ")}\n`);
    }
    if (known.length === 0) io.stdout.write("There are no addresses. Make one: aaepd address create NAME\n");
    return EXIT.ok;
  });
}

export function runRevoke(name: string, options: AddressOptions, io: CommandIo): Promise<void> {
  return runCommand(io, async () => {
    const path = addressesPath(io.environment, producerIdOf(options, io));
    const known = readAddresses(path, process.getuid?.());
    const left = known.filter((one) => one.name !== name);
    if (left.length === known.length) throw usage(`There is no address ${name}. See: aaepd address list`);
    write(path, left);
    io.stdout.write(`Revoked ${name}.\n`);
    return EXIT.ok;
  });
}

function write(path: string, addresses: readonly ListenerAddress[]): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeWhole(path, `${JSON.stringify({ addresses }, null, 2)}\n`);
  } catch (caught) {
    const sentence = `The addresses cannot be written to ${path} (${nodeErrorCode(caught)}).`;
    throw new Fault("storage_unavailable", sentence, { origin: "local", cause: caught });
  }
}

/** The addresses over TCP of the running daemon of that name. */
async function httpBases(producerId: string, io: CommandIo): Promise<readonly string[]> {
  const found = await listeningDaemons(io.daemonDirectories);
  const asked = await Promise.allSettled(found.map((one) => askStatus(one.socketPath, io)));
  return asked
    .flatMap((one) => (one.status === "fulfilled" && one.value.producer_id === producerId ? [one.value] : []))
    .flatMap(({ endpoints }) => endpoints.http ?? [])
    .filter((address) => !address.startsWith("unix:"))
    .map((address) => `http://${address}`);
}

function producerIdOf({ producerId }: AddressOptions, io: CommandIo): string {
  const flags = producerId === undefined ? {} : { producerId };
  return resolveConfiguration({ command: "serve", flags, environment: io.environment }).configuration.producerId;
}
