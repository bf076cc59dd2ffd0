// Joins the compiled modules of the command line into a few files: reading some hundred of them takes as long as all else that a start does.
// Packages stay outside, with their licences beside them. Where the bundler does not run, `bin/aaepd.js` uses the modules as they are.
import { readdirSync, rmSync } from "node:fs";
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

const bundler = await loadRolldown();
if (bundler === undefined) rmSync(dir, { recursive: true, force: true });
else {
  const bundle = await bundler.rolldown({
    input: { main: `${root}dist/src/cli/main.js` },
    platform: "node",
    external: (id) => !/^[./#]/.test(id) && !id.startsWith(root),
  });
  // What is read is compiled, blanks and comments too. Names stay, for those who read a stack or a profile.
  const minify = { compress: true, mangle: false, codegen: { removeWhitespace: true } };
  // Names say what is in a file. What is the same stays where it is: a daemon that runs may still have to load a part.
  const { output } = await bundle.write({ dir, format: "esm", sourcemap: true, minify });
  await bundle.close();
  const names = new Set(output.map(({ fileName }) => fileName));
  for (const name of readdirSync(dir)) if (!names.has(name)) rmSync(`${dir}/${name}`);
}
