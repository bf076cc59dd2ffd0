// How much the requests of all agents take together until they have ended. A call that waits for a person keeps its whole text as long.

/** Most UTF-16 units of the requests of all sessions together. */
const MOST_UNITS = 32 * 1024 * 1024;
/** UTF-16 units that each session may have all the same, so that no agent's large requests keep the small ones of others away. */
const ALWAYS_UNITS = 64 * 1024;

/** The part of one session in what all may take. */
interface RequestPart {
  /** Whether a request of so many units has room. If so, it takes it. */
  readonly take: (units: number) => boolean;
  readonly leave: (units: number) => void;
  /** The session has ended with all that it still had. */
  readonly end: () => void;
}

export interface RequestRoom {
  readonly open: () => RequestPart;
}

export function createRequestRoom(): RequestRoom {
  let inAll = 0;
  return {
    open: () => {
      let own = 0;
      const leave = (units: number): void => {
        own -= units;
        inAll -= units;
      };
      return {
        take: (units) => {
          if (inAll + units > MOST_UNITS && own + units > ALWAYS_UNITS) return false;
          leave(-units);
          return true;
        },
        leave,
        end: () => leave(own),
      };
    },
  };
}
