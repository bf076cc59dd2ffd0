/// <reference types="node" preserve="true" />
// The clients in Node: an agent that finds or starts its daemon, a listener that finds all daemons, and connectors for local sockets and child
// processes.
import { resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import type { Capabilities } from "#gen/aaep/types.js";
import { createByteConnection } from "../../transports/framing/byte-connection.js";
import type { Framing } from "../../transports/framing/framings.js";
import { connectIpc } from "../../transports/ipc/connect.js";
import { currentPlace, ipcPath, isPipeName } from "../../transports/ipc/paths.js";
import { Fault, usage } from "../base/errors.js";
import { pointerStep } from "../base/json-pointer.js";
import type { KnownNames } from "../base/known-names.js";
import { isObject, membersOf } from "../base/members.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";
import type { Connection } from "../contracts/transport.js";
import type { AgentConnector, OpenAgentOptions } from "./agent/agent-options.js";
import { httpRpcConnector as httpRpcConnectorBy } from "./agent/http-connector.js";
import { openAgent as openAgentBy } from "./agent/open-agent.js";
import type { Agent } from "./agent/session-types.js";
import { discoverDaemons } from "./discovery/discover-daemons.js";
import type { HttpConnectorOptions } from "./http/calls.js";
import { httpConnector as httpConnectorBy } from "./http/listen-connection.js";
import { createNodeFetch, type NodeFetch } from "./http/node-fetch.js";
import { type OneTarget, subscribe as subscribeTo } from "./listener/subscribe.js";
import type { Terms } from "./listener/terms.js";
import type { Connector, Discovery, SubscribeOptions, Subscription, Target } from "./listener/types.js";
import { connectSpawned, type SpawnedDaemonOptions } from "./spawned-daemon.js";

export { connectToOwn } from "../../transports/ipc/own-socket.js";
export { type DiscoverDaemonsOptions, discoverDaemons } from "./discovery/discover-daemons.js";

export interface NodeAgentOptions extends Omit<OpenAgentOptions, "connectors"> {
  /** The socket of the daemon that serves all agents. Default: the variable AAEPD_SOCKET, otherwise `socketPath()`. */
  readonly socket?: string | undefined;
  /** The daemon that is started if none serves all agents; false: none. Its producer id is the agent's `id`. */
  readonly spawn?: false | SpawnedDaemonOptions | undefined;
  /** Ways to a daemon in place of these two. */
  readonly connectors?: readonly AgentConnector[] | undefined;
}

/** Checked here alone, so that browsers need not load it. */
const AGENT_OPTIONS: Readonly<Record<keyof NodeAgentOptions, true>> = {
  id: true,
  name: true,
  manifest: true,
  language: true,
  mode: true,
  socket: true,
  spawn: true,
  connectors: true,
  unheard: true,
  pid: true,
  onError: true,
  onStatus: true,
  onStop: true,
  onUserInput: true,
  onWaiting: true,
  mostQueuedCharacters: true,
  mostQueuedEvents: true,
  searchMs: true,
  patienceMs: true,
  gatherMs: true,
  backOff: true,
  timers: true,
  chance: true,
};

/**
 * Opens an agent in Node: connects to the running daemon of this user, otherwise starts `aaepd stdio` as a child, otherwise is silent. A socket that
 * is not this user's own is passed by, and `onError` hears why (docs/troubleshooting.md). Rejects only in the mode "required", with `not_found` or
 * that refusal, and with `usage` for an unknown option, or an `id` that is no text.
 */
export async function openAgent(options: NodeAgentOptions): Promise<Agent> {
  for (const name of Object.keys(options))
    if (!Object.hasOwn(AGENT_OPTIONS, name)) {
      const sentence = `An agent has no option ${JSON.stringify(name)}, but ${Object.keys(AGENT_OPTIONS).join(", ")}.`;
      throw usage(sentence);
    }
  const { socket = socketOfVariable() ?? socketPath(), spawn = {}, ...rest } = options;
  const served: AgentConnector = { connect: ipcRpcConnector(socket) };
  return openAgentBy({
    ...rest,
    connectors: options.connectors ?? [served, ...(spawn === false ? [] : [spawnConnector(options.id, spawn)])],
  });
}

/** A daemon by a text, as in `ipcTarget`, or by what `subscribe` of `aaepd/client` takes. */
export type NodeTarget = string | OneTarget | Discovery;

/**
 * Subscribes to all daemons of this user, those that start later included; to the one that the variable AAEPD_SOCKET names, if it is set; or to the
 * given ones. Throws a Fault "usage" for what is no daemon and for terms that there are not. Otherwise as `subscribe` of `aaepd/client`.
 *
 * ```ts
 * for await (const event of subscribe({ preferred_verbosity: "terse" })) speak(event);
 * ```
 */
export function subscribe(
  targets: NodeTarget | readonly NodeTarget[],
  terms?: Terms,
  options?: SubscribeOptions,
): Subscription;
// The last one is what TypeScript explains a mistake by.
export function subscribe(terms?: Terms, options?: SubscribeOptions): Subscription;
export function subscribe(
  first: Terms | NodeTarget | readonly NodeTarget[] = {},
  second: Terms | SubscribeOptions = {},
  third?: SubscribeOptions,
): Subscription {
  const isNamed = isTargets(first);
  const terms = isNamed ? (second as Terms) : first;
  assertTerms(terms);
  if (isNamed) return subscribeTo([first].flat().map(nodeTarget), terms, third);
  return subscribeTo(usualTargets(), terms, second as SubscribeOptions);
}

/** Checked here alone, like the options of an agent: a daemon ignores a misspelt one with a note, and the listener gets other terms than it meant. */
const TERMS: Readonly<Record<KnownNames<Capabilities>, true>> = {
  max_events_per_second: true,
  preferred_verbosity: true,
  languages: true,
  supports_confirmation_reply: true,
  supports_clarification_reply: true,
  coalesce_boundaries: true,
  event_filters: true,
  supported_conformance_levels: true,
  supported_extensions: true,
  cognitive_load: true,
  pace_wpm: true,
  accept_signed_manifests_only: true,
  aaepd: true,
};

/**
 * Throws a Fault "usage" for terms that are no object, and for a name that is none of AAEP §5.3. An object may stand under any name: it may be the
 * capability of an extension, which stands under the extension's prefix (AAEP §5.3.2).
 */
function assertTerms(terms: unknown): void {
  if (!isObject(terms)) {
    const sentence = 'Terms are an object, such as { preferred_verbosity: "terse" }.';
    throw usage(sentence).with({ pointer: "", rule: "AAEP §5.3" });
  }
  for (const [name, value] of Object.entries(terms)) {
    if (Object.hasOwn(TERMS, name) || isObject(value) || value === undefined) continue;
    const sentence = `There is no term ${JSON.stringify(name)}. The terms are ${Object.keys(TERMS).join(", ")}.`;
    throw usage(sentence).with({ pointer: `/${pointerStep(name)}`, rule: "AAEP §5.3" });
  }
}

function usualTargets(): Target | Discovery {
  const socket = socketOfVariable();
  if (socket === undefined) return discoverDaemons();
  if (socket !== "off") return ipcTarget(isPipeName(socket) ? socket : resolve(socket));
  const sentence =
    'The variable AAEPD_SOCKET is "off". Set it to the path of a socket or to auto, unset it, or name a daemon.';
  throw usage(sentence);
}

/** Terms have no functions. */
function isTargets(given: Terms | NodeTarget | readonly NodeTarget[]): given is NodeTarget | readonly NodeTarget[] {
  // Callers in JavaScript may pass anything: what is no terms is refused as a target.
  const { connect, watch } = membersOf(given);
  return !isObject(given) || typeof connect === "function" || typeof watch === "function";
}

function nodeTarget(one: NodeTarget): OneTarget | Discovery {
  if (typeof one === "string") return ipcTarget(one);
  // Callers in JavaScript may pass anything.
  if (typeof one === "function" || (typeof one === "object" && one !== null)) return one;
  const sentence = `${JSON.stringify(one)} is no daemon. Give a producer id, the path of a socket, a connector, a target or a discovery.`;
  throw usage(sentence);
}

/**
 * For `subscribe`: the daemon of that producer id, or at the socket or named pipe of that path. A text with a slash or a backslash is a path. Throws
 * as `ipcConnector` does.
 */
export function ipcTarget(place: string, options: IpcConnectorOptions = {}): Target {
  assertPath(place);
  const path = /[/\\]/.test(place) ? place : socketPath(place);
  return { name: path, label: place, connect: ipcConnector(path, options) };
}

/** The socket that AAEPD_SOCKET names; undefined if it leaves the choice open. */
function socketOfVariable(): string | undefined {
  const { AAEPD_SOCKET: socket } = process.env;
  return socket === "" || socket === "auto" ? undefined : socket;
}

/** A listener that waits hears of a new socket at once, and needs some turns to subscribe, also on a busy machine. */
const FINDING_MS = 500;

/** For `openAgent`: starts a daemon of the agent's own with `aaepd stdio`, and another one when it is lost. */
export function spawnConnector(producerId: string, options: SpawnedDaemonOptions = {}): AgentConnector {
  return {
    isLasting: false,
    findingMs: FINDING_MS,
    connect: (handlers) => connectSpawned(producerId, handlers, options),
  };
}

/** As `httpRpcConnector` of `aaepd/client`, and over Unix sockets too: "http://unix:/path" is the daemon of `--http unix:/path`. */
export function httpRpcConnector(
  address: string,
  options: HttpConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  const { url, socketPath } = placeOf(address);
  // A `fetch` of the caller's stays, and `createNodeFetch` speaks no TLS.
  if (options.fetch !== undefined || !url.startsWith("http:")) return httpRpcConnectorBy(url, options);
  return (handlers) =>
    withOwnFetch(socketPath, async ({ fetch, unref }) => ({
      ...(await httpRpcConnectorBy(url, { ...options, fetch })(handlers)),
      unref,
    }));
}

/** As `httpConnector` of `aaepd/client`, and over Unix sockets too. */
export function httpConnector(address: string, options: HttpConnectorOptions = {}): Connector {
  const { url, socketPath } = placeOf(address);
  if (options.fetch !== undefined || socketPath === undefined) return httpConnectorBy(url, options);
  return () => withOwnFetch(socketPath, ({ fetch }) => httpConnectorBy(url, { ...options, fetch })());
}

/** Its sockets end with the connection: otherwise an idle one would stay until the server ends it. */
async function withOwnFetch<Made extends { readonly closed: Promise<unknown> }>(
  socketPath: string | undefined,
  connect: (own: NodeFetch) => Promise<Made>,
): Promise<Made> {
  const own = createNodeFetch(socketPath);
  try {
    const connection = await connect(own);
    void connection.closed.then(own.close);
    return connection;
  } catch (caught) {
    own.close();
    throw caught;
  }
}

const UNIX = /^(?:http:\/\/)?unix:/;

/** Takes an address also as the option `--http` names it. */
function placeOf(address: string): { readonly url: string; readonly socketPath?: string } {
  if (UNIX.test(address)) return { url: "http://localhost", socketPath: address.replace(UNIX, "") };
  return { url: address.includes("://") ? address : `http://${address}` };
}

export interface IpcConnectorOptions {
  /** Framing of the messages this side sends; the daemon answers in the same (R23). Default `length-prefixed`. */
  readonly framing?: Framing;
}

/**
 * Returns the path where the daemon of that producer id listens on this machine for this user: a socket, on Windows a named pipe (AAEP appendix B).
 * The second live daemon of one id started by `aaepd stdio` is `ID-2`. The function reads no files: only connecting shows whether a daemon listens.
 */
export function socketPath(producerId = "aaepd"): string {
  return ipcPath(currentPlace(), producerId);
}

/** For `subscribe`: connects to the socket or named pipe at `path`. Throws a Fault "address_invalid" if `path` is no text or empty. */
export function ipcConnector(path: string, options: IpcConnectorOptions = {}): () => Promise<Connection<Uint8Array>> {
  assertPath(path);
  return () => connectIpc(path, options);
}

/** For `openAgent`: JSON-RPC over the socket or named pipe at `path`. Throws as `ipcConnector` does. */
export function ipcRpcConnector(
  path: string,
  options: IpcConnectorOptions = {},
): (handlers: RpcHandlers) => Promise<RpcConnection> {
  assertPath(path);
  return (handlers) => overJsonRpc(() => connectIpc(path, options), handlers);
}

/** The standard input and output of a child, as `child_process.spawn` returns them for `stdio: ["pipe", "pipe", …]`. */
export interface ChildStreams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/**
 * For `openAgent`: JSON-RPC over the standard streams of a daemon that this process has started with `aaepd stdio`. A child has one
 * connection: further calls reject with a Fault "address_invalid".
 */
export function childRpcConnector(child: ChildStreams): (handlers: RpcHandlers) => Promise<RpcConnection> {
  let isConnected = false;
  return async (handlers) => {
    if (isConnected) {
      const sentence = "The daemon that this process has started has ended. Start another, and a client for it.";
      throw new Fault("address_invalid", sentence, { origin: "local" });
    }
    isConnected = true;
    const streams = { readable: child.stdout, writable: child.stdin };
    const peer = { label: "child", trust: "same-user" } as const;
    return overJsonRpc(() => createByteConnection(streams, peer, { framing: "newline" }), handlers);
  };
}

/** Callers in JavaScript may pass the undefined of a missing argument. */
function assertPath(path: unknown): void {
  if (typeof path === "string" && path !== "") return;
  const sentence = "There is no path to connect to. Give the path of the daemon's socket, for instance socketPath().";
  throw new Fault("address_invalid", sentence, { origin: "local" });
}

/** Loads its part before it opens anything, which nobody would close if that failed. */
async function overJsonRpc(
  open: () => Connection<Uint8Array> | Promise<Connection<Uint8Array>>,
  handlers: RpcHandlers,
): Promise<RpcConnection> {
  const { createRpcConnection } = await import("../../transports/json-rpc/rpc-peer.js");
  return createRpcConnection(await open(), handlers);
}
