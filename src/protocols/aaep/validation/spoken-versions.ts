// The supported versions of AAEP, all of them treated as 1.0.0 (R21).

const VERSION_1 = /^1(\.\d+){0,2}([-+].*)?$/;
const DRAFT = "0.1.0-draft";

/** Whether the version is supported: any 1.x, and the draft before it. */
export function isSpokenVersion(version: string): boolean {
  return version === DRAFT || VERSION_1.test(version);
}
