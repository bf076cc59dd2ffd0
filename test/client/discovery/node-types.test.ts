// The types of a listener in Node, over the built package, as a program of a stranger sees them.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../support/built.js";
import { isWhole } from "../../support/extent.js";
import { temporaryDirectory } from "../../support/temporary-directory.js";
import { compile, RESOLUTIONS, saidOf } from "../../support/typed-programs.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const PROGRAM = `import { discoverDaemons, isCore, subscribe } from "aaepd";
const subscription = subscribe({ max_events_per_second: 3 }, { onCritical: ({ type }) => console.log(type), cursor: undefined });
for await (const event of subscription) {
  if (!isCore(event)) continue;
  switch (event.type) {
    case "aaep:agent.awaiting.confirmation":
      subscription.reply({ reply_token: event.reply_token, decision: event.default_decision });
      break;
    case "aaep:agent.output.streaming":
      if (event.chunk.length > 1000) subscription.skip(event);
      break;
    default:
      console.log(event.summary_normal, subscription.sourceOf(event)?.label);
  }
}
export const named = [subscribe("my-agent"), subscribe(["a", "/b.sock", discoverDaemons()], {}, { id: "reader" }), subscribe()];
`;

const FLAWS = `import { subscribe } from "aaepd";
export const option = subscribe("my-agent", {}, { onNothing: () => {} });
export const reply = subscribe().reply({ reply_token: "rpl_1", decision: "maybe" });
export const target = subscribe(7);
export const term = subscribe({ pace_wpm: "fast" });
export const misspelt = subscribe("my-agent", { prefered_verbosity: "terse" });
export const alone = subscribe({ prefered_verbosity: "terse" });
`;

describe("a program that has installed the package", () => {
  beforeAll(ensureBuilt, 120_000);

  it.each(isWhole ? RESOLUTIONS : RESOLUTIONS.slice(1))(
    "subscribes with $module and $moduleResolution, and not where it has a flaw",
    (resolution) => {
      const folder = temporaryDirectory();
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(ROOT, join(folder, "node_modules/aaepd"), "dir");
      writeFileSync(join(folder, "package.json"), '{"type":"module"}');
      const types = { typeRoots: [join(ROOT, "node_modules/@types")], types: ["node"], lib: ["es2023"] };
      const errors = compile(folder, { "right.ts": PROGRAM, "wrong.ts": FLAWS }, { ...resolution, ...types });
      expect(errors).toEqual(["wrong.ts 2", "wrong.ts 3", "wrong.ts 4", "wrong.ts 5", "wrong.ts 6", "wrong.ts 7"]);
      const misspelt = `import { subscribe } from "aaepd";\nsubscribe({ prefered_verbosity: "terse" });`;
      const said = saidOf(folder, { "misspelt.ts": misspelt }, { ...resolution, ...types });
      expect(said).toContain("Did you mean to write 'preferred_verbosity'?");
    },
  );
});
