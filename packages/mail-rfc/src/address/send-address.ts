/**
 * Addresses to which the owner of an alias writes in order to send a message from the alias:
 * `alias+person=host.example@domain`, the form that addy.io's clients create. The tag contains the recipient, with `=`
 * in place of `@`.
 */
import { readPlainAddress } from "./address.ts";

/**
 * Reads the recipient from the tag of an alias address.
 * @example readSendTag("ann=shop.example") // "ann@shop.example"
 * @returns `null` for a tag of another form
 */
export function readSendTag(tag: string): string | null {
  const equals = tag.lastIndexOf("=");
  if (equals <= 0) return null;
  const domain = tag.slice(equals + 1);
  if (!domain.includes(".")) return null;
  return readPlainAddress(`${tag.slice(0, equals)}@${domain}`)?.canonical ?? null;
}
