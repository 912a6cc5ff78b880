/** The SPF check, by mailauth. */
import type { SPFResult, spf as Spf } from "mailauth";
import type { AuthResult } from "../../../core/message/message.ts";
import { askForSpf } from "./bounded-spf.ts";
import type { MessageDns } from "./message-dns.ts";

export interface SpfFound {
  result: AuthResult;
  /** Domain of the envelope sender, or the HELO name for the null sender. */
  domain: string;
  /** Envelope sender, or postmaster at the HELO name for the null sender. */
  sender: string;
  helo: string;
}

interface Library {
  spf: typeof Spf;
}

export interface SpfClaim {
  clientAddress: string;
  helo: string;
  envelopeFrom: string;
}

const isAddressLiteral = (text: string) => /^[0-9.]+$/.test(text) || text.includes(":");

export async function checkSpf(
  { clientAddress, helo, envelopeFrom }: SpfClaim,
  { spf }: Library,
  { dns, mailHost }: { dns: MessageDns; mailHost: string },
): Promise<SpfFound> {
  const given = helo || clientAddress;
  const name = isAddressLiteral(given) ? `[${given}]` : given;
  const found: SPFResult = await spf({
    ip: clientAddress,
    helo: name,
    sender: envelopeFrom,
    mta: mailHost,
    resolver: askForSpf(dns.ask, { sender: envelopeFrom, helo: name, mta: mailHost }),
  });
  return {
    result: found.status.result as AuthResult,
    domain: String(found.domain ?? "").toLowerCase(),
    sender: String(found.status.smtp?.mailfrom ?? ""),
    helo: name,
  };
}
