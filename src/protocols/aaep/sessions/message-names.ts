// The names of all messages between the daemon and its peers. docs/reference has an entry for each.
import { AGENT_NEWS } from "../agent/agent-documents.js";

/** Messages of a subscriber on a plain connection, the first one first (AAEP §5.1). */
export const SUBSCRIBER_MESSAGES = [
  "subscription.request",
  "subscription.renegotiate",
  "subscription.close",
  "confirmation.reply",
  "clarification.reply",
  "aaepd.skip",
  "aaepd.list_pending",
  "aaepd.repeat",
  "aaepd.leave",
  "aaepd.stop",
] as const;

/** Messages of the daemon on a plain connection, events aside. `subscription.close` comes from both sides. */
export const DAEMON_MESSAGES = [
  "subscription.accepted",
  "subscription.rejected",
  "subscription.close",
  "aaepd.pending",
  "aaepd.checkpoint",
  "aaepd.reply_not_taken",
  "aaepd.heartbeat",
  "aaepd.error",
] as const;

/** The notifications of the daemon over JSON-RPC. */
export const RPC_NOTIFICATIONS = [
  "aaep.event",
  "aaepd.checkpoint",
  "aaepd.reply_not_taken",
  "aaep.close",
  "aaep.error",
  ...Object.values(AGENT_NEWS),
] as const;
export type RpcNotification = (typeof RPC_NOTIFICATIONS)[number];
