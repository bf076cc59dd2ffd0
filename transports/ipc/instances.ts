import { Fault } from "../../src/base/errors.js";

/** Most daemons of one producer id on one machine; more are a mistake somewhere. */
const MOST_INSTANCES = 16;

/**
 * Tries instance 1, 2 and so on, until an address is free. Rejects with any other Fault, and beyond `mostInstances` (default 16) with
 * "address_in_use".
 */
export async function firstFreeInstance<Listening>(
  listenAs: (instance: number) => Promise<Listening>,
  mostInstances: number = MOST_INSTANCES,
): Promise<Listening> {
  for (let instance = 1; ; instance++) {
    try {
      return await listenAs(instance);
    } catch (caught) {
      const isTaken = caught instanceof Fault && caught.code === "address_in_use";
      if (!isTaken || instance >= mostInstances) throw caught;
    }
  }
}
