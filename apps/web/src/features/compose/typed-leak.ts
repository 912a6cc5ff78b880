/**
 * The leak guard for what is encrypted here, since the server can't read it: whether the message tells a mailbox its alias
 * forwards to, as a person would read it. Links and markup, which the server's guard undoes in plain mail, are not undone. Pure.
 */
import { parseForwardTo } from "@kauke/contract";
import { splitAddress } from "@kauke/contract/split-address";

const unseen = /[\p{Cf}\u034f\u115f\u1160\u3164\uffa0\u2800]/gu;
/** Signs beside an address belong to it only when a letter or digit stands beyond them: "joann@…" is somebody else. */
const before = /[\p{L}\p{N}][._+-]*$/u;
const after = /^[.-]*[\p{L}\p{N}]/u;
const longestName = 64;

const plain = (text: string): string => text.normalize("NFKC").replace(unseen, "").toLowerCase();

/** @param forwardTo as the alias has it; webhooks and the `null` of a paused alias hold no mailbox */
export function tellsMailbox(body: string, forwardTo: string): boolean {
  const text = plain(body);
  const destinations = parseForwardTo(forwardTo) ?? [];
  return destinations.some(
    (it) => it.kind === "mailbox" && spellings(it.address).some((spelling) => holds(text, spelling)),
  );
}

/** With and without a tag, the domain in both of its forms. */
function spellings(mailbox: string): string[] {
  const address = plain(mailbox);
  const { local, domain } = splitAddress(address);
  const locals = new Set([local, local.replace(/\+.*$/s, "")].filter((it) => it !== ""));
  return [...locals].flatMap((it) => [...new Set([domain, asciiDomain(domain)])].map((right) => `${it}@${right}`));
}

function asciiDomain(domain: string): string {
  return URL.canParse(`http://${domain}`) ? new URL(`http://${domain}`).hostname : domain;
}

function holds(text: string, address: string): boolean {
  for (let at = text.indexOf(address); at >= 0; at = text.indexOf(address, at + 1)) {
    const end = at + address.length;
    const isWhole = !before.test(text.slice(Math.max(0, at - longestName), at));
    if (isWhole && !after.test(text.slice(end, end + longestName))) return true;
  }
  return false;
}
