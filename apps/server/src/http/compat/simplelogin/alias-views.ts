/** Combines aliases with the client numbers of the aliases and of their mailboxes. */
import type { Alias } from "../../../core/alias/alias.ts";
import { AppError } from "../../../core/app-error.ts";
import type { CoreDeps } from "../../../core/core-deps.ts";
import { mailboxesOf } from "../../../core/destination/destination.ts";
import { exactMailbox } from "../../../core/destination/same-mailbox.ts";
import { aliasMailboxes } from "../../../core/mailbox/account-defaults.ts";
import { listMailboxes } from "../../../core/mailbox/list-mailboxes.ts";
import type { Mailbox } from "../../../core/mailbox/mailbox.ts";
import { numberInPath } from "./input.ts";
import type { AliasView } from "./wire.ts";

/** Reads the views of some aliases of one account; an alias that was deleted meanwhile is left out. */
export async function aliasViews(deps: CoreDeps, userId: string, aliases: readonly Alias[]): Promise<AliasView[]> {
  if (aliases.length === 0) return [];
  const known = await aliasMailboxes(deps, userId, aliases);
  const ids = aliases.map((alias) => alias.id);
  const mailboxIds = [...known.values()].map((mailbox) => mailbox.id);
  const aliasNumbers = await deps.clientNumbers.numbersOf(userId, "alias", ids);
  const mailboxNumbers = await deps.clientNumbers.numbersOf(userId, "mailbox", mailboxIds);
  return aliases.flatMap((alias) => {
    const number = aliasNumbers.get(alias.id);
    if (number === undefined) return [];
    const mailboxes = mailboxesOf(alias).flatMap((email) => {
      const id = mailboxNumbers.get(known.get(exactMailbox(email))?.id ?? "");
      return id === undefined ? [] : [{ id, email }];
    });
    return [{ alias, number, mailboxes }];
  });
}

/**
 * Reads the view of one alias.
 * @throws AppError `forbidden` when it was deleted meanwhile
 */
export async function aliasView(deps: CoreDeps, alias: Alias): Promise<AliasView> {
  const [view] = await aliasViews(deps, alias.userId, [alias]);
  if (view === undefined) throw new AppError("forbidden", { message: "Forbidden" });
  return view;
}

/**
 * Finds the account's alias by the client number in a path.
 * @throws AppError `forbidden` when the account has none with this number
 */
export async function aliasInPath(deps: CoreDeps, userId: string, params: unknown): Promise<Alias> {
  const number = numberInPath(params);
  const id = number === null ? null : await deps.clientNumbers.idOf(userId, "alias", number);
  const alias = id === null ? null : await deps.aliases.find(userId, id);
  if (alias === null) throw new AppError("forbidden", { message: "Forbidden" });
  return alias;
}

export interface NumberedMailbox {
  mailbox: Mailbox;
  number: number;
}

/** Mailboxes of the account with their client numbers, the default mailbox first. */
export async function numberedMailboxes(deps: CoreDeps, userId: string): Promise<NumberedMailbox[]> {
  const mailboxes = await listMailboxes(deps, userId);
  const ids = mailboxes.map(({ id }) => id);
  const numbers = await deps.clientNumbers.numbersOf(userId, "mailbox", ids);
  const numbered = mailboxes.flatMap((mailbox) => {
    const number = numbers.get(mailbox.id);
    return number === undefined ? [] : [{ mailbox, number }];
  });
  return numbered.sort((a, b) => Number(b.mailbox.isDefault) - Number(a.mailbox.isDefault));
}

/**
 * Finds the account's mailboxes by their client numbers.
 * @throws AppError `invalid` when the account has none with one of the numbers
 */
export async function mailboxesWithNumbers(
  deps: CoreDeps,
  userId: string,
  numbers: readonly number[],
): Promise<Mailbox[]> {
  const known = new Map((await numberedMailboxes(deps, userId)).map(({ mailbox, number }) => [number, mailbox]));
  return numbers.map((number) => {
    const mailbox = known.get(number);
    if (mailbox === undefined) throw new AppError("invalid", { message: "Errors with Mailbox" });
    return mailbox;
  });
}
