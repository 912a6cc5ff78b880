import type { HealthCheckWire } from "@kauke/contract";
import { t } from "../../texts/texts.ts";

type State = HealthCheckWire["state"];

export const countOf = (checks: readonly HealthCheckWire[], state: State): number =>
  checks.filter((check) => check.state === state).length;

interface Verdict {
  mark: "ok" | "fix";
  title: string;
  text: string;
}

/** @example verdictOf(checks) // { mark: "fix", title: "2 things to fix", text: "Until then …" } */
export function verdictOf(checks: readonly HealthCheckWire[]): Verdict {
  const mend = countOf(checks, "fix");
  const known = countOf(checks, "warn");
  const others = known === 0 ? "" : ` ${known} more ${known === 1 ? "is" : "are"} worth knowing.`;
  if (mend > 0)
    return {
      mark: "fix",
      title: mend === 1 ? "1 thing to fix" : t("{mend} things to fix", { mend }),
      text: t("Until then mail is lost, refused or distrusted.{others}", { others }),
    };
  const all = t("All {count} checks passed.", { count: checks.length });
  const some = `Nothing has to be fixed. ${known} ${known === 1 ? "thing is" : "things are"} worth knowing.`;
  return { mark: "ok", title: t("Everything works"), text: known === 0 ? all : some };
}

const titles: Readonly<Record<string, string>> = {
  issued: t("Ordered certificate"),
  "operator-mail": t("Mail to postmaster"),
};

/** @example checkTitle("reverse-name") // "Reverse name" */
export function checkTitle(check: string): string {
  const words = titles[check] ?? check.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const DAY_MS = 24 * 3_600_000;

/** A past or future time in days, e.g. `today`, `yesterday`, `3 days ago`, `in 60 days`. */
export function daysAwayText(iso: string, now = Date.now()): string {
  const days = Math.round((Date.parse(iso) - now) / DAY_MS);
  if (days === 0) return "today";
  if (days === -1) return "yesterday";
  if (days === 1) return "tomorrow";
  return days < 0 ? t("{days} days ago", { days: -days }) : t("in {days} days", { days });
}
