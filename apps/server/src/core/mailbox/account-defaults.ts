import { type DefaultFormat, mailboxMessages } from "@kauke/contract";
import { type Alias, type Destination, mailboxesOf } from "../alias/alias.ts";
import { domainErrors, refuseFieldErrors } from "../alias/alias-rules.ts";
import { AppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import type { User } from "../user/user.ts";
import { chooseDefault, listMailboxes, type MailboxDeps, ownMailbox, readStates } from "./list-mailboxes.ts";
import type { ChosenDefaults, DefaultsChange, ListedMailbox } from "./mailbox.ts";

export type DefaultMailbox = Omit<ListedMailbox, "aliasCount">;

export interface AccountDefaults {
  domain: string;
  format: DefaultFormat;
  /** Whether generated names begin with the website's name if the client tells it. */
  siteInName: boolean;
  /** Mailbox of new aliases; `null` if no mailbox is confirmed. */
  mailbox: DefaultMailbox | null;
}

/** Replaces a chosen domain or mailbox that is no longer usable. @throws AppError `not_signed_in` */
export async function readAccountDefaults(deps: MailboxDeps, userId: string): Promise<AccountDefaults> {
  const [user, chosen] = await Promise.all([deps.users.find(userId), deps.users.defaults(userId)]);
  if (user === null || chosen === null) throw new AppError("not_signed_in");
  const domains = deps.mailDomains.usableBy(userId);
  const isKnown = chosen.domain !== undefined && domains.includes(chosen.domain);
  return {
    domain: (isKnown ? chosen.domain : domains[0]) ?? "",
    format: chosen.format ?? "characters",
    siteInName: chosen.siteInName ?? false,
    mailbox: (await likelyDefault(deps, user, chosen)) ?? (await listedDefault(deps, userId)),
  };
}

/** The chosen mailbox or the account's e-mail, if confirmed, else `null`; reads no aliases. */
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

/** @throws AppError `invalid` for a foreign domain or unconfirmed mailbox, `rate_limited`, `not_signed_in` */
export async function changeDefaults(
  deps: MailboxDeps & LimitDeps & Pick<CoreDeps, "users">,
  userId: string,
  change: DefaultsChange,
): Promise<AccountDefaults> {
  refuseFieldErrors(domainErrors({ userId, domain: change.domain }, deps.mailDomains));
  await takeLimit(deps, "mailbox_change", { userId });
  if (typeof change.mailboxId === "string") await refuseUnconfirmed(deps, userId, change.mailboxId);
  if (!(await deps.users.changeDefaults(userId, change))) throw new AppError("not_signed_in");
  return readAccountDefaults(deps, userId);
}

async function refuseUnconfirmed(deps: MailboxDeps, userId: string, mailboxId: string): Promise<void> {
  const mailbox = (await listMailboxes(deps, userId)).find(({ id }) => id === mailboxId);
  if (mailbox === undefined) throw fieldError("mailboxId", mailboxMessages.unknown);
  if (mailbox.state !== "confirmed") throw fieldError("mailboxId", mailboxMessages.unconfirmed);
}

export type AliasMailbox = Pick<ListedMailbox, "id" | "address" | "state" | "createdAt">;

/** Mailboxes by `exactMailbox`; reads the aliases only if one was never listed. */
export async function aliasMailboxes(
  deps: MailboxDeps,
  userId: string,
  aliases: readonly Alias[],
): Promise<Map<string, AliasMailbox>> {
  const wanted = new Set(aliases.flatMap(mailboxesOf).map(exactMailbox));
  const isWanted = ({ address }: { address: string }) => wanted.has(exactMailbox(address));
  const rows = (await deps.mailboxes.list(userId)).filter(isWanted);
  const found = rows.length < wanted.size ? (await listMailboxes(deps, userId)).filter(isWanted) : await known(rows);
  return new Map(found.map((mailbox) => [exactMailbox(mailbox.address), mailbox]));

  async function known(stored: typeof rows): Promise<AliasMailbox[]> {
    const stateOf = await readStates(
      deps,
      userId,
      stored.map((row) => row.address),
    );
    return stored.map(({ id, address, createdAt }) => ({ id, address, createdAt, state: stateOf(address) }));
  }
}

export type MailboxDestination = Extract<Destination, { kind: "mailbox" }>;

interface Choice {
  userId: string;
  mailboxIds?: readonly string[] | undefined;
}

/** Does not check confirmation. @throws AppError `no_mailbox`; `invalid` for an id that is not the account's */
export async function mailboxDestinations(
  deps: MailboxDeps,
  { userId, mailboxIds }: Choice,
  readDefaults: () => Promise<AccountDefaults> = () => readAccountDefaults(deps, userId),
): Promise<MailboxDestination[]> {
  if (mailboxIds === undefined || mailboxIds.length === 0) {
    const { mailbox } = await readDefaults();
    if (mailbox === null) throw new AppError("no_mailbox");
    return [{ kind: "mailbox", address: mailbox.address }];
  }
  const rows = new Map((await deps.mailboxes.list(userId)).map((row) => [row.id, row.address]));
  return [...new Set(mailboxIds)].map((id) => {
    const address = rows.get(id);
    if (address === undefined) throw fieldError("mailboxIds", mailboxMessages.unknown);
    return { kind: "mailbox", address };
  });
}
