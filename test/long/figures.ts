// Figures of long runs, and how they are told.

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function tell(text: string): void {
  process.stdout.write(`${text}\n`);
}
