// Results that say themselves that the call failed (A2E companion).
import { type A2eMessage, isMessage } from "./message.js";

/** Longest code that stands in a text, UTF-16 units; anything longer is a sentence of the provider's. */
const LONGEST_CODE = 64;

/**
 * The code of the failure that an answer reports in itself or in its `data`; undefined if it reports none. Answers say it by `success` or `ok`, those
 * of the namespace mcp by `isError`.
 */
export function failureIn(answer: A2eMessage): string | undefined {
  const { data } = answer;
  const failed = [answer, ...(isMessage(data) ? [data] : [])].find(isFailed);
  if (failed === undefined) return undefined;
  const { code, error } = failed;
  const named = [code, isMessage(error) ? error.code : error].find(isCode);
  return named ?? "runtime_error";
}

function isFailed({ success, ok, isError, is_error }: A2eMessage): boolean {
  return success === false || ok === false || isError === true || is_error === true;
}

function isCode(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= LONGEST_CODE;
}
