// Opens the audit log that the configuration names.
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
