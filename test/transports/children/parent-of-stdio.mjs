// Starts speak-stdio.mjs with an end of standard input that stays open in another process, and waits to be killed.
import { spawn } from "node:child_process";

const [, , child] = process.argv;
// The grandparent's descriptors are handed through, so that the end of standard input does not tell the child of this process's death.
spawn(process.execPath, [child, "ignore-stdin"], { stdio: ["inherit", "inherit", "ignore"] });
