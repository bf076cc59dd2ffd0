/**
 * The result of `aaepd conformance` for the daemon itself, for its manifest (AAEP §9.1). docs/conformance has the whole report. The claim names no
 * report, because the reports have no public address, and a path of the package means nothing to a reader elsewhere.
 */
export const CONFORMANCE_CLAIM = {
  suite: "aaepd",
  suite_version: "1.2.0",
  level: 3,
  date: "2026-11-26",
} as const;
