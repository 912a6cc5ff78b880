/** SPF (RFC 7208) of the envelope sender. A failed or late look-up makes the result `temperror`. */
import { checkHost } from "@kauke/mail-rfc";
import type { AuthResult } from "../../../core/message/message.ts";
import type { MessageDns } from "./message-dns.ts";

export interface SpfFound {
  result: AuthResult;
  domain: string;
  /** Envelope sender; for the null sender, postmaster at the HELO name. */
  sender: string;
  helo: string;
}

export interface SpfClaim {
  clientAddress: string;
  helo: string;
  envelopeFrom: string;
}

const isAddressLiteral = (text: string) => /^[0-9.]+$/.test(text) || text.includes(":");

export async function checkSpf({ clientAddress, helo, envelopeFrom }: SpfClaim, dns: MessageDns): Promise<SpfFound> {
  const given = helo || clientAddress;
  const name = isAddressLiteral(given) ? `[${given}]` : given;
  const verdict = await checkHost({ clientAddress, helo: name, sender: envelopeFrom }, async (asked, type) => {
    const result = await dns.find(asked, type);
    if (result.kind === "failed") return null;
    return result.kind === "found" ? result.records : [];
  });
  return { ...verdict, helo: name };
}
