// The payload of RECORD. Its faults have codes of their own, and are looked for in the order of the companion.
import type { AkashikRecordRequest, AkashikRelation } from "#gen/akashik/types.js";
import { type Reading, read, refused } from "./envelope.js";
import { formFault, RECORD } from "./validate.js";

/** A memory unit as its agent gives it. */
export interface RecordRequest {
  readonly operation: "RECORD";
  readonly mode: "draft" | "committed";
  readonly type: AkashikRecordRequest["type"];
  readonly content: string;
  readonly purpose: string;
  readonly taskId: string | null;
  readonly question: string | null;
  /** Null only in a draft. */
  readonly score: number | null;
  /** Null only in a draft. */
  readonly reasoning: string | null;
  readonly evidence: readonly string[];
  readonly assumptions: readonly string[];
  readonly relations: readonly UnitRelation[];
}

export interface UnitRelation {
  readonly type: AkashikRelation["type"];
  readonly targetId: string;
  readonly description: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

export function readRecord(payload: Fields): Reading<RecordRequest> {
  const { purpose } = membersOf(payload.intent);
  if (isBlank(purpose)) return refused("MISSING_INTENT");
  const { score, reasoning } = membersOf(payload.confidence);
  if (payload.mode !== "draft" && (isBlank(score) || isBlank(reasoning))) return refused("MISSING_CONFIDENCE");
  if (!isBlank(score) && !isScore(score)) return refused("INVALID_CONFIDENCE");
  if (!RECORD.isValid(payload)) return refused("INVALID_TYPE", formFault(RECORD, payload));
  return read(requestOf(payload));
}

function requestOf({ mode, type, content, intent, confidence, relations }: AkashikRecordRequest): RecordRequest {
  return {
    operation: "RECORD",
    mode: mode ?? "committed",
    type,
    content,
    purpose: intent.purpose,
    taskId: intent.task_id ?? null,
    question: intent.question ?? null,
    score: confidence?.score ?? null,
    reasoning: confidence?.reasoning ?? null,
    evidence: confidence?.evidence ?? [],
    assumptions: confidence?.assumptions ?? [],
    relations: (relations ?? []).map((relation) => ({
      type: relation.type,
      targetId: relation.target_id,
      description: relation.description ?? null,
    })),
  };
}

/** The members of a value that should be an object; none if it is not. */
function membersOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

/** Whether a member is not there, null, or a text without a visible character. */
function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

function isScore(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= 1;
}
