// Which mutants the compiler refuses: one run of it over all of them, each as a file of its own beside the original.
import { spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { write } from "./scratch.mjs";
import { withChange } from "./switches.mjs";

const COMPLAINT = /^(\S+\.ts)\(\d+,\d+\): (error .*)$/gm;

/** Returns those of `mutants` that the compiler accepts, in a copy of the project at `folder`. `sources` are the originals. */
export function accepted(folder, sources, mutants) {
  const sourceOf = new Map(sources.map(({ path, source }) => [path, source]));
  const copies = new Map();
  const copy = (path, number, text) => {
    const name = copyOf(path, number);
    if (!copies.has(name)) write(folder, name, text);
    copies.set(name, []);
  };
  for (const mutant of mutants) {
    const source = sourceOf.get(mutant.path);
    // Complaints about a copy as such are not the mutant's: some types exist once.
    copy(mutant.path, 0, source);
    copy(mutant.path, mutant.number, withChange(source, mutant));
  }
  const configuration = {
    extends: existsSync(join(folder, "tsconfig.test.json")) ? "./tsconfig.test.json" : "./tsconfig.json",
    compilerOptions: { noEmit: true },
    include: [...copies.keys()],
    references: [],
  };
  write(folder, "tsconfig.mutants.json", JSON.stringify(configuration));
  const compiler = join(folder, "node_modules/typescript/bin/tsc");
  const { stdout, error } = spawnSync(
    process.execPath,
    [compiler, "-p", "tsconfig.mutants.json", "--pretty", "false"],
    { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 28 },
  );
  if (error !== undefined) throw error;
  for (const [, name, text] of stdout.matchAll(COMPLAINT)) copies.get(name)?.push(text);
  for (const name of copies.keys()) rmSync(join(folder, name));
  return mutants.filter(({ path, number }) => {
    const usual = copies.get(copyOf(path, 0));
    return copies.get(copyOf(path, number)).every((text) => usual.includes(text));
  });
}

const copyOf = (path, number) => path.replace(/\.ts$/, `.mutant-${number}.ts`);
