// The id of a journal: 128 random bits, drawn when the journal begins and stored in it. By the id a cursor of another journal is recognized (R17).
import { randomBytes } from "node:crypto";
import { seal, unseal } from "../checksums/sealed.js";
import type { Environment } from "./environment.js";
import type { TableKey } from "./tables.js";

const KEY: TableKey = ["journal"];
const FORM = /^[0-9a-f]{32}$/;

/** Answers 32 lower-case hex digits. A journal without an id, or with a damaged one, gets a new one. */
export async function journalId({ tables, commit }: Pick<Environment, "tables" | "commit">): Promise<string> {
  const bytes = tables.meta.get(KEY);
  const read = bytes === undefined ? undefined : unseal(bytes);
  if (read?.kind === "whole" && typeof read.value === "string" && FORM.test(read.value)) return read.value;
  const id = randomBytes(16).toString("hex");
  await commit((writes) => writes.put("meta", KEY, seal(id)));
  return id;
}
