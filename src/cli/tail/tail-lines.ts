import type { Colors } from "picocolors/types.js";
import type { Envelope } from "#gen/aaep/types.js";
import { eventText } from "../terminal/event-text.js";
import { jsonText } from "../terminal/json-text.js";
import { shownText } from "../terminal/shown-text.js";
import { timeOfDay } from "../terminal/time-of-day.js";

export interface TailLinesOptions {
  readonly asJson: boolean;
  readonly withLabel: boolean;
  /** Whether a line begins with the time of day. Lines of JSON never do. */
  readonly withTime: boolean;
  readonly colors: Colors;
}

export interface TailLines {
  /** One event in one line; `label` is empty if only one daemon is followed. */
  readonly event: (label: string, event: Envelope, quotesText: boolean) => string;
}

/** Makes lines such as `14:22:11 Retirement Planner: tool fetch_balance: Reading your balance.` */
export function createTailLines({ asJson, withLabel, withTime, colors }: TailLinesOptions): TailLines {
  function json(label: string, event: Envelope): string {
    return jsonText(withLabel ? { daemon: label, event } : event);
  }

  function plain(label: string, event: Envelope, quotesText: boolean): string {
    const { what, text, isCritical } = eventText(event, { quotesText });
    const agent = shownText(event.producer?.agent_name ?? event.producer?.agent_id ?? "");
    const who = [label, agent].filter((name, index, all) => name !== "" && all.indexOf(name) === index).join(", ");
    const kind = isCritical ? colors.bold(colors.red(`critical ${what}`)) : colors.cyan(what);
    const body = event.urgency === "background" ? colors.dim(text) : text;
    const time = withTime ? `${colors.dim(timeOfDay(new Date(event.timestamp)))} ` : "";
    return `${time}${who}: ${kind}: ${body}`.trimEnd();
  }

  return { event: (label, event, quotesText) => (asJson ? json(label, event) : plain(label, event, quotesText)) };
}
