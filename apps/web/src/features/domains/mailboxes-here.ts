import type { AccountDomainWire, MailboxWire } from "@kauke/contract";

/** Mailboxes on the domain to which aliases forward: their mail comes here, where only aliases get mail. */
export function mailboxesHere(
  { domain, shownDomain }: Pick<AccountDomainWire, "domain" | "shownDomain">,
  mailboxes: readonly Pick<MailboxWire, "email" | "aliasCount" | "isDefault">[],
): string[] {
  const names = new Set([domain, shownDomain.toLowerCase()]);
  return mailboxes.flatMap(({ email, aliasCount, isDefault }) =>
    (aliasCount > 0 || isDefault) && names.has(email.slice(email.lastIndexOf("@") + 1).toLowerCase()) ? [email] : [],
  );
}
