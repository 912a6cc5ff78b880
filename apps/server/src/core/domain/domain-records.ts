/** The records that an own domain needs, and how what DNS returned for them is judged. */
import { type DomainRecordName, type DomainRecordWire, limits } from "@kauke/contract";
import {
  isDmarcRecord,
  isSameDkimKey,
  isSpfRecord,
  mtaStsId,
  mtaStsPolicy,
  readDmarcRecord,
  readStsId,
  readTagList,
} from "@kauke/mail-rfc";
import { cutText } from "../alias/alias-rules.ts";
import { policyHost } from "../certificate.ts";
import type { AccountDomain, SeenRecord } from "./account-domain.ts";
import type { DnsAnswer, MxAnswer } from "./domain-dns.ts";
import type { DomainVerdict } from "./domain-standing.ts";
import type { DomainRules } from "./own-domains.ts";

export type RecordTargets = Pick<DomainRules, "mailHost" | "policyTarget">;
export type WantedDnsRecord = Omit<DomainRecordWire, "state" | "found">;

const MX_PRIORITY = 10;

/** In the order of the page. */
export function wantedRecords(
  { domain, token, dkim }: Pick<AccountDomain, "domain" | "token" | "dkim">,
  { mailHost, policyTarget }: RecordTargets,
): WantedDnsRecord[] {
  const text = (name: DomainRecordName, host: string, value: string): WantedDnsRecord => ({
    name,
    isRequired: name === "ownership",
    type: "TXT",
    host,
    value,
    priority: null,
  });
  const keys = dkim.slice(0, dkimNames.length).map((key, index) => ({ ...key, name: dkimNames[index] ?? "dkim" }));
  return [
    text("ownership", `_kauke.${domain}`, token),
    { name: "mx", isRequired: true, type: "MX", host: domain, value: mailHost, priority: MX_PRIORITY },
    text("spf", domain, `v=spf1 a:${mailHost} -all`),
    ...keys.map((key) => text(key.name, `${key.selector}._domainkey.${domain}`, key.text)),
    text("dmarc", `_dmarc.${domain}`, "v=DMARC1; p=reject; adkim=r; aspf=r"),
    ...(policyTarget === null ? [] : policyRecords(domain, { mailHost, policyTarget })),
    text("tls_rpt", `_smtp._tls.${domain}`, `v=TLSRPTv1; rua=mailto:postmaster@${domain}`),
  ];
}

/** Senders use a policy only while its TXT record is there (RFC 8461 §3.1). Whether ours is enforced is not in its id. */
function policyRecords(
  domain: string,
  { mailHost, policyTarget }: { mailHost: string; policyTarget: string },
): WantedDnsRecord[] {
  const id = mtaStsId(mtaStsPolicy({ mailHost, mode: "enforce" }));
  const optional = { isRequired: false, priority: null };
  return [
    { ...optional, name: "mta_sts_host", type: "CNAME", host: policyHost(domain), value: policyTarget },
    { ...optional, name: "mta_sts", type: "TXT", host: `_mta-sts.${domain}`, value: `v=STSv1; id=${id}` },
  ];
}

const dkimNames = ["dkim", "dkim_next"] as const;

/** What DNS returned for each wanted record; a record without a response counts as `failed`. */
export interface DomainAnswers {
  txt: Readonly<Partial<Record<DomainRecordName, DnsAnswer<string>>>>;
  mx: DnsAnswer<MxAnswer>;
  /** Whether SPF passes for all addresses of the mail host; `null`: not known. */
  mailHostPassesSpf: boolean | null;
  /** Addresses of the domain's policy host, and of the host to which it should lead. */
  policyHost: Readonly<Record<"found" | "wanted", DnsAnswer<string>>>;
}

export function judgeRecords(wanted: readonly WantedDnsRecord[], answers: DomainAnswers): SeenRecord[] {
  return wanted.map((record) => {
    const { state, found } = judge(record, answers);
    return { name: record.name, state, found: shown(found) };
  });
}

function judge(record: WantedDnsRecord, answers: DomainAnswers): Judged {
  if (record.type === "MX") return judgeMx(record, answers.mx);
  return record.type === "CNAME" ? judgePolicyHost(answers.policyHost) : judgeText(record, answers);
}

/** Records that are missing, wrong or in conflict fail; those of which DNS said nothing prove nothing. */
export function domainVerdict(seen: readonly SeenRecord[]): DomainVerdict {
  if (isProof(seen)) return "proves";
  const required = seen.filter(({ name }) => name === "ownership" || name === "mx");
  return required.some(({ state }) => state !== "right" && state !== "unread") ? "fails" : "unknown";
}

/** Whether the domain is its owner's, and all of its mail comes to this server. */
export function isProof(seen: readonly SeenRecord[]): boolean {
  const isRight = (name: DomainRecordName) => seen.some((record) => record.name === name && record.state === "right");
  return isRight("ownership") && isRight("mx");
}

type Judged = Pick<SeenRecord, "state" | "found">;

const unread: Judged = { state: "unread", found: [] };
const missing: Judged = { state: "missing", found: [] };

/** Other hosts beside ours would get a part of the mail. */
function judgeMx({ value: mailHost }: WantedDnsRecord, answer: DnsAnswer<MxAnswer>): Judged {
  if (answer.kind === "failed") return unread;
  if (answer.kind !== "found") return missing;
  const hosts = answer.records.map(({ exchange }) => hostName(exchange));
  const found = answer.records.map(({ priority, exchange }) => `${priority} ${hostName(exchange) || "."}`);
  if (!hosts.includes(mailHost)) return { state: hosts.length === 0 ? "missing" : "wrong", found };
  return hosts.every((host) => host === mailHost) ? { state: "right", found } : { state: "conflict", found };
}

/** A CNAME leads to the same addresses as A and AAAA records that repeat them. */
export function judgePolicyHost({ found, wanted }: DomainAnswers["policyHost"]): Judged {
  if (found.kind === "failed" || wanted.kind !== "found") return unread;
  if (found.kind !== "found" || found.records.length === 0) return missing;
  const ours = found.records.filter((address) => wanted.records.includes(address));
  if (ours.length === found.records.length) return { state: "right", found: found.records };
  return { state: ours.length > 0 ? "conflict" : "wrong", found: found.records };
}

const hostName = (text: string): string => text.toLowerCase().replace(/\.$/, "");

function judgeText(record: WantedDnsRecord, { txt, mailHostPassesSpf }: DomainAnswers): Judged {
  const answer = txt[record.name] ?? { kind: "failed" };
  if (answer.kind === "failed") return unread;
  const texts = answer.kind === "found" ? answer.records : [];
  switch (record.name) {
    case "ownership":
      return judgeOwnership(record, texts);
    case "dkim":
    case "dkim_next":
      return judgeOnly(texts, (text) => isSameDkimKey(text, { domain: "", selector: "", text: record.value }));
    case "dmarc":
      return judgeOnly(texts, (text) => isDmarcRecord(text) && readDmarcRecord(text).policies !== null, isDmarcRecord);
    case "mta_sts":
      return judgeOnly(
        texts,
        (text) => readStsId([text]) !== null,
        (text) => /^v=STSv1[ \t]*;/.test(text),
      );
    case "tls_rpt":
      return judgeOnly(texts, isTlsReportRecord, (text) => readTagList(text, "TLSRPTv1") !== null);
    case "mx":
    case "mta_sts_host":
      return unread;
    case "spf":
      return judgeOnly(
        texts.filter(isSpfRecord),
        (text) => !allowsAnybody(text) && (mailHostPassesSpf ?? namesMailHost(text, record.value)),
      );
  }
}

/** Other texts beside ours do no harm: another account, or a former one, may have its own there. */
function judgeOwnership({ value }: WantedDnsRecord, texts: readonly string[]): Judged {
  if (texts.some((text) => text.trim() === value)) return { state: "right", found: [value] };
  return texts.length === 0 ? missing : { state: "wrong", found: texts };
}

/** Receivers use none of several records. @param isOfKind which texts count as records; by default all */
function judgeOnly(
  texts: readonly string[],
  isRight: (text: string) => boolean,
  isOfKind: (text: string) => boolean = () => true,
): Judged {
  if (texts.length === 0) return missing;
  const [record, ...others] = texts.filter(isOfKind);
  if (record === undefined) return { state: "wrong", found: texts };
  if (others.length > 0) return { state: "conflict", found: texts };
  return { state: isRight(record) ? "right" : "wrong", found: [record] };
}

/** RFC 8460 §3. */
const isTlsReportRecord = (text: string): boolean =>
  text.startsWith("v=TLSRPTv1;") &&
  /^(?:mailto:[^@,]+@|https:\/\/)/.test(readTagList(text, "TLSRPTv1")?.get("rua") ?? "");

const termsOf = (text: string): string[] => text.toLowerCase().split(" ").slice(1);

const allowsAnybody = (text: string): boolean => termsOf(text).some((term) => term === "all" || term === "+all");

/** As far as the text tells. @param wanted the record that the page shows, `v=spf1 a:<mail host> -all` */
function namesMailHost(text: string, wanted: string): boolean {
  const [ours] = termsOf(wanted);
  const terms = termsOf(text);
  const end = terms.findIndex((term) => /^[?~-]all$/.test(term));
  const before = end < 0 ? terms : terms.slice(0, end);
  return before.some((term) => term.replace(/^\+/, "").replace(/\.$/, "") === ours);
}

/** Characters that can't be seen, or that reorder the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

const shown = (found: readonly string[]): string[] =>
  found
    .slice(0, limits.domainAnswersShown)
    .map((text) => cutText(text.replaceAll(UNSEEN, "\ufffd"), limits.domainAnswerMax));
