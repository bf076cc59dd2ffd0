// The messages that AAEP closes, as their paragraphs list them: a subscriber that holds to the published forms takes these members and no others.
import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const BASE = "https://aaep-protocol.org/schemas/v1/";
const FOLDER = new URL("../../../schemas/aaep/", import.meta.url);

interface Form {
  /** The open schema that the forms of the members are taken from. */
  readonly path: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

export type ClosedType =
  | "subscription.accepted"
  | "subscription.rejected"
  | "confirmation.reply"
  | "clarification.reply";

const REPLY = ["type", "reply_token", "subscription_id", "timestamp"] as const;

/** AAEP §5.4, §5.5, §6.3 and §6.5, in that order. */
export const CLOSED_FORMS: Readonly<Record<ClosedType, Form>> = {
  "subscription.accepted": {
    path: "handshake/subscription.accepted.schema.json",
    required: ["type", "subscription_id", "aaep_version", "producer", "honored_capabilities"],
    optional: ["manifest_uri", "signed_manifest", "negotiation_notes"],
  },
  "subscription.rejected": {
    path: "handshake/subscription.rejected.schema.json",
    required: ["type", "reason_code", "reason_message"],
    optional: ["retry_after_seconds", "alternative_manifest_uri"],
  },
  "confirmation.reply": {
    path: "handshake/confirmation.reply.schema.json",
    required: [...REPLY, "decision"],
    optional: ["decided_by", "decision_rationale", "modified_action", "correlation_id"],
  },
  "clarification.reply": {
    path: "handshake/clarification.reply.schema.json",
    required: [...REPLY, "response"],
    optional: ["decided_by", "confidence", "correlation_id"],
  },
};

const ajv = new Ajv2020({ strict: false, schemas: schemasOf() });

function schemasOf(): object[] {
  const paths = readdirSync(FOLDER, { recursive: true }).map(String);
  return paths
    .filter((path) => path.endsWith(".json"))
    .map((path) => JSON.parse(readFileSync(new URL(path, FOLDER), "utf8")) as object);
}

function compiled({ path, required, optional }: Form): (value: unknown) => boolean {
  const members = [...required, ...optional].map((name) => [name, { $ref: `${BASE}${path}#/properties/${name}` }]);
  const properties: unknown = Object.fromEntries(members);
  const validate = ajv.compile({ type: "object", required, properties, additionalProperties: false });
  return (value) => validate(value);
}

const CHECKS = new Map(Object.entries(CLOSED_FORMS).map(([type, form]) => [type, compiled(form)]));

/** Whether the message has the closed form of its type. Throws for a type that has none. */
export function isClosedForm(type: ClosedType, message: unknown): boolean {
  const check = CHECKS.get(type);
  if (check === undefined) throw new Error(`${type} is not closed`);
  return check(message);
}
