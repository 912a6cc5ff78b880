/**
 * Checks SPF (RFC 7208) for a message's envelope sender, with the DNS look-ups that all checks of the message share. A
 * look-up that fails or is late makes the result `temperror`.
 */
import { type AskSpf, checkHost, type SpfRecordType } from "@kauke/mail-rfc";
import type { AuthResult } from "../../../core/message/message.ts";
import type { MxRecord } from "../../resolver.ts";
import type { MessageDns } from "./message-dns.ts";

export interface SpfFound {
  result: AuthResult;
  /** Domain of the envelope sender, or the HELO name for the null sender. */
  domain: string;
  /** Envelope sender, or postmaster at the HELO name for the null sender. */
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
  const verdict = await checkHost({ clientAddress, helo: name, sender: envelopeFrom }, askThrough(dns));
  return { ...verdict, helo: name };
}

/** Turns answers and error codes of node:dns into lists, and `null` for a look-up that failed or is late. */
function askThrough(dns: MessageDns): AskSpf {
  return async (name, type) => {
    try {
      return textsOf(await dns.ask(name, type), type);
    } catch (thrown) {
      const { code } = thrown as NodeJS.ErrnoException;
      return code === "ENODATA" || code === "ENOTFOUND" ? [] : null;
    }
  };
}

/** `ask` declares lists of addresses; for TXT it returns lists of strings and for MX objects, as node:dns does. */
function textsOf(records: readonly string[], type: SpfRecordType): readonly string[] {
  if (type === "TXT") return (records as unknown as string[][]).map((strings) => strings.join(""));
  if (type !== "MX") return records;
  const byPreference = (records as unknown as MxRecord[]).toSorted((one, other) => one.priority - other.priority);
  return byPreference.map(({ exchange }) => exchange);
}
