/** Names and destinations of aliases, without schemas: pages show them before zod has loaded. */
import { limits } from "./limits.ts";
import { splitAtSign } from "./split-address.ts";

export const aliasMessages = {
  nameRequired: "Alias is required",
  nameFormat: "Invalid alias format",
  domainRequired: "Domain is required",
  forwardToRequired: "At least one email address or webhook URL is required",
  forwardToFormat:
    "Please enter valid email addresses and/or webhook URLs (https://hooks.example.org) separated by commas",
  forwardToOwnDomain: "Mail can't be forwarded to an address on one of our own domains",
  forwardToBlocked: "A mailbox here has asked to get no mail from this server",
  forwardToByKey: "With an API key, an alias can only be pointed at mailboxes that this account has confirmed",
  forwardToTooMany: `An alias forwards to ${limits.destinationsMax} destinations at most`,
  tooMany: `An account holds ${limits.aliasesMax} aliases at most. Please delete one you do not need.`,
  releasedMany: `An account can delete or rename ${limits.releasedMax} used aliases in 30 days, because each address stays reserved for it that long. Please pause those you do not need, or try again later.`,
  notesLength: "Notes must be 128 characters or less",
  sealTo: "sealTo must be account, off, or the id of one of your encryption keys",
  atLeastOne: "At least one field (alias, forwardTo, active, notes, or lastForwardTo) must be provided",
} as const;

export type ForwardToEntry = { kind: "mailbox"; address: string } | { kind: "webhook"; url: string };

const NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** Whether a text is an alias name: 1 to 64 letters, digits, `-`, `_`, inner dots (RFC 5321 §4.5.3.1.1). */
export function isAliasName(text: string): boolean {
  return text.length <= limits.aliasNameMax && NAME.test(text);
}

const ATEXT = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~.\u{80}-\u{10ffff}-]+$/u;
const LABEL = /^(?!-)[A-Za-z0-9\u{80}-\u{10ffff}-]{1,63}(?<!-)$/u;
// Characters that can't be seen: control, space, bidirectional, zero-width, surrogate and tag characters.
const UNSEEN =
  /[\u{0}-\u{20}\u{7f}-\u{a0}\u{ad}\u{61c}\u{1680}\u{180e}\u{2000}-\u{200f}\u{2028}-\u{202f}\u{205f}-\u{206f}\u{3000}\u{feff}\u{fff9}-\u{ffff}\u{d800}-\u{dfff}\u{e0000}-\u{e007f}]/u;

// A domain with one of these characters looks like another one, and leads to it where they are ignored (UTS 46 §4).
const HIDDEN = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Whether a text is an address (RFC 5321 §4.1.2, RFC 6531) with at least two domain labels. Only its host interprets a
 * local part, so dots may stand anywhere and it may exceed 64 octets. Quoted local parts and literals are refused: real
 * mailboxes do not use them.
 */
export function isMailbox(text: string): boolean {
  const { local, domain } = splitAtSign(text);
  if (local === "" || text.length > limits.emailMax || UNSEEN.test(text) || octets(text) > limits.emailMax)
    return false;
  if (!ATEXT.test(local)) return false;
  // Full-width and other characters become ASCII before a DNS query, so one of our domains could hide in them.
  if (domain.normalize("NFKC") !== domain.normalize("NFC") || /[\u{3002}\u{ff0e}\u{ff61}]/u.test(domain)) return false;
  if (HIDDEN.test(domain)) return false;
  const labels = domain.split(".");
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) && !/^\d+$/.test(labels.at(-1) ?? "");
}

function octets(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Whether a text is an absolute URL without credentials; each delivery checks whether its host may be called. */
export function isWebhookUrl(text: string): boolean {
  if (text.length > limits.webhookUrlMax || UNSEEN.test(text) || !/^https?:\/\/[^/\\]/i.test(text)) return false;
  if (!URL.canParse(text)) return false;
  return !/^[^/]*\/\/[^/?#\\]*@/.test(text) && new URL(text).hostname !== "";
}

/** Parses destinations in order, without duplicates; `null` for an entry that is neither mailbox nor URL. */
export function parseForwardTo(text: string): ForwardToEntry[] | null {
  const found = new Map<string, ForwardToEntry>();
  for (const part of text.split(",")) {
    const entry = part.trim();
    const destination = parseDestination(entry);
    if (destination === null) return null;
    const key = destination.kind === "mailbox" ? destination.address.toLowerCase() : entry;
    if (!found.has(key)) found.set(key, destination);
  }
  return [...found.values()];
}

function parseDestination(entry: string): ForwardToEntry | null {
  if (isMailbox(entry)) return { kind: "mailbox", address: entry.normalize("NFC") };
  return isWebhookUrl(entry) ? { kind: "webhook", url: entry } : null;
}

export function formatForwardTo(destinations: readonly ForwardToEntry[]): string {
  return destinations
    .map((destination) => (destination.kind === "mailbox" ? destination.address : destination.url))
    .join(", ");
}
