// The display: BRLTTY's connection, kept up, and the line that it shows while a person has taken it. Without that, a screen reader has it.
import { faultFrom } from "../base/errors.js";
import type { Clock } from "../contracts/clock.js";
import type { Speech } from "../speak/speech.js";
import { BrailleLine, type Move } from "./braille-line.js";
import { BrlapiConnection, type KeyRange } from "./brlapi-connection.js";
import type { Brltty } from "./brltty.js";

export interface BrailleDisplayOptions {
  readonly brltty: Brltty;
  readonly clock: Pick<Clock, "now" | "wakeAt">;
  /** Tells in one line that there is no display, and that it is there. */
  readonly report: (text: string) => void;
}

/** Over a screen reader, which stands at 50, also if that one begins later. Below it: shows nothing, and gets keys that it leaves. */
const TAKEN = 60;
const WAITING = 1;
const RETRY_MS = 10_000;

/** BRLTTY's commands as BrlAPI's codes. */
const COMMAND = 0x2000_0000;
const MOVES: ReadonlyMap<number, Move> = new Map(
  (
    [
      ["left", 21, 23, 25],
      ["right", 22, 24, 26],
      ["before", 1, 3, 5],
      ["next", 2, 4, 6],
      ["first", 9, 11],
      ["last", 10, 12],
      ["new", 16],
    ] as const
  ).flatMap(([move, ...commands]) => commands.map((command) => [COMMAND + command, move] as const)),
);
/** NXPROMPT takes the display. No screen reader uses it. HOME gives it back, which brings the screen reader's place. */
const TAKE = COMMAND + 16;
const GIVE_BACK = COMMAND + 29;
const EVERY_KEY: KeyRange = [0n, 2n ** 64n - 1n];
/** Letters typed on the display's own keyboard are not for aaepd. */
const TYPED_KEYS: KeyRange = [0n, 0x1fff_ffffn];

export class BrailleDisplay {
  readonly #options: BrailleDisplayOptions;
  readonly #line = new BrailleLine(0);
  #connection: BrlapiConnection | undefined;
  #cells = 0;
  #isTaken = false;
  #told = "";
  #turn: Promise<unknown> = Promise.resolve();
  #cancelWait = (): void => {};
  #isClosed = false;

  constructor(options: BrailleDisplayOptions) {
    this.#options = options;
    void this.#connect();
  }

  /** Puts a text behind the others. The row that is shown stays. */
  add(speech: Speech): void {
    this.#line.add(speech);
    this.#show();
  }

  /** Shows the answer to a key at once, if the display is taken and there. */
  answer(speech: Speech): void {
    if (!this.#isTaken || this.#cells === 0) return;
    this.#line.answer(speech);
    this.#show();
  }

  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** False: there is no display at the moment. */
  take(): boolean {
    if (this.#cells === 0) return false;
    if (this.#isTaken) return true;
    this.#isTaken = true;
    this.#place();
    return true;
  }

  /** Gives the display back to the screen reader. */
  giveBack(): void {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    this.#inTurn(async (connection) => {
      await connection.setPriority(0);
      // BRLTTY looks for the client to show at a write alone.
      connection.write(" ".repeat(this.#cells));
    });
    this.#place();
  }

  /** Resolves when the display is given back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isTaken) {
      this.giveBack();
      await this.#turn;
    }
    this.#cancelWait();
    this.#connection?.close();
  }

  async #connect(): Promise<void> {
    const { brltty, clock } = this.#options;
    const connection = new BrlapiConnection(brltty.connect(), {
      clock,
      onKey: (code) => this.#pressed(code),
      onChange: () => this.#inTurn((it) => this.#measure(it)),
    });
    this.#connection = connection;
    this.#inTurn(async () => {
      await connection.open(brltty.key);
      await connection.watch();
    });
    this.#place(true);
    this.#inTurn((it) => this.#measure(it));
    const { sentence } = await connection.closed;
    this.#connection = undefined;
    this.#cells = 0;
    if (this.#isClosed) return;
    this.#tell(`No braille: ${sentence} Trying again every ${RETRY_MS / 1000} seconds.`);
    this.#cancelWait = clock.wakeAt(clock.now() + RETRY_MS, () => void this.#connect());
  }

  async #measure(connection: BrlapiConnection): Promise<void> {
    const driver = await connection.driver();
    const cells = await connection.cells();
    if (this.#connection !== connection) return;
    this.#cells = cells;
    if (cells === 0) return this.#tell("There is no braille display. It goes on where it was once it is there.");
    this.#line.resize(cells);
    this.#show();
    this.#tell(`Braille: ${driver}, ${cells} cells. To take the display: aaepd braille take`);
  }

  /** Stands over the screen reader, or below it. A place is left before another begins, which also empties it. */
  #place(isNew = false): void {
    const isTaken = this.#isTaken;
    this.#inTurn(async (connection) => {
      if (!isNew) await connection.leave();
      await connection.setPriority(isTaken ? TAKEN : WAITING);
      await connection.enter(this.#options.brltty.path);
      await connection.setKeys("ignored", isTaken ? TYPED_KEYS : EVERY_KEY);
      if (!isTaken) await connection.setKeys("accepted", [BigInt(TAKE), BigInt(TAKE)]);
    });
    this.#show();
  }

  #show(): void {
    this.#inTurn(async (connection) => {
      if (this.#isTaken && this.#cells > 0) connection.write(this.#line.show());
    });
  }

  #pressed(code: number): void {
    const move = MOVES.get(code);
    if (!this.#isTaken) {
      if (code === TAKE) this.take();
    } else if (code === GIVE_BACK) this.giveBack();
    else if (move !== undefined) {
      this.#line.move(move);
      this.#show();
    }
  }

  /** A request that fails ends the connection, and another one begins. */
  #inTurn(run: (connection: BrlapiConnection) => Promise<void>): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#turn = this.#turn.then(() => run(connection)).catch((caught) => connection.close(faultFrom(caught)));
  }

  #tell(text: string): void {
    if (text !== this.#told) this.#options.report(text);
    this.#told = text;
  }
}
