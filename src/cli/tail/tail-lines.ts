import type { Colors } from "picocolors/types.js";
import type { Envelope } from "#gen/aaep/types.js";
import { ownLine, type ReadText, shownName } from "../terminal/agent-text.js";
import { timeOfDay } from "../terminal/amounts.js";
import { eventText } from "../terminal/event-text.js";
import { jsonText } from "../terminal/shown-text.js";

interface TailLinesOptions {
  readonly asJson: boolean;
  readonly withLabel: boolean;
  /** Whether a line begins with the time of day. Lines of JSON never do. */
  readonly withTime: boolean;
  /** Whether daemon and agent are named. */
  readonly withNames: boolean;
  readonly colors: Colors;
  readonly read: ReadText;
}

/**
 * One event in one line; undefined if there is nothing to say. `label` is empty if only one daemon is followed. The line names daemon and agent if
 * the line before was about others.
 */
export type TailLine = (label: string, event: Envelope, quotesText: boolean) => string | undefined;

/** Makes lines such as `14:22:11 Retirement Planner: tool: fetch_balance: Reading your balance.` */
export function createTailLines(options: TailLinesOptions): TailLine {
  const { asJson, withLabel, withTime, withNames, colors, read } = options;
  let namedDaemon = "";
  let namedAgent = "";

  function names(label: string, agent: string): string {
    const isNewDaemon = label !== namedDaemon;
    const isNewAgent = agent !== namedAgent;
    namedDaemon = label;
    namedAgent = agent;
    if (!withNames || (!isNewDaemon && !isNewAgent)) return "";
    const said = [isNewDaemon ? label : "", agent].filter(
      (name, index, all) => name !== "" && all.indexOf(name) === index,
    );
    return said.length === 0 ? "" : `${said.join(", ")}: `;
  }

  function plain(label: string, event: Envelope, quotesText: boolean): string | undefined {
    const { what, text, isCritical } = eventText(event, { quotesText, read });
    if (what === "text" && text === "") return undefined;
    const agent = shownName(event);
    const kind = isCritical ? colors.bold(colors.red(`critical ${what}`)) : colors.cyan(what);
    const body = event.urgency === "background" ? colors.dim(text) : text;
    const time = withTime ? `${colors.dim(timeOfDay(new Date(event.timestamp)))} ` : "";
    const line = `${time}${names(label, agent)}${kind}${text === "" ? "" : `: ${body}`}`;
    return event.extensions?.aaepd?.by === "daemon" ? ownLine(line) : line;
  }

  return (label, event, quotesText) =>
    asJson ? jsonText(withLabel ? { daemon: label, event } : event) : plain(label, event, quotesText);
}
