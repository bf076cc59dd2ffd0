// Joins the compiled modules of the command line into a few files: reading some hundred of them takes as long as all else that a start does.
// Packages stay outside, with their licences beside them. Where the bundler does not run, `bin/aaepd.js` uses the modules as they are.
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const dir = `${root}dist/bundle`;

async function loadRolldown() {
  try {
    return await import("rolldown");
  } catch (caught) {
    process.stderr.write(`The command line is not bundled, and starts more slowly: ${caught.message}\n`);
    return undefined;
  }
}

rmSync(dir, { recursive: true, force: true });
const bundler = await loadRolldown();
if (bundler !== undefined) {
  const bundle = await bundler.rolldown({
    input: { main: `${root}dist/src/cli/main.js` },
    platform: "node",
    external: (id) => !/^[./]/.test(id) && !id.startsWith(root),
  });
  await bundle.write({ dir, format: "esm", sourcemap: true });
  await bundle.close();
}
