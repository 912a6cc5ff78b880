/**
 * Rewrites the links of mailing-list fields (RFC 2369, RFC 6068). The owner's program would follow a mailto link from
 * the real mailbox, so the address becomes a reply address, and only subject and body of the query are kept. Web links
 * stay unchanged.
 */
import { type Mailbox, parseAddressList } from "../address/address-list.ts";
import { canStandInField, type FieldText, headerField, NO_FIELD } from "./header-field.ts";

const LINKS_MAX = 20;
const KEPT_QUERY = new Set(["subject", "body"]);

/**
 * Rewrites one mailing-list field.
 * @param title field name as it is to be written
 * @param replyFor returns the reply address for a list's address; `null` when none can be assigned
 * @returns the whole field, empty when no link is left; `null` when the field may stay byte for byte
 */
export function rewriteListField(
  title: string,
  value: string,
  replyFor: (mailbox: Mailbox) => string | null,
): FieldText | null {
  if (!isMailing(value)) return null;
  const links: string[] = [];
  for (const [, inside = ""] of value.matchAll(/<([^<>]*)>/g)) {
    const link = rewriteLink(inside.replace(/\s+/g, ""), replyFor);
    if (link !== null && canStandInField(link) && links.length < LINKS_MAX) links.push(`<${link}>`);
  }
  return links.length === 0 ? NO_FIELD : headerField(title, withCommas(links));
}

/** Whether a web link of the field is in the forwarded message; `rewriteListField` leaves out what fits no line. */
export function keepsWebLink(value: string): boolean {
  const links = [...value.matchAll(/<([^<>]*)>/g)].map(([, inside = ""]) => inside.replace(/\s+/g, ""));
  const web = links.filter((link) => /^https:\/\//i.test(link));
  return isMailing(value) ? web.some(canStandInField) : web.length > 0;
}

/** Whether a lenient parser could find an address: "mailto" in any spelling, or an "@" outside a web link. */
function isMailing(value: string): boolean {
  return /mailto/i.test(value.replace(/\s+/g, "")) || /@/.test(value.replace(/<\s*https?:[^<>]*>/gi, ""));
}

function rewriteLink(link: string, replyFor: (mailbox: Mailbox) => string | null): string | null {
  if (/^https?:\/\//i.test(link)) return link;
  const [, to, query = ""] = /^mailto:([^?]*)(?:\?(.*))?$/i.exec(link) ?? [];
  const target = to === undefined ? null : parseAddressList(percentDecoded(to))[0];
  const reply = target ? replyFor(target) : null;
  if (reply === null) return null;
  const kept = query.split("&").filter((pair) => KEPT_QUERY.has(pair.split("=", 1)[0]?.toLowerCase() ?? ""));
  return `mailto:${reply}${kept.length === 0 ? "" : `?${kept.join("&")}`}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function withCommas(links: readonly string[]): string[] {
  return links.map((link, index) => (index < links.length - 1 ? `${link},` : link));
}
