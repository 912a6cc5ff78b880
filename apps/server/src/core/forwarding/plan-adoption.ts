/** Decides which aliases that somebody else made at the forwarding provider can become aliases of an account here. */
import { isAliasName, limits, parseForwardTo } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import { splitAddress } from "@kauke/mail-rfc";
import type { AddressStanding, Destination } from "../alias/alias.ts";
import type { MailDomains } from "../domain/mail-domains.ts";
import type { ProviderCopy } from "./provider-account.ts";

export interface PlannedAdoption {
  copy: ProviderCopy;
  destinations: readonly Destination[];
  /** Why it is left alone, as a sentence; `null`: it is adopted. */
  refusal: string | null;
  /** What will be different here, as a sentence; else `null`. */
  remark: string | null;
}

export interface AdoptionRules {
  mailDomains: Pick<MailDomains, "has" | "operators">;
  standing: ReadonlyMap<string, AddressStanding>;
  /** Mailboxes, in lower case, whose readers want no mail from here. */
  blocked: ReadonlySet<string>;
  /** Aliases that the account may still have. */
  room: number;
}

/** The same destinations or none: an alias that would forward to fewer is refused. */
export function planAdoption(copies: readonly ProviderCopy[], rules: AdoptionRules): PlannedAdoption[] {
  let room = rules.room;
  return copies.map((copy) => {
    const destinations = copy.recipients.flatMap((text) => destinationOf(text) ?? []);
    const refused = refusalOf(copy, destinations, rules);
    if (refused === null) room -= 1;
    const refusal = refused ?? (room < 0 ? `An account holds ${limits.aliasesMax} aliases at most.` : null);
    return { copy, destinations, refusal, remark: refusal === null ? remarkOf(copy) : null };
  });
}

function destinationOf(text: string): Destination | null {
  return (text.includes(",") ? null : parseForwardTo(text))?.[0] ?? null;
}

function refusalOf(
  { address, recipients, hasImap }: ProviderCopy,
  destinations: readonly Destination[],
  { mailDomains, standing, blocked }: AdoptionRules,
): string | null {
  const { local, domain } = splitAddress(address);
  if (local.includes("*")) return "It is a catch-all, which aliases here can't be.";
  if (local.startsWith("/")) return "It is a regular expression, which aliases here can't be.";
  if (!mailDomains.operators.includes(domain)) return "Its domain is not in KAUKE_DOMAINS.";
  if (!isAliasName(local)) return "The name has characters that are not allowed here.";
  if (findReservedName(local) !== null) return "The name is reserved here.";
  const known = standing.get(address);
  if (known !== undefined)
    return known.kind === "own" ? "The account has it already." : "Another account has it, or had it until recently.";
  if (hasImap === true) return "It stores mail there (IMAP), which aliases here don't.";
  if (recipients.length === 0) return "It forwards nowhere.";
  if (recipients.length > limits.destinationsMax) return `An alias has ${limits.destinationsMax} destinations at most.`;
  if (destinations.length < recipients.length)
    return "A destination is neither a mailbox nor a webhook that can be used here.";
  const mailboxes = destinations.flatMap((one) => (one.kind === "mailbox" ? [one.address] : []));
  if (mailboxes.some((mailbox) => mailDomains.has(splitAddress(mailbox).domain)))
    return "It forwards to an address of this server.";
  if (mailboxes.some((mailbox) => blocked.has(mailbox.toLowerCase())))
    return "A mailbox of it wants no mail from here.";
  return null;
}

function remarkOf({ isEnabled, codeIfDisabled }: ProviderCopy): string | null {
  if (isEnabled || codeIfDisabled === 250) return null;
  return `It refuses mail there (${codeIfDisabled}); paused here, it takes mail and drops it.`;
}
