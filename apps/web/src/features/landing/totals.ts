/** The figures of the landing page: what the server counts, or in its place what was last announced. */
import type { Asked } from "../../api/session/ask-once.ts";
import { countText } from "../../ui/text/count-text.ts";

export interface Totals {
  users: number;
  aliases: number;
}

export interface Figure {
  text: string;
  /** The server hasn't answered yet: the text is covered. */
  isPending: boolean;
}

const announced = { total: "31,000+", closing: "31k+" } as const;

/** e.g. `1,234`; `31,000+` when the server doesn't say */
export function totalFigure(asked: Asked<Totals>, of: keyof Totals): Figure {
  if (asked.state !== "known") return { text: announced.total, isPending: asked.state === "asking" };
  return { text: countText(asked.value[of]), isPending: false };
}

/** Thousands of users, rounded down: `31k+`. `null` below a thousand: a number that small says nothing. */
export function closingFigure(asked: Asked<Totals>): Figure | null {
  if (asked.state !== "known") return { text: announced.closing, isPending: asked.state === "asking" };
  const thousands = Math.floor(asked.value.users / 1000);
  return thousands === 0 ? null : { text: `${thousands}k+`, isPending: false };
}
