/**
 * What rewriting a header needs, whoever it is for: fields as bytes with nothing hidden in them, addresses of one kind of field,
 * and the outgoing block put together.
 */
import { type AddressList, readAddressList } from "./address-list.ts";
import { fieldValue, type HeaderField } from "./headers.ts";

export interface HeaderSource {
  /** The header block as received, wire form, without the blank line. */
  header: Buffer;
  fields: readonly HeaderField[];
}

const CRLF = Buffer.from("\r\n");
/** A CR or an LF without the other. */
export const BARE_BREAK = /\r(?!\n)|(?<!\r)\n/;

/**
 * A field's own bytes. A bare CR or LF becomes a space: a program that takes it for a line end would read another field there,
 * a Reply-To for example. A field that ends with the message gets its CRLF.
 */
export function fieldBytes(header: Buffer, field: HeaderField): Buffer {
  const bytes = header.subarray(field.start, field.end);
  const text = bytes.toString("latin1");
  const isWhole = text.endsWith("\r\n");
  if (isWhole && !BARE_BREAK.test(text)) return bytes;
  const clean = Buffer.from(text.replace(/\r(?!\n)|(?<!\r)\n/g, " "), "latin1");
  return isWhole ? clean : Buffer.concat([clean, CRLF]);
}

/** All addresses of the fields of that name, in order, each once. @param name lower case */
export function addressesOf({ header, fields }: HeaderSource, name: string): AddressList {
  const seen = new Set<string>();
  const list: AddressList = { mailboxes: [], unreadCount: 0, isCut: false };
  for (const field of fields) {
    if (field.name !== name) continue;
    const read = readAddressList(fieldValue(header, field));
    list.unreadCount += read.unreadCount;
    list.isCut ||= read.isCut;
    for (const mailbox of read.mailboxes) {
      if (!seen.has(addressKey(mailbox.address))) list.mailboxes.push(mailbox);
      seen.add(addressKey(mailbox.address));
    }
  }
  return list;
}

/** Two spellings of one address have the same key: nobody's mail depends on the case of a local part any more. */
export function addressKey(address: string): string {
  return address.normalize("NFC").toLowerCase();
}
