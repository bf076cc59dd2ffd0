// Members of hosts' messages, which may have any form.

export type Fields = Readonly<Record<string, unknown>>;

/** The value as an object; without members if it is none. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a text that is not empty. */
export function someText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
