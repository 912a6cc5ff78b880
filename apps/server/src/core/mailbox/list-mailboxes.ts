import { aliasMessages, type ConfirmationState, limits, mailboxMessages } from "@kauke/contract";
import { splitAddress } from "@kauke/mail-rfc";
import { bounds } from "../../limits/table.ts";
import { mapInSlices } from "../../runtime/fair-queue/slices.ts";
import { type Alias, mailboxesOf } from "../alias/alias.ts";
import { fieldError, notFound } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { type AskDeps, askForConfirmation } from "../destination/confirmation.ts";
import { exactMailbox } from "../destination/same-mailbox.ts";
import { type LimitDeps, takeLimit } from "../take-limit.ts";
import type { User } from "../user/user.ts";
import type { ListedAddress, ListedMailbox, StoredMailbox } from "./mailbox.ts";

export type MailboxDeps = Pick<
  CoreDeps,
  "mailboxes" | "aliases" | "users" | "destinations" | "confirmation" | "mailDomains"
>;

/** Oldest first: mailboxes of aliases, added ones and the account's e-mail. New ones in aliases get their rows now. */
export async function listMailboxes(deps: MailboxDeps, userId: string): Promise<ListedMailbox[]> {
  const { mailboxes } = deps;
  const [user, chosen] = await Promise.all([deps.users.find(userId), deps.users.defaults(userId)]);
  if (user === null || chosen === null) return [];
  const uses = await countUses(await deps.aliases.listForUser(userId));
  const own = ownMailbox(deps, user);
  const wanted = new Map<string, ListedAddress>();
  if (own !== null) wanted.set(exactMailbox(own.address), uses.get(exactMailbox(own.address)) ?? own);
  for (const [key, use] of uses) wanted.set(key, use);
  const rows = await withMissing(deps, userId, wanted);
  const stateOf = await readStates(
    deps,
    userId,
    rows.map((row) => row.address),
  );
  const isListed = (row: StoredMailbox) =>
    row.isAdded || wanted.has(exactMailbox(row.address)) || stateOf(row.address) === "confirmed";
  const unused = rows.filter((row) => !isListed(row)).map((row) => row.id);
  if (unused.length > 0) await mailboxes.deleteUnused(userId, unused);
  const listed = rows.filter(isListed);
  const defaultId = chooseDefault(listed, { stateOf, chosenId: chosen.mailboxId, own: own?.address ?? null })?.id;
  return listed.map(({ id, address, createdAt }) => {
    const aliasCount = uses.get(exactMailbox(address))?.count ?? 0;
    return { id, address, state: stateOf(address), isDefault: id === defaultId, aliasCount, createdAt };
  });
}

interface Use extends ListedAddress {
  count: number;
}

async function countUses(aliases: readonly Alias[]): Promise<Map<string, Use>> {
  const uses = new Map<string, Use>();
  await mapInSlices(aliases.toReversed(), (alias) => {
    const since = alias.createdAt;
    for (const address of mailboxesOf(alias)) {
      const key = exactMailbox(address);
      const { count, ...known } = uses.get(key) ?? { address, since, count: 0 };
      uses.set(key, { ...known, count: count + 1 });
    }
  });
  return uses;
}

/** `null` without an account e-mail, or for one whose mail this server takes, to which no alias may forward. */
export function ownMailbox({ mailDomains }: Pick<CoreDeps, "mailDomains">, user: User): ListedAddress | null {
  if (user.email === null || mailDomains.has(splitAddress(user.email).domain)) return null;
  return { address: user.email, since: user.createdAt };
}

async function withMissing(
  { mailboxes }: Pick<CoreDeps, "mailboxes">,
  userId: string,
  wanted: ReadonlyMap<string, ListedAddress>,
): Promise<StoredMailbox[]> {
  const rows = await mailboxes.list(userId);
  const known = new Set(rows.map((row) => exactMailbox(row.address)));
  const room = Math.max(0, limits.listedMailboxesMax - rows.length);
  const missing = [...wanted].flatMap(([key, address]) => (known.has(key) ? [] : [address])).slice(0, room);
  if (missing.length === 0) return rows;
  await mailboxes.insertMissing(userId, missing);
  return mailboxes.list(userId);
}

export type StateOf = (address: string) => ConfirmationState;

export async function readStates(
  { destinations, confirmation }: Pick<CoreDeps, "destinations" | "confirmation">,
  userId: string,
  addresses: readonly string[],
): Promise<StateOf> {
  const states = await destinations.states(userId, addresses);
  return (address) => {
    const state = states.get(address) ?? "new";
    return confirmation === null && (state === "new" || state === "asked") ? "confirmed" : state;
  };
}

interface DefaultChoice {
  stateOf: StateOf;
  chosenId: string | undefined;
  own: string | null;
}

/** The first that is confirmed: the chosen mailbox, the account's e-mail, the oldest one. */
export function chooseDefault(
  rows: readonly StoredMailbox[],
  { stateOf, chosenId, own }: DefaultChoice,
): StoredMailbox | null {
  const ownKey = own === null ? null : exactMailbox(own);
  const confirmed = rows.filter((row) => stateOf(row.address) === "confirmed");
  const chosen = confirmed.find((row) => row.id === chosenId);
  return chosen ?? confirmed.find((row) => exactMailbox(row.address) === ownKey) ?? confirmed[0] ?? null;
}

/** Asks for confirmation unless that was done before. Idempotent. @throws AppError `invalid`, `rate_limited` */
export async function addMailbox(
  deps: MailboxDeps & AskDeps & LimitDeps & Pick<CoreDeps, "destinations">,
  { userId, address }: { userId: string; address: string },
): Promise<ListedMailbox> {
  if (deps.mailDomains.has(splitAddress(address).domain)) throw fieldError("address", aliasMessages.forwardToOwnDomain);
  await takeLimit(deps, "mailbox_change", { userId });
  // After the rate limit, so that an account can't find out of many mailboxes whether they have blocked us.
  if (await deps.destinations.isAnyBlocked([address])) throw fieldError("address", aliasMessages.forwardToBlocked);
  const known = new Set((await deps.mailboxes.list(userId)).map((row) => row.id));
  const added = await deps.mailboxes.add(userId, address, limits.addedMailboxesMax);
  if (added === null) throw fieldError("address", mailboxMessages.tooMany);
  await askOrTakeBack(deps, { userId, id: added.id, address: added.address, isNew: !known.has(added.id) });
  const listed = (await listMailboxes(deps, userId)).find(({ id }) => id === added.id);
  if (listed === undefined) throw notFound("This mailbox was removed in the meantime.");
  return listed;
}

/** Removes a newly added mailbox again if its confirmation message is refused or fails. */
async function askOrTakeBack(
  deps: MailboxDeps & AskDeps,
  { userId, id, address, isNew }: { userId: string; id: string; address: string; isNew: boolean },
): Promise<void> {
  if (deps.confirmation === null) return;
  const takeBack = async () => {
    if (isNew) await deps.mailboxes.delete(userId, id);
  };
  const settings = deps.confirmation;
  const asked = await askForConfirmation(deps, settings, { userId, address, isByOwner: true }).catch(async (thrown) => {
    await takeBack();
    throw thrown;
  });
  if (asked.kind !== "too_many") return;
  await takeBack();
  const message = `${bounds.mailboxConfirmations.waiting} of your mailboxes are not confirmed. Please confirm one of them first.`;
  throw fieldError("address", message);
}
