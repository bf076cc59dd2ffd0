// A teller whose agent has a name that no other one has, and speaks to a daemon that runs.
import { openAgent } from "../client/node.js";
import { claimName } from "./claim-name.js";
import { createTeller, type Teller, type TellerOptions } from "./teller.js";

export interface NamedTellerOptions extends Omit<TellerOptions, "open"> {
  /** Stable id of the agent. */
  readonly id: string;
  /** Name for people; it gets a number if another process has it. */
  readonly name: string;
  /** Language of the announcements, as a tag. */
  readonly language: string;
  /** The process of the agent: no program below it answers it (R5d). Undefined: not known. */
  readonly pid: number | undefined | Promise<number>;
  /** The daemon's socket. Default: the usual one. */
  readonly socket: string | undefined;
  /** Where names in use are noted. */
  readonly runtimeFolder: string | undefined;
}

export function createNamedTeller(options: NamedTellerOptions): Teller {
  const { id, language, pid, socket, onFault } = options;
  const { name, release } = claimName(options.name, options.runtimeFolder, process.getuid?.());
  const { tell, close } = createTeller({
    ...options,
    open: async (onStop) => {
      const known = await pid;
      return openAgent({
        id,
        name,
        language,
        ...(known === undefined ? {} : { pid: known }),
        onStop,
        ...(socket === undefined ? {} : { socket }),
        // A daemon of its own would be found by nobody in time.
        spawn: false,
        onError: ({ fault }) => onFault(fault),
      });
    },
  });
  return {
    tell,
    close: async (withinMs) => {
      await close(withinMs);
      release();
    },
  };
}
