/** What is found out in any order about numbered lines, told in theirs. */
export interface ToldInOrder<Finding> {
  /** Something about this line is still to be found out. Lines come in order. */
  readonly expect: (line: number) => void;
  /** It has been found out: with a finding, or without one. */
  readonly settle: (line: number, finding?: Finding) => void;
}

/** `tell` is called as soon as nothing about an earlier line is awaited any more. */
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
