/** Whether a version is `least` or a later one, by the numbers between its dots. */
export function isAtLeast(version: string, least: string): boolean {
  const [have, want] = [version, least].map((one) => one.split(".").map(Number));
  for (const [index, part] of (want ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== part) return own > part;
  }
  return true;
}
