import { Fault } from "../../src/base/errors.js";

/** The Fault that `act` throws. Anything else that it throws is thrown on. */
export function faultOf(act: () => unknown): Fault {
  try {
    act();
  } catch (caught) {
    if (caught instanceof Fault) return caught;
    throw caught;
  }
  throw new Error("nothing was refused");
}
