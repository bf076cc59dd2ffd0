// Members and values that come from outside. Every plain object inherits members, such as `constructor`, and has `__proto__`; `String` throws for an
// object whose `toString` is no function.

/** An object with unknown members. */
export type Members = Readonly<Record<string, unknown>>;

/** Whether the value is an object, and no list. */
export function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the members of an object; none of any other value. */
export function membersOf(value: unknown): Members {
  return isObject(value) ? value : {};
}

/** Returns the value if it is a text, else "". */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the value if it is a text that is not empty. */
export function someText(value: unknown): string | undefined {
  return textOf(value) || undefined;
}

/** Returns the object's own member of that name; undefined if there is none, whatever the object inherits. */
export function ownMember<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Sets a member of any name, `__proto__` included. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
}
