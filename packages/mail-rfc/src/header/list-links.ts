/**
 * The links of mailing-list fields (RFC 2369, RFC 6068). A mailto is answered by the owner's program from the real mailbox, so it
 * goes through a reply address, with nothing of its query kept but subject and body. Web links stay as they are.
 */
import { type Mailbox, parseAddressList } from "../address/address-list.ts";
import { canStandInField, type FieldText, headerField, NO_FIELD } from "./header-field.ts";

const LINKS_MAX = 20;
const KEPT_QUERY = new Set(["subject", "body"]);

/**
 * @param title how the field's name is written
 * @param replyFor the reply address for a list's address, `null` when there can be none
 * @returns the whole field, empty when no link is left (one that no field may hold is left out); `null` when it may stay byte for byte
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

/** Whether a lenient reader could find an address to write to: "mailto" in any spelling, or a bare "@". */
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
