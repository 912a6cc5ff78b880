/** The leak guard's reply to the owner: which part, why, and what to do, but never the address. */
import type { AccountSettings } from "@kauke/contract";
import type { PartKind, PartPlace } from "@kauke/mail-rfc";
import type { FoundLeak } from "../../core/leak-guard.ts";
import { reply, type SmtpReply } from "../reply.ts";

const names: Record<PartKind, string> = {
  header: "the header",
  text: "text",
  html: "HTML",
  calendar: "a calendar entry",
  message: "an attached message",
  smime: "an S/MIME certificate or signature",
  openpgp: "an OpenPGP key or signature",
  tnef: "winmail.dat",
  pdf: "a PDF file",
  archive: "an archive or office file",
  picture: "a picture",
  attachment: "an attachment",
};
const quoteAsAlias = "; if a mail program quoted it, switch on 'Alias in quoted lines' there";
const switchOff = "or switch the leak guard off in Settings";
const waysOut: Partial<Record<PartKind, string>> = {
  smime: `Send it unsigned, sign with a certificate made for the alias, ${switchOff}`,
  openpgp: `Leave it out, use a key made for the alias, ${switchOff}`,
  tnef: `Send the message as plain text or HTML instead, ${switchOff}`,
};

export function leakReply({ leak, place }: FoundLeak, settings: Pick<AccountSettings, "aliasInQuotes">): SmtpReply {
  if (leak === "address") {
    const isQuotable = !settings.aliasInQuotes && (place.kind === "text" || place.kind === "html");
    const wayOut = waysOut[place.kind] ?? `Take it out, ${switchOff}${isQuotable ? quoteAsAlias : ""}`;
    return refusal(`Your message holds the address this alias forwards to (${nameOfPlace(place)}). ${wayOut}`);
  }
  const what = leak === "too_deep" ? "is packed too often" : "unpacks to too much";
  return refusal(
    `Your message can't be searched for the address this alias forwards to: ${nameOfPlace(place)} ${what}. ` +
      `Send less at a time, ${switchOff}`,
  );
}

const refusal = (text: string): SmtpReply => reply(550, "5.7.1", text);

export function nameOfPlace({ part, kind, line }: PartPlace): string {
  const number = part === "" ? "" : `part ${part}: `;
  return `${number}${names[kind]}${line === null ? "" : `, line ${line}`}`;
}
