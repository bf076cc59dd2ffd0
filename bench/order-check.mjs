// Numbers that must follow each other.
/** Throws where a number is not the one after the last. The first may be any. */
export function createOrderCheck() {
  let expected;
  return (number) => {
    if (expected !== undefined && number !== expected) throw new Error(`Event ${number} came in place of ${expected}.`);
    expected = number + 1;
  };
}
