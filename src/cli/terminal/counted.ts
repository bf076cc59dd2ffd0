/** Says a count with its noun: "1 event", "2 events". */
export function counted(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
