/** Ends a `switch` over a discriminated union: a new member of the union does not compile until the switch has a case for it. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`);
}
