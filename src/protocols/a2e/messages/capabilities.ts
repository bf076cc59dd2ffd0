// The capabilities of A2E, and the one that each type of request belongs to.

export const CAPABILITIES = [
  "skill",
  "tools",
  "toolkits",
  "env",
  "proc",
  "memory",
  "learning",
  "chains",
  "mcp",
  "multi_agent",
] as const;

export type CapabilityName = (typeof CAPABILITIES)[number];

/** A capability that a provider serves, with what it says of it. */
export interface ServedCapability {
  readonly name: CapabilityName;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Reserved for the future: no host has it (A2E companion). */
const NEVER_AVAILABLE: CapabilityName = "multi_agent";

const BY_NAMESPACE: ReadonlyMap<string, CapabilityName> = new Map([
  ["skill", "skill"],
  ["tool", "tools"],
  ["toolkit", "toolkits"],
  ["env", "env"],
  ["proc", "proc"],
  ["memory", "memory"],
  ["learn", "learning"],
  ["chain", "chains"],
  ["mcp", "mcp"],
]);

export function isCapability(name: unknown): name is CapabilityName {
  return CAPABILITIES.some((one) => one === name);
}

/** Whether a provider may serve the capability. */
export function isAvailable(name: CapabilityName): boolean {
  return name !== NEVER_AVAILABLE;
}

/** The capability of a type such as "tool/call/req"; undefined for a namespace that A2E does not name. */
export function capabilityOf(type: string): CapabilityName | undefined {
  return BY_NAMESPACE.get(type.slice(0, type.indexOf("/")));
}
