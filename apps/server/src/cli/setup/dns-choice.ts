/** The DNS provider that the operator chose, with its credential, which is never stored. */
import { cloudflareDns } from "./dns/cloudflare.ts";
import { desecDns } from "./dns/desec.ts";
import { hetznerDns } from "./dns/hetzner.ts";
import type { DnsProvider } from "./dns/provider.ts";
import { rfc2136Dns } from "./dns/rfc2136.ts";

const withToken = { cloudflare: cloudflareDns, desec: desecDns, hetzner: hetznerDns } as const;

export const dnsChoices = "paste, cloudflare, desec, hetzner, or rfc2136:<name server>";

/** Reads e.g. `rfc2136:192.0.2.1:5353` and a token or `name:secret`. @returns `null` for `paste`; an error sentence */
export function dnsProviderOf(choice: string, credential: string): DnsProvider | null | string {
  if (choice === "paste") return null;
  const [kind = "", ...rest] = choice.split(":");
  if (Object.hasOwn(withToken, choice)) {
    if (credential === "") return "--credential must name a file with the provider's token.";
    return withToken[choice as keyof typeof withToken]({ token: credential });
  }
  if (kind !== "rfc2136" || rest.length === 0) return `--dns must be ${dnsChoices}.`;
  const [, name, secret] = /^(?:hmac-sha256:)?([^:\s]+):([A-Za-z0-9+/=]+)$/.exec(credential) ?? [];
  if (name === undefined || secret === undefined)
    return "--credential must name a file with a TSIG key (hmac-sha256) as name:secret.";
  return rfc2136Dns({ ...serverIn(rest.join(":")), key: { name, secret } });
}

function serverIn(text: string): { host: string; port?: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined) return { host: text };
  return port === undefined ? { host } : { host, port: Number(port) };
}
