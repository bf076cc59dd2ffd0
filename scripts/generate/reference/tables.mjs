// Loads the tables that the reference is made from: those of the source, and those of ../data. The first are TypeScript, so the bundler joins them first; a compiled folder would have to
// be built before.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { rolldown } from "rolldown";

const MODULES = [
  "src/base/reference-links.ts",
  "src/engine/event/agent-states.ts",
  "src/engine/event/event.ts",
  "src/protocols/aaep/validation/core-types.ts",
  "src/protocols/aaep/validation/validate-messages.ts",
  ...["capabilities", "members", "messages"].map((name) => `scripts/generate/data/${name}.json`),
];

const ENTRY = "\0tables";

/** The exports of all modules in one object. */
export async function readTables(root) {
  const folder = mkdtempSync(join(tmpdir(), "aaepd-tables-"));
  try {
    const bundle = await rolldown({
      input: ENTRY,
      platform: "node",
      cwd: root,
      logLevel: "silent",
      resolve: { extensionAlias: { ".js": [".ts", ".js"] } },
      plugins: [
        {
          name: "tables",
          resolveId: (id) => (id === ENTRY ? id : undefined),
          load: (id) =>
            id === ENTRY
              ? MODULES.map((path) => `export * from ${JSON.stringify(join(root, path))};`).join("\n")
              : undefined,
        },
      ],
    });
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
    await bundle.close();
    const path = join(folder, "tables.mjs");
    writeFileSync(path, output[0].code);
    return await import(pathToFileURL(path).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
