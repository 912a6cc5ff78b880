import type { AccountDomainWire, DomainRecordName, DomainRecordWire } from "@kauke/contract";
import { plural } from "../../texts/plural.ts";
import { t } from "../../texts/texts.ts";
import { countText } from "../../ui/text/count-text.ts";
import { dayText } from "../../ui/text/time-text.ts";

interface RecordTexts {
  title: string;
  /** What the record is for. */
  purpose: string;
}

export const recordTexts: Readonly<Record<DomainRecordName, RecordTexts>> = {
  ownership: { title: t("Ownership"), purpose: t("Proves that the domain is yours.") },
  mx: { title: t("Incoming mail (MX)"), purpose: t("Brings mail for the domain to this server.") },
  spf: { title: t("Allowed sender (SPF)"), purpose: t("Says that this server may send for the domain.") },
  dkim: { title: t("Signature (DKIM)"), purpose: t("Receivers check with it what this server has signed.") },
  dkim_next: {
    title: t("Next signature (DKIM)"),
    purpose: t("A second key, so that the first can be replaced without a change in DNS."),
  },
  dmarc: {
    title: t("Forged mail (DMARC)"),
    purpose: t("Tells receivers to refuse mail that only claims to be yours."),
  },
  mta_sts_host: {
    title: t("Policy host (MTA-STS)"),
    purpose: t(
      "Where senders read that mail for you must be encrypted. This server gets the certificate for it and serves it.",
    ),
  },
  mta_sts: {
    title: t("Policy (MTA-STS)"),
    purpose: t("Tells senders that there is a policy."),
  },
  tls_rpt: {
    title: t("Reports (TLS-RPT)"),
    purpose: t("Senders report to the people who run this server which deliveries could not be encrypted."),
  },
};

const optionalNames: readonly DomainRecordName[] = ["mta_sts_host", "mta_sts", "tls_rpt"];

/** Whether a domain works well without the record. */
export const isOptional = ({ name }: Pick<DomainRecordWire, "name">): boolean => optionalNames.includes(name);

export type RecordMark = "right" | "wait" | "fault";

export const markOf = ({ state }: Pick<DomainRecordWire, "state">): RecordMark =>
  state === "right" ? "right" : state === "unread" || state === "missing" ? "wait" : "fault";

function conflictText({ name, found }: DomainRecordWire): string {
  if (name === "spf")
    return found.length > 2
      ? t("There are several SPF records: join them into one")
      : t("There are two SPF records: join them into one");
  if (name === "dmarc") return t("There are several DMARC records: keep one");
  if (name === "mta_sts_host") return t("It leads to other servers as well: remove those");
  if (name === "mx") return t("Other mail servers are listed too and would get part of the mail: remove them");
  return t("Other records stand beside it: remove them");
}

/** What DNS answered for a record, in words. @param checkedAt of its domain */
export function recordStateText(record: DomainRecordWire, checkedAt: string | null): string {
  const { state, found } = record;
  if (state === "right") return t("Found");
  if (state === "missing") return t("Nothing found yet");
  if (state === "conflict") return conflictText(record);
  if (state === "wrong") return found.length === 0 ? t("Found something else") : t("Found something else:");
  return checkedAt === null ? t("Not looked up yet") : t("DNS did not answer");
}

/** Whether what was found is listed below the words. */
export const showsFound = ({ state, found }: DomainRecordWire): boolean =>
  found.length > 0 && (state === "wrong" || state === "conflict");

/** What becomes of the policy once its host is found; `null` before. */
export function policyText({ policy }: Pick<AccountDomainWire, "policy">): string | null {
  if (policy === "served") return t("The policy is served.");
  if (policy === "waiting") return t("The policy host is found, and its certificate is on the way.");
  if (policy === "delayed")
    return t("There is no certificate for the policy host yet. This server tries again by itself.");
  return null;
}

type Records = Pick<AccountDomainWire, "records">;

/** Those without which something is lacking. */
const usualRecords = ({ records }: Records) => records.filter((record) => !isOptional(record));

const rightCount = (domain: Records): number => usualRecords(domain).filter(({ state }) => state === "right").length;

/** Whether a later check may find more than the last. */
export const isWaiting = (domain: Pick<AccountDomainWire, "state" | "records">): boolean =>
  domain.state === "new" || rightCount(domain) < usualRecords(domain).length;

/** @example foundText(domain) // "4 of 6 records found" */
export function foundText(domain: Pick<AccountDomainWire, "records">): string {
  const right = rightCount(domain);
  const total = usualRecords(domain).length;
  return t("{count} of {total} records found", { count: countText(right), total: countText(total) });
}

type Standing = Pick<AccountDomainWire, "state" | "failingSince" | "stateUntil">;

/** What becomes of a domain whose first two records are not right; `null` for others. */
function graceText({ state, failingSince, stateUntil }: Standing): string | null {
  const since = dayText(failingSince ?? "");
  const until = dayText(stateUntil ?? "");
  if (state === "failing")
    return t("Records are missing or wrong since {since}; mail goes on until {until}.", { since, until });
  if (state === "suspended")
    return t("Paused: records are missing or wrong since {since}. Mail waits at its senders until {until}.", {
      since,
      until,
    });
  if (state === "closed")
    return t("Closed: records are missing or wrong since {since}. The domain is reserved for you until {until}.", {
      since,
      until,
    });
  return null;
}

export function domainStateText(domain: Standing & Pick<AccountDomainWire, "records">): string {
  if (domain.state === "new") return t("No mail is accepted before the first two records are found.");
  const grace = graceText(domain);
  if (grace !== null) return grace;
  const left = usualRecords(domain).length - rightCount(domain);
  if (left === 0) return t("Mail is accepted, and what you send is signed.");
  return plural(
    left,
    "Mail is accepted. {count} record is still to be found.",
    "Mail is accepted. {count} records are still to be found.",
    { count: countText(left) },
  );
}

/** Takes what people paste: an address of a page, or of a mailbox. @example readDomain("https://example.com/a") */
export function readDomain(typed: string): string {
  const text = typed.trim().replace(/^[a-z]+:\/\//i, "");
  const [host = ""] = text.split(/[/?#]/);
  return host.slice(host.lastIndexOf("@") + 1).replace(/:\d+$/, "");
}
