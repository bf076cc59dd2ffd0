// Documents of AAEP in the JSON form of protobuf, as Connect sends them (docs/protobuf.md), turned back into their own form. By names instead of
// descriptors, which are too large for a page: no name means two things in the messages of a listener's stream.
import { type Members, ownMember, textOf } from "../../base/members.js";

/** The fields that hold a name of an enum, with the enum's prefix. */
export const ENUM_PREFIXES: Readonly<Record<string, string>> = {
  urgency: "URGENCY_",
  verbosity: "VERBOSITY_",
  preferredVerbosity: "VERBOSITY_",
  textDirection: "TEXT_DIRECTION_",
  riskLevel: "LEVEL_",
  cognitiveLoad: "LEVEL_",
  urgencyForHandoff: "LEVEL_",
  errorCategory: "ERROR_CATEGORY_",
  cancelledBy: "CANCELLED_BY_",
  status: "TOOL_STATUS_",
  coalesceHint: "COALESCE_HINT_",
  defaultDecision: "DECISION_",
  allowedReplies: "DECISION_",
  reversibility: "REVERSIBILITY_",
  acceptedResponseKinds: "RESPONSE_KIND_",
  targetKind: "TARGET_KIND_",
  reasonCode: "REJECTION_REASON_",
};

/** The fields that hold whole numbers of 64 bits, which are written as texts. */
export const WHOLE_NUMBERS: ReadonlySet<string> = new Set([
  "position",
  "sequenceNumber",
  "toolInvocationsCount",
  "step",
  "totalSteps",
  "queueEvents",
  "maxLagEvents",
  "supportedConformanceLevels",
]);

/** The fields that hold any JSON, which stays as it is. */
export const FREE_FIELDS: ReadonlySet<string> = new Set([
  "@context",
  "extensions",
  "extraContext",
  "packagedContext",
  "speakable",
]);

/** The fields that hold a list that may be there and empty. */
export const TEXT_LISTS: ReadonlySet<string> = new Set(["include", "exclude"]);

/** Returns the document in a message's JSON. `type`: the type that the message's name stands for; events have their own. */
export function documentOf(json: Members, type?: string): Record<string, unknown> {
  return Object.fromEntries([...(type === undefined ? [] : [["type", type] as const]), ...membersOf(json)]);
}

type Member = readonly [name: string, value: unknown];

function membersOf(json: Members): readonly Member[] {
  const payload = CORE_TYPE.exec(textOf(json.type))?.[1]?.replace(".", "_");
  const members = Object.entries(json).flatMap(([field, value]): readonly Member[] => {
    if (field === "additional") return [];
    const name = memberName(field);
    if (name === payload) return membersOf(value as Members);
    const plain = plainOf(field, value);
    return plain === undefined ? [] : [[name, plain]];
  });
  return [...members, ...Object.entries(json.additional ?? {})];
}

/** The type of an event names the field of its payload, whose members are the event's own: `state_changed` of `aaep:agent.state.changed`. */
const CORE_TYPE = /^(?:aaep:|https:\/\/aaep-protocol\.org\/types\/)agent\.([a-z]+\.[a-z]+)$/;

/** A field's value in AAEP's form. Undefined for an unspecified name: its value, if there is one, is in `additional`. */
function plainOf(name: string, value: unknown): unknown {
  if (FREE_FIELDS.has(name)) return value;
  if (Array.isArray(value)) return value.map((item) => plainOf(name, item));
  if (TEXT_LISTS.has(name)) return (value as Members).values ?? [];
  if (typeof value === "object" && value !== null) return documentOf(value as Members);
  if (typeof value !== "string") return value;
  if (WHOLE_NUMBERS.has(name)) return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  const prefix = ownMember(ENUM_PREFIXES, name);
  if (prefix === undefined || !value.startsWith(prefix)) return value;
  return value === `${prefix}UNSPECIFIED` ? undefined : value.slice(prefix.length).toLowerCase();
}

/** The name of a member in AAEP: `reply_token` of `replyToken`. */
export function memberName(jsonName: string): string {
  return jsonName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
