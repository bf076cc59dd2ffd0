// The requests of one session: at most `max_parallel` have begun and not ended. The others wait in order of arrival.

/** One request of a session. */
export interface ParallelRequest {
  /** Begins. Called once, when a slot is free; the slot is freed by `ended` of `ParallelRequests`. */
  readonly begin: () => void;
  /** Bytes, or other units, that it takes while it waits. */
  readonly units: number;
}

export interface ParallelRequests<Request extends ParallelRequest> {
  /** Takes a request. Returns false if too many wait already. */
  readonly add: (request: Request) => boolean;
  /** A request that had begun has ended: the next one begins. */
  readonly ended: (request: Request) => void;
  /** Requests that have begun. */
  readonly begun: () => readonly Request[];
  /** Drops all that wait, and returns them in their order. */
  readonly dropWaiting: () => readonly Request[];
  readonly isIdle: () => boolean;
}

export interface ParallelLimits {
  readonly maxParallel: number;
  readonly maxWaitingCount: number;
  readonly maxWaitingUnits: number;
}

export function createParallelRequests<Request extends ParallelRequest>({
  maxParallel,
  maxWaitingCount,
  maxWaitingUnits,
}: ParallelLimits): ParallelRequests<Request> {
  const begun = new Set<Request>();
  const waiting = new Set<Request>();
  let waitingUnits = 0;
  let isBeginning = false;

  /** A request may end while it begins, and others may end then: a loop, so that however many fail at once take no stack. */
  const beginNext = (): void => {
    if (isBeginning) return;
    isBeginning = true;
    try {
      for (const request of waiting) {
        if (begun.size >= maxParallel) break;
        waiting.delete(request);
        waitingUnits -= request.units;
        begun.add(request);
        request.begin();
      }
    } finally {
      isBeginning = false;
    }
  };

  return {
    add: (request) => {
      const isFull = waiting.size >= maxWaitingCount || waitingUnits + request.units > maxWaitingUnits;
      if (isFull && begun.size >= maxParallel) return false;
      waiting.add(request);
      waitingUnits += request.units;
      beginNext();
      return true;
    },
    ended: (request) => {
      if (begun.delete(request)) beginNext();
    },
    begun: () => [...begun],
    dropWaiting: () => {
      const dropped = [...waiting];
      waiting.clear();
      waitingUnits = 0;
      return dropped;
    },
    isIdle: () => begun.size === 0 && waiting.size === 0,
  };
}
