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
export type {
  AgentConnector,
  AgentTrouble,
  OpenAgentOptions,
} from "./agent/agent-options.js";
export type { AgentStatus } from "./agent/agent-status.js";
export { httpRpcConnector } from "./agent/http-connector.js";
export { openAgent } from "./agent/open-agent.js";
export type {
  Agent,
  AgentSession,
  CallOptions,
  SessionAskOptions,
  SessionClarification,
  SessionConfirmation,
  SessionOptions,
  ToolCall,
  ToolOptions,
  ToolStatus,
} from "./agent/session-types.js";
export type { AgentManifest } from "./agent-client.js";
export type {
  AgentQuestions,
  AskOptions,
  ClarificationOutcome,
  ClarificationQuestion,
  ConfirmationOutcome,
  ConfirmationQuestion,
  HostDecision,
  QuestionListeners,
  QuestionOutcome,
  QuestionState,
  QuestionWaiting,
} from "./agent-questions.js";
export type { AgentState } from "./agent-states.js";
export type { BackOffOptions } from "./back-off.js";
// Stars, because only then a program can merge into `ExtensionEvents` and `ExtensionTerms`.
export * from "./events.js";
export type { HttpConnectorOptions } from "./http/calls.js";
export { httpConnector } from "./http/http-connector.js";
export type {
  Connector,
  Discovery,
  DiscoveryListeners,
  Source,
  SubscribeOptions,
  Subscription,
  Target,
} from "./listener/listener-types.js";
export { type OneTarget, subscribe } from "./listener/subscribe.js";
export * from "./listener/terms.js";
export type { SignalLike } from "./on-abort.js";
export type { Timers } from "./platform-clock.js";
export type { SubscriberReply } from "./subscriber-options.js";
export type { Interruption, SubscriberEnd, SubscriberState } from "./subscriber-states.js";
