/** Collects findings about numbered lines in any order, and reports them in the order of the lines. */
export interface ToldInOrder<Finding> {
  /** Announces a line whose finding is still to come. Lines are announced in order. */
  readonly expect: (line: number) => void;
  /** Settles a line, with a finding or without one. */
  readonly settle: (line: number, finding?: Finding) => void;
}

/** `tell` is called as soon as no earlier line is unsettled. */
export function createToldInOrder<Finding>(tell: (line: number, finding: Finding) => void): ToldInOrder<Finding> {
  const expected = new Map<number, { readonly isSettled: boolean; readonly finding: Finding | undefined }>();

  function tellFirst(): void {
    for (const [line, { isSettled, finding }] of expected) {
      if (!isSettled) return;
      expected.delete(line);
      if (finding !== undefined) tell(line, finding);
    }
  }

  return {
    expect: (line) => void expected.set(line, { isSettled: false, finding: undefined }),
    settle: (line, finding) => {
      if (!expected.has(line)) return;
      expected.set(line, { isSettled: true, finding });
      tellFirst();
    },
  };
}
