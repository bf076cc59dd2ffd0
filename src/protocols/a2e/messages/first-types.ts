// The types by which a first message is one of A2E (R23). Loaded with every daemon, so it is alone in its file.

export const REGISTER = "aaepd.a2e.register";

/** Types of A2E without a "/" in them. */
const PLAIN_TYPES: ReadonlySet<unknown> = new Set(["ping", "shutdown", REGISTER]);

export function isA2eType(type: unknown): boolean {
  return (typeof type === "string" && type.includes("/")) || PLAIN_TYPES.has(type);
}
