/** Checks the claims and links of the public pages that depend on the operator's settings. */
import type { Config } from "../../settings/config.ts";
import type { ServerFacts } from "../control/control-protocol.ts";
import { type CheckResult, checking } from "./check-result.ts";

const settingOf: Readonly<Record<keyof Config["links"], string>> = {
  docs: "KAUKE_LINK_DOCS",
  social: "KAUKE_LINK_SOCIAL",
  video: "KAUKE_LINK_VIDEO",
  reviews: "KAUKE_LINK_REVIEWS",
  feedback: "KAUKE_LINK_FEEDBACK",
  smtpGuide: "KAUKE_LINK_SMTP_GUIDE",
};

/** Names under .test do not resolve (RFC 6761 section 6.2). */
const isExample = (link: string): boolean => URL.canParse(link) && new URL(link).hostname.endsWith(".test");

/** Names of the settings whose links still point to example addresses, e.g. `["KAUKE_LINK_VIDEO"]`. */
export function exampleLinks(links: Config["links"]): string[] {
  const names = Object.keys(settingOf) as (keyof Config["links"])[];
  return names.filter((name) => isExample(links[name])).map((name) => settingOf[name]);
}

export function checkPages(facts: Pick<ServerFacts, "exampleLinks" | "logDaysGiven">): CheckResult[] {
  return [checkLinks(facts.exampleLinks), checkLogs(facts.logDaysGiven)];
}

function checkLinks(settings: readonly string[]): CheckResult {
  const { ok, warn } = checking("links", "footer and feedback");
  if (settings.length === 0) return ok("No link points to an example address.");
  return warn(`Links point to example addresses: set ${settings.join(", ")}.`);
}

function checkLogs(logDaysGiven: boolean): CheckResult {
  const { ok, warn } = checking("logs", "privacy policy");
  if (logDaysGiven) return ok("It states the retention of KAUKE_LOG_DAYS.");
  return warn(
    "It states that technical logs are kept for at most 90 days: configure your log system to delete them by then, and set KAUKE_LOG_DAYS to its retention in days.",
  );
}
