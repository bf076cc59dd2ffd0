// What makes two JSON values equal, whatever way they came: the order of members does not count, -0 is 0, and half characters are U+FFFD.

/** One text for equal values. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.toWellFormed());
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  // Names that differ in half characters alone become one; as everywhere the last counts.
  const members = new Map(Object.entries(value).map(([name, item]) => [name.toWellFormed(), canonicalJson(item)]));
  const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, item]) => `${JSON.stringify(name)}:${item}`).join(",")}}`;
}

/** An object with these members, whatever their names: `__proto__` too. */
export function objectOf(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, value] of members) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}
