// Which journal it is: 128 random bits, drawn when it is begun and kept in it, so that a cursor of another one is told from its own (R17).
import { randomBytes } from "node:crypto";
import type { Environment } from "./environment.js";
import { seal, unseal } from "./sealed.js";
import type { TableKey } from "./tables.js";

const KEY: TableKey = ["journal"];
const FORM = /^[0-9a-f]{32}$/;

/** 32 lower-case hex digits. A journal that has none, or a damaged one, gets one. */
export async function journalId({ tables, commit }: Environment): Promise<string> {
  const bytes = tables.meta.get(KEY);
  const read = bytes === undefined ? undefined : unseal(bytes);
  if (read?.kind === "whole" && typeof read.value === "string" && FORM.test(read.value)) return read.value;
  const id = randomBytes(16).toString("hex");
  await commit((writes) => writes.put("meta", KEY, seal(id)));
  return id;
}
