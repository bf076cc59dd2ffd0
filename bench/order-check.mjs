// Checks that numbers follow each other.
/** Throws if a number does not follow the last one. The first may be any. */
export function createOrderCheck() {
  let expected;
  return (number) => {
    if (expected !== undefined && number !== expected) throw new Error(`Event ${number} came in place of ${expected}.`);
    expected = number + 1;
  };
}
