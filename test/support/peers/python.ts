// The interpreter of Python itself.
import { execFileSync } from "node:child_process";

const found: { path?: string } = {};

/**
 * The beginning of a command for a program that needs nothing but the standard library: it looks for no other packages, and starts without the
 * scripts that managers of versions put before the interpreter.
 */
export function python(): readonly [program: string, option: string] {
  const tell = "import sys; print(sys.executable)";
  found.path ??= execFileSync("python3", ["-S", "-c", tell], { encoding: "utf8" }).trim();
  return [found.path, "-S"];
}
