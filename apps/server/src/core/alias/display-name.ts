/** The name that correspondents see beside an alias' address must not reveal a mailbox behind it. */
import { displayNameMessages } from "@kauke/contract";
import { spellingsOfDomain, splitAddress } from "@kauke/mail-rfc";
import { fieldError } from "../app-error.ts";
import { listMailboxes, type MailboxDeps } from "../mailbox/list-mailboxes.ts";

/** Letters and digits in one spelling, so that `ann (at) inbox.example` is found. */
const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

/** Whether a name has the local part, without its tag, and the domain of a mailbox, in any form. */
export function revealsMailbox(name: string, mailboxes: readonly string[]): boolean {
  const shown = plain(name);
  return mailboxes.some((address) => {
    const { local, domain } = splitAddress(address);
    const stem = plain(local.replace(/(?<=.)\+.*$/s, ""));
    return shown.includes(stem) && spellingsOfDomain(domain).some((one) => shown.includes(plain(one)));
  });
}

/** @throws AppError `invalid` */
export async function refuseRevealingName(
  deps: MailboxDeps,
  { userId, name }: { userId: string; name: string | null | undefined },
): Promise<void> {
  if (name === undefined || name === null) return;
  const mailboxes = (await listMailboxes(deps, userId)).map(({ address }) => address);
  if (revealsMailbox(name, mailboxes)) throw fieldError("displayName", displayNameMessages.mailbox);
}
