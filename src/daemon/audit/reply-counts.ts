import type { Audit, ReplyFate } from "../../contracts/audit.js";

/** Passes entries on and counts replies by fate. */
export function countReplies(audit: Audit): { readonly audit: Audit; readonly counts: ReadonlyMap<ReplyFate, number> } {
  const counts = new Map<ReplyFate, number>();
  return {
    counts,
    audit: {
      isOn: audit.isOn,
      record: (entry, note) => {
        if (entry.kind === "reply") counts.set(entry.fate, (counts.get(entry.fate) ?? 0) + 1);
        audit.record(entry, note);
      },
    },
  };
}
