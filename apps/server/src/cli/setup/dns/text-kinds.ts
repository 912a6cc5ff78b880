/** The kinds of TXT record that setup writes, at most one of each per name, and how it recognizes its own. */
import type { DnsRecord } from "@kauke/mail-rfc";

type TextRecord = Extract<DnsRecord, { type: "TXT" }>;

export interface TextKind {
  /** Whether a text has the same purpose. Other texts at the name stay. */
  isSameKind(text: string): boolean;
  /** Whether an earlier setup wrote the text, so that it may be replaced. */
  isOurs(text: string): boolean;
  /** Whether a foreign text serves us as well as ours. */
  isAsGood(text: string, wanted: TextRecord, plan: readonly DnsRecord[]): boolean;
  merge?(text: string, wanted: TextRecord): string;
}

const startsWith = (version: string) => new RegExp(`^\\s*v\\s*=\\s*${version}\\s*(?:;|$)`, "i");
const isEqual = (text: string, wanted: TextRecord) => text === wanted.text;

const spf: TextKind = {
  isSameKind: (text) => /^v=spf1(?: |$)/i.test(text),
  // Our SPF record with an earlier mail host can't be told from one written by hand.
  isOurs: () => false,
  isAsGood: (text, wanted, plan) => {
    const allowed = mechanismsOf(text).flatMap((term) => resolveTerm(term, wanted.name, plan));
    return mechanismsOf(wanted.text).every((term) =>
      resolveTerm(term, wanted.name, plan).every((one) => allowed.includes(one)),
    );
  },
  merge: (text, wanted) => text.replace(/^v=spf1/i, `v=spf1 ${mechanismsOf(wanted.text).join(" ")}`),
};

/** The passing terms before `all`, which ends evaluation (RFC 7208 §5.1). */
function mechanismsOf(text: string): string[] {
  const terms = text.toLowerCase().split(/ +/).slice(1);
  const end = terms.findIndex((term) => /^[-+~?]?all$/.test(term));
  return (end < 0 ? terms : terms.slice(0, end)).map((term) => term.replace(/^\+/, "")).filter(Boolean);
}

/** @example resolveTerm("a", "mail.kauke.example", []) // ["a:mail.kauke.example"] */
function resolveTerm(term: string, name: string, plan: readonly DnsRecord[]): string[] {
  if (term === "a") return [`a:${name}`];
  if (term !== "mx" && term !== `mx:${name}`) return [term];
  return plan.flatMap((one) => (one.type === "MX" && one.name === name ? [`a:${one.exchange}`] : []));
}

const dkim: TextKind = {
  isSameKind: (text) => /(?:^|;)\s*p\s*=/i.test(text),
  // A DKIM record does not tell whose key it is.
  isOurs: () => false,
  isAsGood: isEqual,
};

const dmarc: TextKind = {
  isSameKind: (text) => startsWith("DMARC1").test(text),
  isOurs: (text) => text === "v=DMARC1; p=reject; adkim=r; aspf=r",
  // Reports may go to somebody else too, but ours must arrive.
  isAsGood: (text, wanted) =>
    policyOf(text) === policyOf(wanted.text) && (!reportsTo.test(wanted.text) || reportsTo.test(text)),
};

const reportsTo = /;\s*rua\s*=/i;

/** A DMARC policy without its report tags. */
function policyOf(text: string): string {
  const tags = text.split(";").map((tag) => tag.replaceAll(/\s/g, ""));
  return tags.filter((tag) => tag !== "" && !/^(?:rua|ruf|fo)=/i.test(tag)).join(";");
}

const mtaSts: TextKind = {
  isSameKind: (text) => startsWith("STSv1").test(text),
  isOurs: (text) => /^v=STSv1; id=[0-9a-f]{20}$/.test(text),
  isAsGood: isEqual,
};

const tlsReports: TextKind = {
  isSameKind: (text) => startsWith("TLSRPTv1").test(text),
  isOurs: () => false,
  isAsGood: isEqual,
};

/** Of another account at the forwarding provider, which refuses a domain with two. */
const providerVerification: TextKind = {
  isSameKind: (text) => text.startsWith("forward-email-site-verification="),
  isOurs: () => false,
  isAsGood: isEqual,
};

/** `null`: a name may have any number of such texts. */
export function textKind({ name, text }: TextRecord): TextKind | null {
  if (name.includes("._domainkey.")) return dkim;
  return [spf, dmarc, mtaSts, tlsReports, providerVerification].find((kind) => kind.isSameKind(text)) ?? null;
}
