// The exports for every platform: `openAgent`, `subscribe`, and ways to a daemon. The layers below are nobody else's. Nothing here
// needs Node; the ways that Node has are in node.ts.
export type {
  AaepdError,
  Capabilities,
  Envelope,
  ProducerManifest,
  PublishResult,
  SubscriptionAccepted,
  SubscriptionClose,
  SubscriptionRejected,
} from "#gen/aaep/types.js";
export { Fault, type FaultCode } from "../base/errors.js";
export type { RpcConnection, RpcHandlers } from "../contracts/rpc.js";
export type { Connection } from "../contracts/transport.js";
export type { AgentConnector, AgentTrouble, OpenAgentOptions } from "./agent/agent-options.js";
export { httpRpcConnector } from "./agent/http-connector.js";
export type { SignalLike } from "./agent/on-abort.js";
export { openAgent } from "./agent/open-agent.js";
export type {
  ClarificationOutcome,
  ConfirmationOutcome,
  HostDecision,
  QuestionOutcome,
  QuestionWaiting,
  SessionAskOptions,
  SessionClarification,
  SessionConfirmation,
} from "./agent/questions.js";
export type {
  Agent,
  AgentSession,
  AgentStatus,
  CallOptions,
  SessionOptions,
  ToolCall,
  ToolOptions,
  ToolStatus,
} from "./agent/session-types.js";
// Stars, because only then a program can merge into `ExtensionEvents` and `ExtensionTerms`.
export * from "./events.js";
export type { HttpConnectorOptions } from "./http/calls.js";
export { httpConnector } from "./http/listen-connection.js";
export { type OneTarget, subscribe } from "./listener/subscribe.js";
export * from "./listener/terms.js";
export type {
  Connector,
  Discovery,
  DiscoveryListeners,
  Interruption,
  ListenerConnection,
  Source,
  SubscribeOptions,
  SubscriberEnd,
  SubscriberReply,
  SubscriberState,
  Subscription,
  Target,
} from "./listener/types.js";
export type { BackOffOptions, Timers } from "./timers.js";
