import type { Fault } from "../../base/errors.js";

export type RelayNews =
  | { readonly kind: "connected" }
  | { readonly kind: "heard" }
  | { readonly kind: "lost"; readonly fault: Fault }
  | { readonly kind: "refused"; readonly fault: Fault };

/** Puts the news of a relay into words. A refusal of one rule is told once, since the same producer repeats it. */
export function createRelayNews(base: string, tell: (words: string) => void): (news: RelayNews) => void {
  const refused = new Map<string, number>();
  // Without the path, which may be a secret.
  const { host } = new URL(base);
  return (news) => {
    switch (news.kind) {
      case "connected":
        return tell(`Connected to ${host}.`);
      case "heard":
        return;
      case "lost":
        return tell(`${host} is not connected: ${news.fault.sentence} Trying again.`);
      case "refused": {
        const { rule, code, sentence } = news.fault;
        const count = (refused.get(rule ?? code) ?? 0) + 1;
        refused.set(rule ?? code, count);
        if (count === 1) tell(`${host} breaks a rule, and is told all the same. ${rule ?? code}: ${sentence}`);
      }
    }
  };
}
