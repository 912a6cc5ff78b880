import type { AccountDefaultsWire, GenerateAliasBody, MailboxWire } from "@kauke/contract";
import type { GenerateInput } from "../../core/alias/generate-alias.ts";
import type { AccountDefaults } from "../../core/mailbox/account-defaults.ts";
import type { Mailbox } from "../../core/mailbox/mailbox.ts";
import type { MailboxUse } from "../../core/mailbox/remove-mailbox.ts";
import { destinationsOf } from "../aliases/wire.ts";

export function mailboxToWire({ createdAt, address, ...mailbox }: Mailbox): MailboxWire {
  const confirmed = mailbox.state === "confirmed";
  return { ...mailbox, email: address, confirmed, createdAt: createdAt.toISOString() };
}

export function mailboxUseToWire({ alias: { id, name, domain }, isOnly }: MailboxUse) {
  return { id, alias: name, domain, isOnly };
}

export function defaultsToWire({ mailbox, ...defaults }: AccountDefaults): AccountDefaultsWire {
  return { ...defaults, mailboxId: mailbox?.id ?? null };
}

export function generateInputFromWire(userId: string, { forwardTo, ...body }: GenerateAliasBody): GenerateInput {
  return { userId, ...body, destinations: forwardTo === undefined ? undefined : destinationsOf(forwardTo) };
}
