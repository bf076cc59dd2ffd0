// The agent's side: publishing into the daemon over JSON-RPC, every event acknowledged.
import type { ProducerManifest, PublishResult, ResumeSessionParams } from "#gen/aaep/types.js";
import { isPublishResult } from "#gen/aaep/validators.js";
import { Fault } from "../base/errors.js";
import type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";
import type { CloseInfo } from "../contracts/transport.js";
import { type AgentQuestions, createAgentQuestions, type QuestionListeners, tellListeners } from "./agent-questions.js";

/** An event as an agent may send it: what R2 lets it leave out, the daemon fills in. */
export type PublishedFields = Readonly<Record<string, unknown>> & {
  readonly type: string;
  readonly session_id: string;
};

/** What an agent says of itself, so that its events need no `producer` (R2). Context and type are filled in. */
export type AgentManifest = Partial<ProducerManifest> & { readonly agent_id: string };

export interface AgentClient extends AgentQuestions {
  /**
   * Publishes one event, or several of which all are accepted or none (R3). Resolves when the daemon has them as safe as its journal makes
   * them. Rejects with the Fault that names code, pointer and rule; `peer_gone` where the answer can no longer come.
   */
  readonly publish: (events: PublishedFields | readonly PublishedFields[]) => Promise<PublishResult>;
  readonly setManifest: (manifest: AgentManifest) => Promise<void>;
  /** The daemon's own manifest (AAEP §5.10). */
  readonly manifest: () => Promise<ProducerManifest>;
  /** Takes a session over after the connection it began on was lost (R8). `publish` has shown the token. */
  readonly resumeSession: (session: ResumeSessionParams) => Promise<Readonly<Record<string, unknown>>>;
  readonly ping: () => Promise<void>;
  readonly close: () => Promise<void>;
  readonly closed: Promise<CloseInfo>;
}

export interface AgentClientOptions extends QuestionListeners {
  /** `aaep.error` and other notifications. Default: ignored. */
  readonly onNotification?: (method: string, params: unknown) => void;
}

/** Connects, and is ready to publish. Rejects with the Fault of `connect`. */
export async function createAgentClient(
  connect: (handlers: RpcHandlers) => Promise<RpcConnection>,
  options: AgentClientOptions = {},
): Promise<AgentClient> {
  const connection = await connect({
    request: ({ method }) => {
      if (method === "aaep.ping") return {};
      throw new Fault("unknown_method", `This agent has no method ${method}.`);
    },
    notification: ({ method, params }) => {
      if (!tellListeners(method, params, options)) options.onNotification?.(method, params);
    },
  });
  return {
    ...createAgentQuestions(connection),
    publish: async (events) => {
      const result = await connection.request("aaep.publish", events);
      if (!isPublishResult(result)) throw new Fault("invalid_message", "The answer to aaep.publish is not readable.");
      return result;
    },
    setManifest: async (manifest) => {
      await connection.request("aaep.set_manifest", {
        "@context": "https://aaep-protocol.org/context/v1",
        type: "aaep:producer.manifest",
        ...manifest,
      });
    },
    manifest: async () => (await connection.request("aaep.manifest", {})) as ProducerManifest,
    resumeSession: async (session) =>
      (await connection.request("aaep.resume_session", session)) as Readonly<Record<string, unknown>>,
    ping: async () => {
      await connection.request("aaep.ping", {});
    },
    close: connection.close,
    closed: connection.closed,
  };
}
