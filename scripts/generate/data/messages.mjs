// Each message of a plain connection: the title of its schema, the rule that its form follows, its effect or the daemon's answer, and its counterpart
// over JSON-RPC if there is one. Texts are Markdown with links relative to docs/reference.

export const SUBSCRIBER_GUIDE = {
  "subscription.request": {
    schema: "SubscriptionRequest",
    rule: "AAEP §5.2",
    effect:
      "The daemon answers [subscription.accepted](#subscriptionaccepted) or [subscription.rejected](#subscriptionrejected). Events follow an acceptance. After a rejection, another request may follow.",
    rpc: "aaep.subscribe",
  },
  "subscription.renegotiate": {
    schema: "SubscriptionRenegotiate",
    rule: "AAEP §5.7.1",
    effect:
      "The daemon answers [subscription.accepted](#subscriptionaccepted) with the new terms. If it cannot read or grant the change, it answers [aaepd.error](#aaepderror) and the old terms stay.",
    rpc: "aaep.renegotiate",
  },
  "subscription.close": {
    schema: "SubscriptionClose",
    rule: "AAEP §5.8.1",
    effect: "The sender ends the subscription. The other side does not answer.",
    rpc: "aaep.close",
  },
  "confirmation.reply": {
    schema: "ConfirmationReply",
    rule: "AAEP §6.3",
    effect:
      "The first reply that counts decides the question. The daemon does not answer. With the capability [aaepd.reply_status](capabilities.md#aaepdreply_status) it reports a reply that does not count by [aaepd.reply_not_taken](#aaepdreply_not_taken).",
    rpc: "aaep.reply",
  },
  "clarification.reply": {
    schema: "ClarificationReply",
    rule: "AAEP §6.3",
    effect: "The same as for [confirmation.reply](#confirmationreply).",
    rpc: "aaep.reply",
  },
  "aaepd.skip": {
    schema: "AaepdSkip",
    rule: "R26",
    effect:
      "With `session_id`, the subscription gets only an empty last chunk of that output. Without it, the daemon drops everything that waits except open questions and ends of sessions, sums up each open session, and continues with live events.",
    rpc: "aaep.skip",
  },
  "aaepd.list_pending": {
    schema: "AaepdListPending",
    rule: "R28",
    effect: "The daemon answers [aaepd.pending](#aaepdpending).",
    rpc: "aaep.list_pending",
  },
  "aaepd.repeat": {
    schema: "AaepdRepeat",
    rule: "R28",
    effect:
      "The daemon sends the event again, under the same `event_id`. If it cannot, it answers [aaepd.error](#aaepderror) with [`not_found`](errors.md#not_found).",
    rpc: "aaep.repeat",
  },
  "aaepd.leave": {
    schema: "AaepdLeave",
    rule: "R5b",
    effect:
      "The question ends without a decision, and its listeners are told to answer in the agent's own window. The daemon refuses it by [aaepd.error](#aaepderror) if the subscription could not answer the question, or if no host asks it. See [a dialog of the agent's own](../confirmations.md#a-dialog-of-the-agents-own).",
    rpc: "aaepd.leave",
  },
  "aaepd.stop": {
    schema: "AaepdStop",
    rule: "R39",
    effect:
      "The agent of the session is asked to stop, by [aaep.stop_requested](calls.md#aaepstop_requested). It ends the session itself; the daemon never ends it for that. The daemon refuses the message by [aaepd.error](#aaepderror) if the agent cannot be asked. See [stop an agent](../subscribing.md#stop-an-agent).",
    rpc: "aaepd.stop",
  },
};

export const DAEMON_GUIDE = {
  "subscription.accepted": {
    schema: "SubscriptionAccepted",
    rule: "AAEP §5.4",
    effect: "Events on these terms follow.",
    rpc: "aaep.subscribe",
  },
  "subscription.rejected": {
    schema: "SubscriptionRejected",
    rule: "AAEP §5.5",
    effect: "There is no subscription. Change the request as `reason_message` says, and send it again.",
    rpc: "aaep.subscribe",
  },
  "subscription.close": { ...SUBSCRIBER_GUIDE["subscription.close"], rpc: "aaep.close" },
  "aaepd.pending": {
    schema: "AaepdPending",
    rule: "R28",
    effect: "Each of these questions can be answered by a reply with its `reply_token`.",
    rpc: "aaep.list_pending",
  },
  "aaepd.checkpoint": {
    schema: "AaepdCheckpoint",
    rule: "R17",
    effect:
      "The daemon sends it within a second after an event, at most once a second, with the capability [aaepd.checkpoints](capabilities.md#aaepdcheckpoints). [Come back where you were](../subscribing.md#come-back-where-you-were) explains cursors.",
    rpc: "aaepd.checkpoint",
  },
  "aaepd.reply_not_taken": {
    schema: "AaepdReplyNotTaken",
    rule: "R19",
    effect:
      "The daemon sends it with the capability [aaepd.reply_status](capabilities.md#aaepdreply_status), at most once a second.",
    rpc: "aaepd.reply_not_taken",
  },
  "aaepd.heartbeat": {
    schema: "AaepdHeartbeat",
    rule: "R22",
    effect: "The daemon sends it on streams of [services](../services.md#heartbeats). The receiver does nothing.",
    rpc: undefined,
  },
  "aaepd.error": {
    schema: "AaepdError",
    rule: "R33",
    effect: "The message at fault had no effect. The connection stays, unless its framing is lost.",
    rpc: "aaep.error",
  },
};

/** Why the daemon ends a subscription: the `reason_code` of its `subscription.close`. */
export const CLOSE_REASON_GUIDE = {
  producer_shutdown: "The daemon stops. Subscribe again with the cursor of the message when it is back.",
  recording_ended: "A replay has ended. Nothing more follows.",
  producer_error: "The daemon made a mistake. Subscribe again with the cursor of the message.",
  lagging:
    "The subscription took nothing for too long ([slow subscribers](../slow-subscribers.md)). Come back with the cursor.",
};
