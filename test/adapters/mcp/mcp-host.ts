// A host of the SDK's in front of `aaepd mcp`, a server behind it, and what a listener hears of both.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { type ServedDaemon, serve, startAdapter } from "../../cli/command-stage.js";
import { type ListenOptions, listenAt } from "../../client/agent/agent-stage.js";
import { shared } from "../../support/lifetime.js";
import { fixture, PROGRAM } from "../../support/peers/program.js";
import { python } from "../../support/peers/python.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { said } from "../said.js";

export const served = shared(() => serve(temporaryDirectory(), "--journal", "memory"));

/** A process of its own that starts the program, as a host does: what runs below the host does not answer, and a shell is no host (R5d). */
const HOST = ["-c", "import subprocess, sys; sys.exit(subprocess.call(sys.argv[1:]))"];

export interface HostOptions {
  readonly options?: readonly string[];
  /** Who starts `aaepd mcp`: another process, or the tests as a host of their own. Default: it runs in this process, whose host is not known. */
  readonly startedBy?: "another" | "tests";
  /** The command of the server. Default: that of the tests. */
  readonly server?: readonly string[];
}

export async function openHost(environment: Readonly<Record<string, string>>, given: HostOptions) {
  const file = join(temporaryDirectory(), "called");
  const { options = [], startedBy, server = [process.execPath, fixture("mcp-server.mjs"), file] } = given;
  const argv = ["mcp", ...options, "--", ...server];
  const { transport, stderr } =
    startedBy === undefined ? runHere(argv, environment) : runProcess(argv, environment, startedBy);
  const client = new Client({ name: "aaepd", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: "decline" as const }));
  onTestFinished(() => client.close());
  await client.connect(transport);
  return {
    client,
    stderr,
    call: (name: string, given: object = {}, more: object = {}): Promise<unknown> =>
      client.callTool({ name, arguments: { ...given } }, undefined, { timeout: 50_000, ...more }),
    /** The calls that the server got. */
    called: (): readonly string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : []),
  };
}

interface Reached {
  readonly transport: Transport;
  readonly stderr: () => string;
}

function runHere(argv: readonly string[], environment: Readonly<Record<string, string>>): Reached {
  const { stdin, output, stderr } = startAdapter(argv, environment);
  const answers = output.pipe(new PassThrough());
  // The server's transport is the same conversation over streams that are there already. It does not look at their end.
  const transport = new StdioServerTransport(answers, stdin);
  answers.once("end", () => void transport.close());
  return { transport, stderr };
}

function runProcess(
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
  startedBy: "another" | "tests",
): Reached {
  const [command = "", ...args] = [
    ...(startedBy === "another" ? [...python(), ...HOST] : []),
    process.execPath,
    PROGRAM,
    ...argv,
  ];
  const transport = new StdioClientTransport({ command, args, env: { ...environment }, stderr: "pipe" });
  let stderr = "";
  transport.stderr?.on("data", (text) => {
    stderr += text;
  });
  return { transport, stderr: () => stderr };
}

export async function hostStage(
  options: HostOptions & Pick<ListenOptions, "answer"> & { readonly at?: () => Promise<ServedDaemon> } = {},
) {
  const { environment, socketPath } = await (options.at ?? served)();
  const name = `Agent ${randomUUID().slice(0, 8)}`;
  const { answer } = options;
  const heard = await listenAt(socketPath, {
    name,
    ...(answer === undefined
      ? {}
      : { answer: (event) => (event.producer?.agent_name === name ? answer(event) : undefined) }),
  });
  const host = await openHost(environment, { ...options, options: ["--name", name, ...(options.options ?? [])] });
  return { ...host, heard, lines: () => said(heard, name) };
}
