import type { HealthCheckWire } from "@kauke/contract";
import { plural } from "../../texts/plural.ts";
import { language, t } from "../../texts/texts.ts";

type State = HealthCheckWire["state"];

export const countOf = (checks: readonly HealthCheckWire[], state: State): number =>
  checks.filter((check) => check.state === state).length;

interface Verdict {
  mark: "ok" | "fix";
  title: string;
  text: string;
}

const sentences = (...texts: (string | false)[]): string => texts.filter(Boolean).join(" ");

/** @example verdictOf(checks) // { mark: "fix", title: "2 things to fix", text: "Until then …" } */
export function verdictOf(checks: readonly HealthCheckWire[]): Verdict {
  const mend = countOf(checks, "fix");
  const known = countOf(checks, "warn");
  if (mend > 0)
    return {
      mark: "fix",
      title: plural(mend, "{count} thing to fix", "{count} things to fix", { count: mend }),
      text: sentences(
        t("Until then mail is lost, refused or distrusted."),
        known > 0 &&
          plural(known, "{count} more is worth knowing.", "{count} more are worth knowing.", { count: known }),
      ),
    };
  const count = checks.length;
  const text =
    known === 0
      ? plural(count, "All {count} checks passed.", "All {count} checks passed.", { count })
      : sentences(
          t("Nothing has to be fixed."),
          plural(known, "{count} thing is worth knowing.", "{count} things are worth knowing.", { count: known }),
        );
  return { mark: "ok", title: t("Everything works"), text };
}

const titles: Readonly<Record<string, string>> = {
  address: t("Address"),
  certificate: t("Certificate"),
  clock: t("Clock"),
  delivery: t("Delivery"),
  disk: t("Disk"),
  keys: t("Server keys"),
  links: t("Links"),
  logs: t("Logs"),
  "mail-programs": t("Mail programs"),
  "own-domains": t("Own domains"),
  permissions: t("Permissions"),
  provider: t("Provider"),
  "provider-aliases": t("Provider aliases"),
  "provider-comparison": t("Provider comparison"),
  "provider-domain": t("Provider domain"),
  "provider-postmaster": t("Provider postmaster"),
  "provider-queue": t("Provider queue"),
  queue: t("Queue"),
  redirect: t("Redirect"),
  registration: t("Registration"),
  "reverse-name": t("Reverse name"),
  server: t("Server"),
  store: t("Store"),
  "tls-reports": t("Tls reports"),
  underway: t("Underway"),
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
  return new Intl.RelativeTimeFormat(language(), { numeric: "auto" }).format(days, "day");
}
