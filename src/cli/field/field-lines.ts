import type { Colors } from "picocolors/types.js";
import type { AkashikNotification } from "#gen/akashik/types.js";
import { jsonText } from "../terminal/json-text.js";
import { shownText } from "../terminal/shown-text.js";
import { timeOfDay } from "../terminal/time-of-day.js";

export interface FieldLinesOptions {
  readonly asJson: boolean;
  /** Whether a line begins with the time of day. Lines of JSON never do. */
  readonly withTime: boolean;
  readonly colors: Colors;
  /** ms since 1970. */
  readonly wallTime: () => number;
}

export interface FieldLines {
  readonly notification: (notification: AkashikNotification) => string;
}

/** Makes lines such as `14:22:11 memory.recorded 0.7: writer recorded: Market prices rose. (mem-1)`. */
export function createFieldLines({ asJson, withTime, colors, wallTime }: FieldLinesOptions): FieldLines {
  function plain(notification: AkashikNotification): string {
    const { event, relevance_score, summary, memory_unit_id, conflict_id, requires_action } = notification;
    const time = withTime ? `${colors.dim(timeOfDay(new Date(wallTime())))} ` : "";
    const kind = `${event} ${relevance_score}`;
    const shownKind = requires_action ? `${colors.bold(kind)}, to act on` : colors.cyan(kind);
    const id = memory_unit_id ?? conflict_id;
    return `${time}${shownKind}: ${shownText(summary)}${id === null ? "" : ` (${shownText(id)})`}`;
  }
  return { notification: (one) => (asJson ? jsonText(one) : plain(one)) };
}
