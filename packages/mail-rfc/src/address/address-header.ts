/** Bytes of received fields, and the addresses of all fields of one name. */

import { charsetLabel } from "../header/encoded-word.ts";
import { fieldValue, firstValue, type HeaderField } from "../header/headers.ts";
import { splitAddress, splitAliasAddress } from "./address.ts";
import { ADDRESSES_MAX, type AddressList, emptyList, type Mailbox, readAddressList } from "./address-list.ts";

export interface HeaderSource {
  header: Buffer;
  fields: readonly HeaderField[];
}

export const BARE_BREAK = /\r(?!\n)|(?<!\r)\n/;
const EVERY_BARE_BREAK = /\r(?!\n)|(?<!\r)\n/g;
const ASCII = /^[\0-\x7f]*$/;

/** Copies a field. A bare CR or LF becomes a space: a program that takes it for a line end would read another field. */
export function fieldBytes(header: Buffer, field: HeaderField): Buffer {
  const text = header.toString("latin1", field.start, field.end);
  const clean = cleanField(text);
  return clean === text ? header.subarray(field.start, field.end) : Buffer.from(clean, "latin1");
}

/** Cleans a field like `fieldBytes`; one character per byte. */
export function cleanField(text: string): string {
  const clean = BARE_BREAK.test(text) ? text.replace(EVERY_BARE_BREAK, " ") : text;
  return clean.endsWith("\r\n") ? clean : `${clean}\r\n`;
}

/** Parsed address lists by header and field name: a message to many aliases is rewritten for each of them. */
const listsByHeader = new WeakMap<readonly HeaderField[], Map<string, AddressList>>();

/** Addresses of all fields with a lower-case name, in order, without duplicates, up to `ADDRESSES_MAX` entries. */
export function addressesOf(source: HeaderSource, name: string): Readonly<AddressList> {
  const lists = listsByHeader.get(source.fields) ?? new Map<string, AddressList>();
  const known = lists.get(name);
  if (known !== undefined) return known;
  const list = readAddresses(source, name);
  listsByHeader.set(source.fields, lists.set(name, list));
  return list;
}

function readAddresses({ header, fields }: HeaderSource, name: string): AddressList {
  const seen = new Set<string>();
  const list = emptyList();
  let entries = 0;
  for (const field of fields) {
    if (field.name !== name) continue;
    if (entries >= ADDRESSES_MAX) return { ...list, isCut: true };
    const read = readField({ header, fields }, field);
    list.unreadCount += read.unreadCount;
    list.looseCount += read.looseCount;
    list.isCut ||= read.isCut;
    list.cutCount += read.cutCount;
    entries += read.mailboxes.length + read.unreadCount;
    for (const mailbox of read.mailboxes) {
      const key = addressKey(mailbox.address);
      if (!seen.has(key)) list.mailboxes.push(mailbox);
      seen.add(key);
    }
  }
  return list;
}

/** Reads names in the charset that the message declares. Only names: authentication must not depend on a label. */
function readField({ header, fields }: HeaderSource, field: HeaderField): AddressList {
  const value = fieldValue(header, field);
  const list = readAddressList(value);
  if (ASCII.test(value)) return list;
  const charset = charsetLabel(firstValue(header, fields, "content-type") ?? "");
  const declared = readAddressList(fieldValue(header, field, charset));
  const isSame = ({ address }: Mailbox, index: number) => address === declared.mailboxes[index]?.address;
  return list.mailboxes.length === declared.mailboxes.length && list.mailboxes.every(isSame)
    ? { ...list, mailboxes: declared.mailboxes }
    : list;
}

/** Comparison key of an address. Local parts lose their case too, since no mail host in use distinguishes it. */
export function addressKey(address: string): string {
  return (ASCII.test(address) ? address : address.normalize("NFC")).toLowerCase();
}

export interface OwnAliases {
  aliasAddress: string;
  isOwnAlias?: (address: string) => boolean;
}

/** Whether an address is the alias, in any letter case with any tag, or another one of the owner. */
export function isOwn(address: string, { aliasAddress, isOwnAlias }: OwnAliases): boolean {
  return withoutTag(address) === addressKey(aliasAddress) || (isOwnAlias?.(address) ?? false);
}

function withoutTag(address: string): string {
  const { local, domain } = splitAddress(address);
  return addressKey(`${splitAliasAddress(local).name}@${domain}`);
}
