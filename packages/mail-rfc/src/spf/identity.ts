/** Whom an SPF check is about (RFC 7208). */
import { domainToASCII } from "node:url";
import { NON_ASCII } from "./domain-spec.ts";
import { dottedAddress, type IpAddress } from "./ip-address.ts";

export interface Identity {
  client: IpAddress;
  helo: string;
  local: string;
  domain: string;
}

export function withLocalPart(sender: string): string {
  const at = sender.lastIndexOf("@");
  if (at > 0) return sender;
  return at < 0 ? `postmaster@${sender}` : `postmaster${sender}`;
}

export function asciiName(domain: string): string {
  const name = domain.toLowerCase().trim();
  return NON_ASCII.test(name) ? domainToASCII(name) || name : name;
}

/** Value of a macro by its letter (§7.2). @param host value of `p` */
export function macroValue(
  letter: string,
  { client, helo, local, domain: senderDomain }: Identity,
  { domain, host }: { domain: string; host: string },
): string {
  switch (letter) {
    case "s":
      return `${local}@${senderDomain}`;
    case "l":
      return local;
    case "o":
      return senderDomain;
    case "d":
      return domain;
    case "i":
      return dottedAddress(client);
    case "p":
      return host;
    case "v":
      return client.family === 4 ? "in-addr" : "ip6";
    default:
      return helo;
  }
}

export function isSameOrBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** Value of the macro `p` (§7.3): preferably the domain itself, else a name below it, else any validated one. */
export function preferredName(names: readonly string[], domain: string): string {
  const same = names.find((name) => name.toLowerCase() === domain);
  return same ?? names.find((name) => isSameOrBelow(name.toLowerCase(), domain)) ?? names[0] ?? "unknown";
}
