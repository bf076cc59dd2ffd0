// Text and events of a session that no listener gets: counted, and told once.
import { Fault, type FaultCode } from "../../base/errors.js";
import type { AgentTrouble } from "./agent-options.js";

export interface Drops {
  /** Counts what was dropped. The next trouble that is told has it. */
  readonly count: (characters: number, events: number) => void;
  /** Counts likewise, and tells the first drop of a hole at once. Further drops are told when the hole ends. */
  readonly drop: (characters: number, events: number) => void;
  /** A daemon has taken something: what was dropped before is told. */
  readonly holeEnds: () => void;
  /** Tells a fault, with what was dropped and is not told yet. */
  readonly tell: (fault: Fault) => void;
  /** Tells what is not told yet. `code`: why it was dropped. Default "rate_limit". */
  readonly tellRest: (code?: FaultCode) => void;
  /** All characters that were dropped so far. */
  readonly characters: () => number;
}

export function createDrops(onTrouble: (trouble: Omit<AgentTrouble, "session_id">) => void): Drops {
  let all = 0;
  let isHoled = false;
  let untold = { droppedCharacters: 0, droppedEvents: 0 };

  const count: Drops["count"] = (characters, events) => {
    all += characters;
    untold.droppedCharacters += characters;
    untold.droppedEvents += events;
  };
  const tell: Drops["tell"] = (fault) => {
    const told = untold;
    untold = { droppedCharacters: 0, droppedEvents: 0 };
    onTrouble({ fault, ...told });
  };
  const tellRest: Drops["tellRest"] = (code = "rate_limit") => {
    const { droppedCharacters: characters, droppedEvents: events } = untold;
    if (characters === 0 && events === 0) return;
    const sentence = `The daemon did not take everything: ${characters} characters and ${events} other events were dropped.`;
    tell(new Fault(code, sentence, { origin: "local" }));
  };

  return {
    count,
    drop: (characters, events) => {
      count(characters, events);
      const isFirst = !isHoled;
      // Before the author is told, who may say something at once.
      isHoled = true;
      if (isFirst) tellRest();
    },
    holeEnds: () => {
      isHoled = false;
      tellRest();
    },
    tell,
    tellRest,
    characters: () => all,
  };
}
