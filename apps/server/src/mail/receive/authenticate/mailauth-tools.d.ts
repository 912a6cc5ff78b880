/** Types for the part of mailauth's internal tools used here, which ships without types. */
declare module "mailauth/lib/tools.js" {
  /** Relaxed alignment by the public suffix list (RFC 7489 §3.1). @returns the first domain of the same organisation */
  export function getAlignment(fromDomain: string, domains: readonly string[]): { domain: string } | false;
}
