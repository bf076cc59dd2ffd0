import type { Level, Role } from "../findings/finding.js";

/** A requirement of the specification. */
export interface Requirement {
  readonly paragraph: string;
  readonly role: Role;
  readonly level: Level;
  /** The requirement in words of our own. */
  readonly rule: string;
  /** Ids of the cases that judge it, or the reason why none does. */
  readonly covered: readonly string[] | string;
}

export function requirement(
  role: Role,
  paragraph: string,
  level: Level,
  rule: string,
  covered: readonly string[] | string,
): Requirement {
  return { paragraph, role, level, rule, covered };
}
