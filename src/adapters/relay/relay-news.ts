import type { RelayNews } from "./relay.js";

/** Puts the news of a relay into words. A refusal of one rule is told once, since the same producer repeats it. */
export function createRelayNews(base: string, tell: (words: string) => void): (news: RelayNews) => void {
  const refused = new Map<string, number>();
  return (news) => {
    switch (news.kind) {
      case "connected":
        return tell(`Connected to ${base}.`);
      case "lost":
        return tell(`${base} is not connected: ${news.fault.sentence} Trying again.`);
      case "refused": {
        const { rule, code, sentence } = news.fault;
        const count = (refused.get(rule ?? code) ?? 0) + 1;
        refused.set(rule ?? code, count);
        if (count === 1) tell(`${base} breaks a rule, and is told all the same. ${rule ?? code}: ${sentence}`);
      }
    }
  };
}
