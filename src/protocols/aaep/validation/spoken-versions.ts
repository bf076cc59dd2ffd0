// The versions of AAEP that are spoken here, all of them as 1.0.0 (R21).

const VERSION_1 = /^1(\.\d+){0,2}([-+].*)?$/;
const DRAFT = "0.1.0-draft";

/** Whether a peer that names this version can be understood: any 1.x, and the draft before it. */
export function isSpokenVersion(version: string): boolean {
  return version === DRAFT || VERSION_1.test(version);
}
