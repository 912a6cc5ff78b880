/**
 * What rewriting a header needs, whoever it is for: fields as bytes with nothing hidden in them, addresses of one kind of field,
 * and the outgoing block put together.
 */

import { fieldValue, type HeaderField } from "../header/headers.ts";
import { ADDRESSES_MAX, type AddressList, readAddressList } from "./address-list.ts";

export interface HeaderSource {
  /** The header block as received, wire form, without the blank line. */
  header: Buffer;
  /** Of this header; never changed once they were read. */
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

/** A message to many aliases is rewritten for each of them, and its addresses are read once. Lives as long as its fields do. */
const readBefore = new WeakMap<readonly HeaderField[], Map<string, AddressList>>();

/**
 * All addresses of the fields of that name, in order, each once. As in one field, what follows the thousandth entry is left out.
 * @param name lower case
 */
export function addressesOf(source: HeaderSource, name: string): Readonly<AddressList> {
  const lists = readBefore.get(source.fields) ?? new Map<string, AddressList>();
  readBefore.set(source.fields, lists);
  const list = lists.get(name) ?? readAddresses(source, name);
  lists.set(name, list);
  return list;
}

function readAddresses({ header, fields }: HeaderSource, name: string): AddressList {
  const seen = new Set<string>();
  const list: AddressList = { mailboxes: [], unreadCount: 0, looseCount: 0, isCut: false };
  let entries = 0;
  for (const field of fields) {
    if (field.name !== name) continue;
    if (entries >= ADDRESSES_MAX) return { ...list, isCut: true };
    const read = readAddressList(fieldValue(header, field));
    list.unreadCount += read.unreadCount;
    list.looseCount += read.looseCount;
    list.isCut ||= read.isCut;
    entries += read.mailboxes.length + read.unreadCount;
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
