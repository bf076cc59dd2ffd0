// Progress that a host has had from us while a call was held, and then has from the server: it must go on to increase.
import { eachMember } from "../../base/json-members.js";

/** The notification with its `progress` and `total` raised, and else unchanged; undefined where there is no number to raise. */
export function raisedProgress(text: string, by: number): string | undefined {
  const [params, ...others] = spansOf(text, ["params"]);
  if (params === undefined || others.length > 0) return undefined;
  const inner = text.slice(params.start, params.end);
  let raised = "";
  let from = 0;
  for (const { start, end } of spansOf(inner, ["progress", "total"])) {
    const value: unknown = Number(inner.slice(start, end));
    if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
    raised += `${inner.slice(from, start)}${value + by}`;
    from = end;
  }
  return from === 0
    ? undefined
    : `${text.slice(0, params.start)}${raised}${inner.slice(from)}${text.slice(params.end)}`;
}

function spansOf(text: string, names: readonly string[]): readonly { readonly start: number; readonly end: number }[] {
  const spans: { start: number; end: number }[] = [];
  eachMember(text, (name, start, end) => {
    if (names.includes(name)) spans.push({ start, end });
    return "go on";
  });
  return spans;
}
