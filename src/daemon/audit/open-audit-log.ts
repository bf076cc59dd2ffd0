// Opens the audit log that the configuration names.
import type { Audit, ReplyFate } from "../../contracts/audit.js";
import type { DaemonOptions } from "../config/daemon-options.js";
import { type AuditLog, createAuditLog } from "./audit-log.js";
import { auditDirectory } from "./audit-names.js";

const NO_AUDIT: AuditLog = {
  isOn: false,
  record: () => {},
  droppedCount: () => 0,
  floodedCount: () => 0,
  trouble: () => undefined,
  close: async () => {},
};

/** Opens the log. The limits are read from `options` at each write. */
export function openAuditLog(options: DaemonOptions): AuditLog {
  const { audit, auditLog, producerId, log, clock } = options;
  if (audit.kind === "off" || auditLog !== undefined) return NO_AUDIT;
  return createAuditLog({
    directory: auditDirectory(audit, options.place?.environment ?? process.env),
    producerId,
    limits: () => ({ maxBytes: options.auditMaxBytes, keepFiles: options.auditKeepFiles }),
    log,
    clock,
  });
}

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
