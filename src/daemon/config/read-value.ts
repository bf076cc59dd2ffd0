// The result of reading the value of an option.

export type ReadValue<Value> =
  | { readonly kind: "value"; readonly value: Value }
  /** The value to give instead, as in "a whole number from 1 to 5". */
  | { readonly kind: "refused"; readonly wanted: string };

export function refused(wanted: string): { readonly kind: "refused"; readonly wanted: string } {
  return { kind: "refused", wanted };
}

export function given<Value>(value: Value): ReadValue<Value> {
  return { kind: "value", value };
}
