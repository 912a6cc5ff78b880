/** After the dot, before any destination is asked: what a message may not be. Authentication joins here in a later slice. */
import { countFields, fieldValue, type HeaderBlock, headerLimits, MailSyntaxError, readHeader } from "@kauke/mail-rfc";
import { accept, reject, type Verdict } from "../verdict.ts";

/** RFC 5321 §6.3: a limit, and a generous one. */
const maxHops = 100;

/** Room for the fields we put on top: what is signed and read again later must still be within the limits. */
const limits = { bytesMax: headerLimits.bytesMax - 8192, fieldsMax: headerLimits.fieldsMax - 20 };

export interface Screened {
  header: HeaderBlock;
  /** Aliases the message went through before, lower case. */
  deliveredTo: ReadonlySet<string>;
}

/** @param wire the message as received, wire form (dot-stuffing does not touch header fields) */
export function screen(wire: Buffer): Verdict<Screened> {
  const header = readWhole(wire);
  if (header === null) return reject("message_too_large");
  if (countFields(header.fields, "received") >= maxHops) return reject("mail_loop");
  const deliveredTo = header.fields.filter((field) => field.name === "delivered-to");
  return accept({ header, deliveredTo: new Set(deliveredTo.map((field) => fieldValue(wire, field).toLowerCase())) });
}

/** @returns `null` when the header alone is beyond all measure */
function readWhole(wire: Buffer): HeaderBlock | null {
  try {
    return readHeader(wire, limits);
  } catch (thrown) {
    if (thrown instanceof MailSyntaxError) return null;
    throw thrown;
  }
}
