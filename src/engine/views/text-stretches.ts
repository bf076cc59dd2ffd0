// Joins neighbouring texts of a view, for all subscriptions that held them back equally long. Ten thousand subscriptions with the same budget then
// cost a few hundred joins and encodings a second, instead of one for each subscription (AAEP §5.9, R10, R14).
import { joinText } from "./join-text.js";
import type { TextUnit, Unit } from "./unit.js";
import type { ViewLog } from "./view-log.js";

export interface TextStretch {
  readonly unit: TextUnit;
  /** Index of the first unit that is not part of it. */
  readonly next: number;
  /** More text of the output follows that cannot join: too long together, not in agreement, or sealed (R10). */
  readonly isCutOff: boolean;
}

export interface TextStretches {
  /** Joins the texts from `index` to the newest; undefined if the unit there is no text. */
  readonly from: (index: number) => TextStretch | undefined;
}

/** Most stretches remembered, one for each rate and phase: subscriptions of one rate ask for the same beginning one after another. */
const STRETCHES_KEPT = 64;

export function createTextStretches(log: Pick<ViewLog, "at" | "end">, maxChars: number): TextStretches {
  const known = new Map<number, TextStretch>();

  const begin = (index: number): TextStretch | undefined => {
    const unit = log.at(index);
    return unit?.kind === "text" ? { unit, next: index + 1, isCutOff: false } : undefined;
  };

  return {
    from: (index) => {
      let stretch = known.get(index) ?? begin(index);
      if (stretch === undefined) return undefined;
      for (;;) {
        const last = log.at(stretch.next);
        const joined: TextUnit | undefined = last?.kind === "text" ? joinText(stretch.unit, last, maxChars) : undefined;
        if (joined === undefined) {
          stretch = { ...stretch, isCutOff: isMoreOf(stretch.unit, last) };
          break;
        }
        stretch = { unit: joined, next: stretch.next + 1, isCutOff: false };
      }
      // The one asked for last is forgotten last.
      known.delete(index);
      known.set(index, stretch);
      const [oldest] = known.keys();
      if (known.size > STRETCHES_KEPT && oldest !== undefined) known.delete(oldest);
      return stretch;
    },
  };
}

function isMoreOf({ output, complete }: TextUnit, next: Unit | undefined): boolean {
  return next?.kind === "text" && next.output === output && !complete;
}
