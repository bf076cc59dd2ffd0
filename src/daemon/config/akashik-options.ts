// The row of the table of options that concerns Akashik (docs/akashik.md).
import type { Configuration } from "./config.js";
import { wholeNumber } from "./config-values.js";
import type { OptionRow } from "./option-row.js";

type AkashikOptionName = Extract<keyof Configuration, `akashik${string}`>;

export const AKASHIK_OPTIONS: { readonly [Name in AkashikOptionName]: OptionRow<Configuration[Name]> } = {
  akashikMaxUnits: {
    group: "Akashik",
    type: wholeNumber("COUNT", 1, 100_000),
    unit: "memory units",
    fallback: 10_000,
    meaning: "How many memory units the Akashik Field keeps.",
    atTheLimit: "The daemon answers a further RECORD by STORAGE_FULL. It never lets go of a unit by itself.",
    change: "at_once",
  },
};
