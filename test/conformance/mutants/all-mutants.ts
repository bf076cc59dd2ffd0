// All broken producers.
import { CASE_MUTANTS } from "./case-mutants.js";
import { CHAPTER_MUTANTS } from "./chapter-mutants.js";
import type { Mutant } from "./mutant.js";
import { NEARLY_RIGHT } from "./nearly-right-mutants.js";
import { TERMS } from "./terms-mutants.js";
import { WATCHED } from "./watched-mutants.js";

/** Broken producers of the kinds that cases of an earlier suite let pass. */
export const KIND_MUTANTS: readonly Mutant[] = [...NEARLY_RIGHT, ...TERMS, ...WATCHED];

export const PRODUCER_MUTANTS: readonly Mutant[] = [...CHAPTER_MUTANTS, ...CASE_MUTANTS, ...KIND_MUTANTS];
