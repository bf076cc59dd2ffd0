/** Ends a `switch` over a discriminated union: a new member does not compile until it has a case. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}
