/**
 * Who a message is really from: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489) and ARC (RFC 8617), by mailauth over our
 * resolver. Five seconds at most: what DNS has not told by then counts as not known, and the mail goes on as unauthenticated.
 */
import type { authenticate as Mailauth } from "mailauth";
import type { AuthResult, MessageAuthentication } from "../../core/message/message.ts";
import type { BodyHashes } from "../body-hashes.ts";
import type { Resolver } from "../outbound/resolver.ts";
import { verifyInput } from "./verify-input.ts";

export interface Authentication extends MessageAuthentication {
  /** The domain's owner asks to refuse what is not proven. */
  asksReject: boolean;
  /** A valid ARC chain sealed by a forwarder we trust says it was proven there. */
  isExplainedByArc: boolean;
}

export interface ToAuthenticate {
  /** Plain form. */
  raw: Buffer;
  envelopeFrom: string;
  clientAddress: string;
  helo: string;
}

export interface AuthenticateDeps {
  resolver: Resolver;
  /** authserv-id: our name. */
  mailHost: string;
  /** Domains whose ARC seals we believe. */
  trustedSealers: ReadonlySet<string>;
  timeoutMs: number;
  /** Shared with the signer. */
  bodyHashes: Pick<BodyHashes, "remember">;
}

/** Nothing is known: DNS was not asked, or did not answer. */
export function unauthenticated(mailHost: string): Authentication {
  return {
    spf: "none",
    dkim: "none",
    dmarc: "none",
    arc: "none",
    isAligned: false,
    asksReject: false,
    isExplainedByArc: false,
    results: `${mailHost}; none`,
  };
}

export async function authenticate(mail: ToAuthenticate, deps: AuthenticateDeps): Promise<Authentication> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Authentication>((resolve) => {
    timer = setTimeout(() => resolve(unauthenticated(deps.mailHost)), deps.timeoutMs);
  });
  try {
    return await Promise.race([ask(mail, deps), late]);
  } catch {
    // Whatever a hostile message does to the library, it is a message nothing is known of.
    return unauthenticated(deps.mailHost);
  } finally {
    clearTimeout(timer);
  }
}

async function ask(mail: ToAuthenticate, deps: AuthenticateDeps): Promise<Authentication> {
  // With the first message: it takes 38 MiB, which an idle server need not have.
  const { authenticate: mailauth } = await import("mailauth");
  const found = await mailauth(verifyInput(mail, deps.bodyHashes), {
    ip: mail.clientAddress,
    helo: mail.helo,
    sender: mail.envelopeFrom,
    mta: deps.mailHost,
    resolver: dnsFor(deps.resolver),
    disableBimi: true,
  });
  const dkim = (found.dkim?.results ?? []).map((it) => it.status);
  const dmarc = found.dmarc ? found.dmarc.status.result : "none";
  return {
    spf: found.spf ? (found.spf.status.result as AuthResult) : "none",
    dkim: (dkim.find((it) => it.result === "pass") ?? dkim[0])?.result ?? "none",
    dmarc: dmarc as AuthResult,
    arc: found.arc ? (found.arc.status.result as AuthResult) : "none",
    isAligned: dmarc === "pass" || isAlignedWithoutDmarc(found),
    asksReject: dmarc === "fail" && found.dmarc !== false && found.dmarc.policy === "reject",
    isExplainedByArc: isExplained(found, deps.trustedSealers),
    results: resultsOf(found.headers, deps.mailHost),
  } as Authentication;
}

type Found = Awaited<ReturnType<typeof Mailauth>>;

/** A domain without a DMARC record is proven the same way, by relaxed alignment (RFC 7489 §3.1). */
function isAlignedWithoutDmarc({ dkim, spf }: Found): boolean {
  const author = domainPart(dkim?.headerFrom?.[0]);
  if (author === "") return false;
  if (dkim.results.some((it) => it.status.result === "pass" && Boolean(it.status.aligned))) return true;
  return spf !== false && spf.status.result === "pass" && isSameOrganisation(author, String(spf.domain ?? ""));
}

const domainPart = (address: string | undefined) => address?.slice(address.lastIndexOf("@") + 1).toLowerCase() ?? "";

/** The same name, or one below the other: needs no list of public suffixes and is never too generous. */
function isSameOrganisation(a: string, b: string): boolean {
  const other = b.toLowerCase();
  return a === other || (other.includes(".") && a.endsWith(`.${other}`)) || other.endsWith(`.${a}`);
}

function isExplained({ arc }: Found, trusted: ReadonlySet<string>): boolean {
  if (!arc || arc.status.result !== "pass") return false;
  const sealer = String(
    (arc as { signature?: { signingDomain?: string } }).signature?.signingDomain ?? "",
  ).toLowerCase();
  const said = (arc as { authResults?: { dmarc?: { result?: string } } }).authResults?.dmarc?.result;
  return trusted.has(sealer) && said === "pass";
}

/** The library writes whole fields; ours is the one that names us. */
function resultsOf(headers: string, mailHost: string): string {
  const field = /^Authentication-Results:\s*([\s\S]*?)\r?\n(?![ \t])/im.exec(`${headers}\r\n`);
  return field?.[1]?.replace(/\r?\n/g, "\r\n") ?? `${mailHost}; none`;
}

/** Our resolver in the shape of `dns.promises.resolve`. */
export function dnsFor(resolver: Resolver) {
  return async (name: string, type = "A"): Promise<string[]> => {
    const answer = await lookUp(resolver, name, type);
    // The library's type knows strings only; TXT is a list of lists and MX of records, as in node:dns.
    if (answer.kind === "found")
      return (type === "TXT" ? answer.records.map((it) => [it]) : answer.records) as string[];
    const code = { no_name: "ENOTFOUND", no_record: "ENODATA", failed: "ESERVFAIL" }[answer.kind];
    throw Object.assign(new Error(code), { code });
  };
}

function lookUp(resolver: Resolver, name: string, type: string) {
  switch (type) {
    case "TXT":
      return resolver.resolveTxt(name);
    case "MX":
      return resolver.resolveMx(name);
    case "AAAA":
      return resolver.resolve6(name);
    case "PTR":
      return resolver.resolvePtr(name);
    case "A":
      return resolver.resolve4(name);
    default:
      return { kind: "no_record" } as const;
  }
}
