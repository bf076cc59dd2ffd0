// The complete configuration of a daemon: every value has a default, and the source of each value is known. config-schema.ts is the table of options;
// config-sources.ts reads files, variables and flags. A daemon has one copy of its configuration (R8b). Options that change at run time are read at
// their use, by getters or functions, and never copied. `reconfigure.ts` informs the parts that already wait by an old value.
import type { OPTIONS } from "./config-schema.js";
import type { ValueOf } from "./config-values.js";

type Rows = typeof OPTIONS;

/** All options. The rows of config-schema.ts have their meanings, types, ranges, defaults and limits. */
export type Configuration = { readonly [Name in keyof Rows]: ValueOf<Rows[Name]["type"]> };

export type OptionName = keyof Configuration;

/** The source of a value. Flags come before variables, variables before the file, and the file before defaults. */
export type ValueSource =
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "environment"; readonly variable: string }
  | { readonly kind: "file"; readonly path: string; readonly key: string }
  | { readonly kind: "default" };

/** The running command. `stdio` has some other defaults. */
export type DaemonCommand = "serve" | "stdio";

export interface ResolvedConfiguration {
  readonly configuration: Configuration;
  readonly sources: { readonly [Name in OptionName]: ValueSource };
}
