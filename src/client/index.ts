// The exports of `aaepd/client`. Nothing here needs Node; the connectors for Node are in `aaepd/client/node`.
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
export {
  type AgentClient,
  type AgentClientOptions,
  type AgentManifest,
  createAgentClient,
} from "./agent-client.js";
export type { AgentLinkOptions } from "./agent-link.js";
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
// A star, because only then a program can merge into `ExtensionEvents`.
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
export type { SignalLike } from "./on-abort.js";
export type { Timers } from "./platform-clock.js";
export { createSubscriber, type Subscriber } from "./subscriber.js";
export type { Arrival, SubscriberOptions, SubscriberReply, SubscriberRequest } from "./subscriber-options.js";
export type { Interruption, SubscriberEnd, SubscriberState } from "./subscriber-states.js";
