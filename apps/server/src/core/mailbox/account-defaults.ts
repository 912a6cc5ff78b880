import { type DefaultFormat, mailboxMessages } from "@kauke/contract";
import { listDomains } from "../alias/alias.ts";
import { domainErrors, refuseFieldErrors } from "../alias/alias-rules.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import type { User } from "../user/user.ts";
import { chooseDefault, listMailboxes, type MailboxDeps, ownMailbox, readStates } from "./list-mailboxes.ts";
import type { ChosenDefaults, DefaultsChange, Mailbox } from "./mailbox.ts";

export type DefaultMailbox = Omit<Mailbox, "aliasCount">;

/** Default values for new aliases of an account. */
export interface AccountDefaults {
  domain: string;
  format: DefaultFormat;
  /** Whether generated names begin with the website's name if the client tells it. */
  siteInName: boolean;
  /** Mailbox that new aliases forward to; `null` if no mailbox of the account is confirmed. */
  mailbox: DefaultMailbox | null;
}

/**
 * Reads an account's defaults for new aliases. A chosen domain that the operator has removed is replaced by the first
 * domain, a chosen mailbox that is no longer confirmed by another mailbox.
 * @throws AppError `not_signed_in` when the account no longer exists
 */
export async function accountDefaults(deps: MailboxDeps, userId: string): Promise<AccountDefaults> {
  const [user, chosen] = await Promise.all([deps.users.find(userId), deps.users.defaults(userId)]);
  if (user === null || chosen === null) throw new AppError("not_signed_in");
  const domains = listDomains(deps.ownDomains);
  const isKnown = chosen.domain !== undefined && domains.includes(chosen.domain);
  return {
    domain: (isKnown ? chosen.domain : domains[0]) ?? "",
    format: chosen.format ?? "characters",
    siteInName: chosen.siteInName ?? false,
    mailbox: (await likelyDefault(deps, user, chosen)) ?? (await listedDefault(deps, userId)),
  };
}

/**
 * The default mailbox if it is the chosen one or the account's e-mail, found without reading the account's aliases;
 * `null` if neither of the two is confirmed.
 */
async function likelyDefault(deps: MailboxDeps, user: User, chosen: ChosenDefaults): Promise<DefaultMailbox | null> {
  const own = ownMailbox(deps, user)?.address ?? null;
  const ownKey = own === null ? null : exactMailbox(own);
  const rows = await deps.mailboxes.list(user.id);
  const likely = rows.filter((row) => row.id === chosen.mailboxId || exactMailbox(row.address) === ownKey);
  const stateOf = await readStates(
    deps,
    user.id,
    likely.map((row) => row.address),
  );
  const found = chooseDefault(likely, { stateOf, chosenId: chosen.mailboxId, own });
  if (found === null) return null;
  const { id, address, createdAt } = found;
  return { id, address, state: "confirmed", isDefault: true, createdAt };
}

async function listedDefault(deps: MailboxDeps, userId: string): Promise<DefaultMailbox | null> {
  return (await listMailboxes(deps, userId)).find((mailbox) => mailbox.isDefault) ?? null;
}

/**
 * Changes an account's defaults for new aliases.
 * @throws AppError `invalid` for a domain that is not this server's or a mailbox that is not a confirmed one of the
 * account; `rate_limited`; `not_signed_in` when the account no longer exists
 */
export async function changeDefaults(
  deps: MailboxDeps & LimitDeps & Pick<CoreDeps, "users">,
  userId: string,
  change: DefaultsChange,
): Promise<AccountDefaults> {
  if (change.domain !== undefined) refuseFieldErrors(domainErrors(change.domain, deps.ownDomains));
  await takeLimit(deps, "mailbox_change", { userId });
  if (typeof change.mailboxId === "string") await refuseUnconfirmed(deps, userId, change.mailboxId);
  if (!(await deps.users.changeDefaults(userId, change))) throw new AppError("not_signed_in");
  return accountDefaults(deps, userId);
}

async function refuseUnconfirmed(deps: MailboxDeps, userId: string, mailboxId: string): Promise<void> {
  const mailbox = (await listMailboxes(deps, userId)).find(({ id }) => id === mailboxId);
  if (mailbox === undefined) throw fieldError("mailboxId", mailboxMessages.unknown);
  if (mailbox.state !== "confirmed") throw fieldError("mailboxId", mailboxMessages.unconfirmed);
}
