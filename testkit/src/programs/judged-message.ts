/** A message as a mail host leaves it in a mailbox: with a field on top that says how mailauth judged it. */
import { Resolver } from "node:dns/promises";
import { authenticate } from "mailauth";

export interface JudgedDelivery {
  bytes: Buffer;
  envelopeFrom: string;
  /** Address and name of the client that delivered it. */
  ip: string;
  helo: string;
  /** Name of the mail host (authserv-id, RFC 8601 §2.5). */
  mta: string;
  dnsServer: string;
}

export async function judgedMessage({ bytes, envelopeFrom, dnsServer, ...where }: JudgedDelivery): Promise<string> {
  const dns = new Resolver();
  dns.setServers([dnsServer]);
  const { headers } = await authenticate(bytes, {
    ...where,
    sender: envelopeFrom,
    disableBimi: true,
    resolver: (name, type) => dns.resolve(name, type) as Promise<string[]>,
  });
  return `${headers}${bytes.toString("utf8")}`;
}
