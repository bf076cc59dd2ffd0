// The row of the table of options that concerns Akashik (docs/akashik.md).
import { wholeNumber } from "./config-values.js";
import { option } from "./option-row.js";

export const AKASHIK_OPTIONS = {
  akashikMaxUnits: option({
    group: "Akashik",
    type: wholeNumber("COUNT", 1, 100_000),
    unit: "memory units",
    fallback: 10_000,
    meaning: "How many memory units the Akashik Field keeps.",
    atTheLimit: "The daemon answers a further RECORD by STORAGE_FULL. It never lets go of a unit by itself.",
    change: "at_once",
  }),
};
