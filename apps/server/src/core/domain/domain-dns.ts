/** What DNS is asked about an own domain. The adapter is app-domains.ts. */

export interface MxAnswer {
  /** In any case; empty for the null MX (RFC 7505). */
  exchange: string;
  priority: number;
}

export type DnsAnswer<T> =
  | { kind: "found"; records: readonly T[] }
  | { kind: "no_record" }
  | { kind: "no_name" }
  /** Nothing is known: no response in time, or an error of the name servers. */
  | { kind: "failed" };

/** The look-ups of one check. Each settles within seconds, whatever DNS does, and never throws. */
export interface DomainLookUps {
  /** The strings of a record are joined (RFC 7208 §3.3). */
  txt(name: string): Promise<DnsAnswer<string>>;
  mx(name: string): Promise<DnsAnswer<MxAnswer>>;
  /** IPv4 and IPv6; `failed` when either is not known. */
  addresses(name: string): Promise<DnsAnswer<string>>;
  /** Whether SPF (RFC 7208) passes for all addresses of the mail host; `null`: not known. */
  mailHostPassesSpf(domain: string): Promise<boolean | null>;
}

export interface DomainDns {
  /** Nothing that an earlier check was told is used again, since its owner has just changed the records. */
  begin(): DomainLookUps;
}
