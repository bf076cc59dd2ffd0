// A row of the table of options.
import type { ServiceName } from "../../../transports/ways.js";
import type { ValueType } from "./config-values.js";

export interface OptionRow<Value> {
  readonly type: ValueType<Value>;
  readonly fallback: Value;
  /** The default under `stdio`, if it differs. */
  readonly stdioFallback?: Value;
  /** Meaning of the option, in one sentence. */
  readonly meaning: string;
  /** Behaviour at the limit, the meaning of 0, or the choices. */
  readonly atTheLimit: string;
  /** "at_once": SIGHUP applies a change to a running daemon. "next_start": the next start applies it (R8b). Default: "at_once". */
  readonly change?: "at_once" | "next_start";
  /** The new objects that an immediate change affects, as in "new streams". Undefined: it affects everything. */
  readonly changeIsFor?: string;
  /**
   * The options of which one must be on for this one to have an effect. A flag without any of them is refused; a variable or the file may keep the
   * value for other starts.
   */
  readonly needs?: readonly ServiceName[];
}

/** A row whose defaults have the type that its `type` reads. */
export function option<Value>(row: OptionRow<NoInfer<Value>> & { readonly type: ValueType<Value> }): OptionRow<Value> {
  return row;
}

/** Rows below a heading of the help and the documentation. */
export function inGroup<Rows extends Readonly<Record<string, object>>>(group: string, rows: Rows) {
  const placed = Object.entries(rows).map(([name, row]) => [name, { change: "at_once", ...row, group }]);
  return Object.fromEntries(placed) as {
    readonly [Name in keyof Rows]: Rows[Name] & {
      readonly group: string;
      readonly change: "at_once" | "next_start";
    };
  };
}
