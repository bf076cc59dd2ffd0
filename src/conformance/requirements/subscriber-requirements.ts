// The requirements on subscribers.
import type { Level } from "../findings/finding.js";
import { type Requirement, requirement } from "./requirement.js";

const subscriber = (paragraph: string, level: Level, rule: string, covered: readonly string[] | string): Requirement =>
  requirement("subscriber", paragraph, level, rule, covered);

export const SUBSCRIBER_REQUIREMENTS: readonly Requirement[] = [
  subscriber("AAEP §9.3.2", 1, "Beginnings, ends and tool calls are announced.", ["S1-announces"]),
  subscriber("AAEP §9.3.2", 1, "The three ends are told apart.", ["S1-ends-differ"]),
  subscriber("AAEP §9.3.2", 1, "Unknown types are borne.", ["S1-unknown-type"]),
  subscriber("AAEP §9.3.2", 1, "Unknown extensions are borne.", ["S1-unknown-extension"]),
  subscriber("AAEP §4.2.1", 1, "Unknown states are borne.", ["S1-unknown-state"]),
  subscriber("AAEP §12.6.1", 1, "Unknown fields are borne.", ["S1-unknown-field"]),
  subscriber("AAEP §3.2", 1, "Every form of a type, a context and a timestamp is read.", ["S1-announces"]),
  subscriber("AAEP §3.6", 1, "The order of members does not matter.", ["S1-member-order"]),
  subscriber("AAEP §3.7", 1, "Larger events are borne.", ["S1-large-event"]),
  subscriber("AAEP §3.8", 1, "JSON with white space is read.", ["S1-white-space"]),
  subscriber("AAEP §11.3.2", 1, "Text in any normal form is borne.", ["S1-decomposed-text"]),
  subscriber("AAEP §9.3.2", 1, "Critical events are announced.", ["S1-critical"]),
  subscriber("AAEP §4.1.3", 1, "A failed session is announced.", ["S1-critical"]),
  subscriber(
    "AAEP §4.3.3",
    1,
    "Pieces of text are not announced one by one.",
    "The suite cannot tell an announcement from its log.",
  ),
  subscriber(
    "AAEP §11.3.3",
    1,
    "Combining characters are presented whole.",
    "Presentation does not show in a log of announcements.",
  ),
  subscriber("AAEP §9.4.2", 2, "supports_confirmation_reply is declared.", ["S2-declares"]),
  subscriber("AAEP §6.3.1", 2, "Replies have their form.", ["S2-reply-form", "S2-subscription"]),
  subscriber("AAEP §6.2.3", 2, "reply_token is opaque, and echoed as it came.", ["S2-token"]),
  subscriber("AAEP §4.4.1", 2, "A question is announced.", ["S2-question-announced"]),
  subscriber("AAEP §9.4.2", 2, "The reply is the user's decision.", ["S2-decision", "S2-one-reply"]),
  subscriber("AAEP §4.4.1", 2, "Nothing is answered for the user.", ["S2-no-auto-reply"]),
  subscriber("AAEP §6.5", 2, "Clarifications are answered.", ["S2-clarification"]),
  subscriber("AAEP §6.8", 2, "Cancelled questions are not answered.", ["S2-cancelled"]),
  subscriber(
    "AAEP §6.6",
    2,
    "Replies are forwarded correctly.",
    "Forwarding is optional, and shows beyond the endpoint.",
  ),
  subscriber("AAEP §9.5.2", 3, "A request with capabilities comes first.", ["S3-request-first", "S3-request-form"]),
  subscriber("AAEP §9.5.2", 3, "Lower terms are accepted.", ["S3-accepts-less"]),
  subscriber("AAEP §5.5", 3, "A rejection is respected.", ["S3-rejected"]),
  subscriber("AAEP §3.4.1", 3, "Gaps of sequence_number are borne.", ["S3-sequence-gap"]),
  subscriber("AAEP §9.5.2", 3, "Duplicates are recognised.", ["S3-deduplicates"]),
  subscriber("AAEP §9.5.2", 3, "subscription.close is sent on shutdown.", ["S3-closes"]),
  subscriber("AAEP §9.5.2", 3, "Unsigned manifests are refused where signed ones are required.", ["S3-signed-only"]),
  subscriber(
    "AAEP §9.5.2",
    3,
    "Events out of order are handled.",
    "Handling is not specified, so nothing can be expected.",
  ),
  subscriber("AAEP §5.6.2", 3, "Bursts are borne, and no critical event is dropped in them.", ["S3-critical-in-burst"]),
  subscriber(
    "AAEP §5.7.2",
    3,
    "Events under former terms are borne.",
    "The suite cannot change the settings of the user.",
  ),
  subscriber("AAEP §5.7", 3, "Changed needs are renegotiated.", "The suite cannot change the settings of the user."),
];
