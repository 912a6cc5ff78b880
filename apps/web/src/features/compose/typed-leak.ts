/**
 * The leak guard for messages encrypted in the browser, which the server can't read: whether the text contains the
 * address of a mailbox the alias forwards to. Unlike the server's guard it does not decode links and markup. Pure.
 */
import { parseForwardTo } from "@kauke/contract";
import { splitAddress } from "@kauke/contract/split-address";

/** Invisible characters, which are removed before the search. */
const unseen = /[\p{Cf}\u034f\u115f\u1160\u3164\uffa0\u2800]/gu;
/**
 * Text before or after a match that makes it part of a longer address: a letter or digit, with or without punctuation
 * between. "joann@…" is not a leak of "ann@…".
 */
const before = /[\p{L}\p{N}][._+-]*$/u;
const after = /^[.-]*[\p{L}\p{N}]/u;
/** Characters examined on each side of an address. */
const CONTEXT_LENGTH = 64;

const plain = (text: string): string => text.normalize("NFKC").replace(unseen, "").toLowerCase();

/**
 * Whether the text contains the address of one of the alias' mailboxes.
 * @param forwardTo destinations of the alias; webhooks, and the `null` of a paused alias, are no mailboxes
 */
export function containsMailbox(body: string, forwardTo: string): boolean {
  const text = plain(body);
  const destinations = parseForwardTo(forwardTo) ?? [];
  return destinations.some(
    (destination) =>
      destination.kind === "mailbox" &&
      spellings(destination.address).some((spelling) => containsAddress(text, spelling)),
  );
}

/** Spellings of an address: with and without its tag, the domain in Unicode and in ASCII. */
function spellings(mailbox: string): string[] {
  const address = plain(mailbox);
  const { local, domain } = splitAddress(address);
  const locals = new Set([local, local.replace(/\+.*$/s, "")].filter((part) => part !== ""));
  return [...locals].flatMap((name) => [...new Set([domain, asciiDomain(domain)])].map((right) => `${name}@${right}`));
}

function asciiDomain(domain: string): string {
  return URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : domain;
}

function containsAddress(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at >= 0; at = text.indexOf(address, at + 1)) {
    const end = at + address.length;
    const isWhole = !before.test(text.slice(Math.max(0, at - CONTEXT_LENGTH), at));
    if (isWhole && !after.test(text.slice(end, end + CONTEXT_LENGTH))) return true;
  }
  return false;
}
