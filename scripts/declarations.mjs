// Copies the declarations that each package publishes into its `dist/types`, as the compiler left them, and its licence into a workspace.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const FRAMEWORKS = ["ai-sdk", "langchain", "openai-agents", "told-calls"].map((name) => `client/frameworks/${name}`);

/** The modules whose types are public, by the folder of their package. */
const PUBLISHED = {
  ".": ["client/with-grpc", "client/index", "client/node", "daemon/index", "speakable/index", ...FRAMEWORKS],
  "packaging/client": ["client/main", "client/index", ...FRAMEWORKS],
  "packaging/conformance": [],
};

/** The declarations that these modules import, themselves included: paths from the root. */
function declarationsOf(modules) {
  const found = new Set();
  const waiting = [...modules];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    for (const [, from] of readFileSync(join(root, path), "utf8").matchAll(/(?:from |import\()"([.#][^"]+)\.js"/g))
      waiting.push(
        from.startsWith("#") ? `${from.slice(1)}.d.ts` : relative(root, resolve(root, dirname(path), `${from}.d.ts`)),
      );
  }
  return found;
}

for (const [folder, modules] of Object.entries(PUBLISHED)) {
  const home = join(root, folder);
  const declarations = join(home, "dist/types");
  rmSync(declarations, { recursive: true, force: true });
  if (folder !== ".") copyFileSync(join(root, "LICENSE"), join(home, "LICENSE"));
  for (const path of declarationsOf(modules.map((name) => `dist/src/${name}.d.ts`))) {
    // The root publishes these where they are.
    if (folder === "." && path.startsWith("gen/")) continue;
    const copy = join(declarations, path.replace(/^dist\//, ""));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(root, path), copy);
  }
}
