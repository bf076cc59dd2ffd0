import { Fault, type FaultCode } from "../../base/errors.js";
import type { AgentTrouble } from "./agent-options.js";

/** Text and events of a session that no listener gets: counted, and told once. */
export class Drops {
  readonly #onTrouble: (trouble: Omit<AgentTrouble, "session_id">) => void;
  #characters = 0;
  #isHoled = false;
  #untold = { droppedCharacters: 0, droppedEvents: 0 };

  constructor(onTrouble: (trouble: Omit<AgentTrouble, "session_id">) => void) {
    this.#onTrouble = onTrouble;
  }

  /** All characters that were dropped so far. */
  get characters(): number {
    return this.#characters;
  }

  /** Counts what was dropped. The next trouble that is told has it. */
  count(characters: number, events: number): void {
    this.#characters += characters;
    this.#untold.droppedCharacters += characters;
    this.#untold.droppedEvents += events;
  }

  /** Counts likewise, and tells the first drop of a hole at once. Further drops are told when the hole ends. */
  drop(characters: number, events: number): void {
    this.count(characters, events);
    const isFirst = !this.#isHoled;
    // Before the author is told, who may say something at once.
    this.#isHoled = true;
    if (isFirst) this.tellRest();
  }

  /** A daemon has taken something: what was dropped before is told. */
  holeEnds(): void {
    this.#isHoled = false;
    this.tellRest();
  }

  /** Tells a fault, with what was dropped and is not told yet. */
  tell(fault: Fault): void {
    const told = this.#untold;
    this.#untold = { droppedCharacters: 0, droppedEvents: 0 };
    this.#onTrouble({ fault, ...told });
  }

  /** Tells what is not told yet, and why it was dropped. */
  tellRest(code: FaultCode = "rate_limit"): void {
    const { droppedCharacters: characters, droppedEvents: events } = this.#untold;
    if (characters === 0 && events === 0) return;
    const sentence = `The daemon did not take everything: ${characters} characters and ${events} other events were dropped.`;
    this.tell(new Fault(code, sentence, { origin: "local" }));
  }
}
