// The JSON member `type` of messages without a field for it: in protobuf the name of the message implies it.
import { ownMember } from "../../../base/members.js";

const JSON_TYPES: Readonly<Record<string, string>> = {
  "aaep.v1.SubscriptionRequest": "subscription.request",
  "aaep.v1.SubscriptionAccepted": "subscription.accepted",
  "aaep.v1.SubscriptionRejected": "subscription.rejected",
  "aaep.v1.SubscriptionRenegotiate": "subscription.renegotiate",
  "aaep.v1.SubscriptionClose": "subscription.close",
  "aaep.v1.ConfirmationReply": "confirmation.reply",
  "aaep.v1.ClarificationReply": "clarification.reply",
  "aaep.v1.AaepdSkip": "aaepd.skip",
  "aaep.v1.AaepdListPending": "aaepd.list_pending",
  "aaep.v1.AaepdPending": "aaepd.pending",
  "aaep.v1.AaepdRepeat": "aaepd.repeat",
  "aaep.v1.AaepdLeave": "aaepd.leave",
  "aaep.v1.AaepdStop": "aaepd.stop",
  "aaep.v1.AaepdError": "aaepd.error",
  "aaep.v1.AaepdHeartbeat": "aaepd.heartbeat",
  "aaep.v1.AaepdCheckpoint": "aaepd.checkpoint",
  "aaep.v1.AaepdReplyNotTaken": "aaepd.reply_not_taken",
  "aaep.v1.ProducerManifest": "aaep:producer.manifest",
};

/** Returns the `type` of a message's JSON form; undefined for messages that have none, or a field for it. */
export function jsonTypeOf(typeName: string): string | undefined {
  return ownMember(JSON_TYPES, typeName);
}
