/** Number of users and aliases, covered by a bar until the server has responded. */
import { useEffect, useState } from "react";
import { call } from "../../api/client.ts";
import { countText } from "../../ui/text/count-text.ts";

/** Figures from the server, or the last announced ones in their place. */
interface Totals {
  users: number;
  aliases: number;
}

interface Figure {
  text: string;
  /** Whether a bar covers the figure. */
  isPending: boolean;
}

const announced = { total: "31,000+", closing: "31k+" } as const;

/** The last announced `31,000+` until the server has sent a figure. */
export function totalFigure(asked: Asked<Totals>, of: keyof Totals): Figure {
  if (asked.state !== "known") return { text: announced.total, isPending: asked.state === "asking" };
  return { text: countText(asked.value[of]), isPending: false };
}

/** Number of users, rounded down, e.g. `31k+`; `null` below a thousand. */
export function closingFigure(asked: Asked<Totals>): Figure | null {
  if (asked.state !== "known") return { text: announced.closing, isPending: asked.state === "asking" };
  const thousands = Math.floor(asked.value.users / 1000);
  return thousands === 0 ? null : { text: `${thousands}k+`, isPending: false };
}

export const useDomainList = askOnce(async (): Promise<readonly string[]> => (await call("listDomains")).domains);

export const useTotals = askOnce(async (): Promise<Totals> => {
  const { stats } = await call("getStats");
  return { users: stats.totalUsers, aliases: stats.totalAliases };
});

/** A request without the query library. A failure is a state, for which the page has a fallback. */
type Asked<T> = { state: "asking" } | { state: "failed" } | { state: "known"; value: T };

/** @param load called once for all components with the hook */
function askOnce<T>(load: () => Promise<T>): () => Asked<T> {
  let asked: Asked<T> = { state: "asking" };
  let running: Promise<void> | null = null;
  const ask = async () => {
    try {
      asked = { state: "known", value: await load() };
    } catch {
      asked = { state: "failed" };
    }
  };
  return function useAsked() {
    const [shown, setShown] = useState<Asked<T>>({ state: "asking" });
    useEffect(() => {
      let left = false;
      running ??= ask();
      void running.then(() => left || setShown(asked));
      return () => {
        left = true;
      };
    }, []);
    return shown;
  };
}

export function Total({ text, isPending }: Figure) {
  return <b className={isPending ? "pending" : undefined}>{text}</b>;
}
