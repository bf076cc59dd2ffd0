// The garbage collector at the test's own time, to find out what is held for ever.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects what nobody holds any more, at once. */
export function collector(): () => void {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as () => void;
}
