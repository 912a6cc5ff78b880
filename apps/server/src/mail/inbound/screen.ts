/** Checks of header size and mail loops. For the MX and for submission. */

import { countFields, fieldValue, type HeaderBlock, headerLimits, MailSyntaxError, readHeader } from "@kauke/mail-rfc";
import { bounds } from "../../limits/table.ts";
import { ENCRYPTION_PASSES_MAX, readEncryptionPasses } from "../message/encrypted-header.ts";
import { accept, reject, type StageVerdict } from "../reply.ts";
import type { ArrivedMessage } from "./arrived-message.ts";

export interface Screened {
  header: HeaderBlock;
  deliveredTo: ReadonlySet<string>;
}

export interface ScreenedMessage extends ArrivedMessage {
  readonly screened: Screened;
}

export function screenMessage(message: ArrivedMessage): StageVerdict<ScreenedMessage> {
  const verdict = screen(message.transaction.wire);
  const notes = ["loops, header size"];
  return verdict.verdict === "accept" ? accept({ ...message, screened: verdict.value }, notes) : { ...verdict, notes };
}

export function screen(wire: Buffer): StageVerdict<Screened> {
  const header = readWhole(wire);
  if (header === null) return reject("header_too_large");
  if (countFields(header.fields, "received") >= bounds.message.hops) return reject("mail_loop");
  if (readEncryptionPasses(wire, header.fields) >= ENCRYPTION_PASSES_MAX) return reject("mail_loop");
  const deliveredTo = header.fields.filter((field) => field.name === "delivered-to");
  return accept({ header, deliveredTo: new Set(deliveredTo.map((field) => fieldValue(wire, field).toLowerCase())) });
}

function readWhole(wire: Buffer): HeaderBlock | null {
  try {
    return readHeader(wire, headerLimits);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}
