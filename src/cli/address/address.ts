// `aaepd address`: base addresses for listeners that can send no header, such as a page's EventSource.
import type { Command } from "commander";
import { addCapabilityOptions } from "../shell/capability-options.js";
import type { CommandIo } from "../terminal/command-io.js";
import type { AddressOptions } from "./address-run.js";

const EXPLANATION = `
A base address has a secret in its path. Who knows it listens there, and answers what it is asked, without a token: keep it as you keep a password.
A listener that takes one address adds /events and /messages to it. By WebSocket it connects to the address itself.

The address keeps its secret over restarts of the daemon. The daemon takes a new address, or loses a revoked one, within two seconds.

Examples:
  aaepd address create page --confirmations --clarifications
  aaepd address create dictation --user-input --rate 5
  aaepd address revoke page`;

export function registerAddress(program: Command, io: CommandIo): void {
  const run = () => import("./address-run.js");
  const address = program
    .command("address")
    .summary("make an address for a listener that can send no header")
    .description("Makes, lists and revokes base addresses over HTTP for listeners that can send no header.")
    .addHelpText("after", EXPLANATION);
  const create = address
    .command("create")
    .argument("<name>", "names the listener")
    .description("Makes a base address, and prints it. It is shown this once.")
    .option("--user-input", "hands what the listener says unasked to an agent that takes it")
    .option("--producer-id <ID>", "the daemon's producer id, as for serve");
  addCapabilityOptions(create);
  create.action(async (name: string, options: AddressOptions) => (await run()).runCreate(name, options, io));
  address
    .command("list")
    .description("Lists the addresses, without their secrets.")
    .option("--producer-id <ID>", "the daemon's producer id, as for serve")
    .action(async (options: AddressOptions) => (await run()).runList(options, io));
  address
    .command("revoke")
    .argument("<name>", "the listener's name")
    .description("Revokes an address. Its open streams end.")
    .option("--producer-id <ID>", "the daemon's producer id, as for serve")
    .action(async (name: string, options: AddressOptions) => (await run()).runRevoke(name, options, io));
}
