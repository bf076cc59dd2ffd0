/** The daemon's own report by `aaepd conformance`, as its manifest names it (AAEP §9.1). docs/conformance has the whole reports. */
export const CONFORMANCE_CLAIM = {
  suite: "aaepd",
  suite_version: "1.1.0",
  level: 3,
  date: "2026-11-25",
  report: "docs/conformance/unix-socket/conformance-report.json",
} as const;
