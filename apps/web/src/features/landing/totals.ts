/** The landing page's figures: the server's counts, or the last announced figures in their place. */
import type { Asked } from "../../api/session/ask-once.ts";
import { countText } from "../../ui/text/count-text.ts";

export interface Totals {
  users: number;
  aliases: number;
}

export interface Figure {
  text: string;
  /** Whether the server has not responded yet; the text is then covered by a bar. */
  isPending: boolean;
}

const announced = { total: "31,000+", closing: "31k+" } as const;

/** Text of a total, e.g. `1,234`; the last announced `31,000+` until the server has sent one, or if it sends none. */
export function totalFigure(asked: Asked<Totals>, of: keyof Totals): Figure {
  if (asked.state !== "known") return { text: announced.total, isPending: asked.state === "asking" };
  return { text: countText(asked.value[of]), isPending: false };
}

/** Thousands of users, rounded down, e.g. `31k+`; `null` below a thousand, where the page shows no number. */
export function closingFigure(asked: Asked<Totals>): Figure | null {
  if (asked.state !== "known") return { text: announced.closing, isPending: asked.state === "asking" };
  const thousands = Math.floor(asked.value.users / 1000);
  return thousands === 0 ? null : { text: `${thousands}k+`, isPending: false };
}
