import { limits } from "@kauke/contract";
import { type AliasToInsert, aliasAddress, mailboxesAmong } from "../alias/alias.ts";
import { newAlias } from "../alias/create-alias.ts";
import { AppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { nothingKnown } from "./forwarding-provider.ts";
import { type AdoptionRules, type PlannedAdoption, planAdoption } from "./plan-adoption.ts";
import type { ProviderAccount, ProviderCopy } from "./provider-account.ts";
import type { ProviderInventory } from "./provider-inventory.ts";
import { pagesOf } from "./run-comparison.ts";

export type AdoptDeps = Pick<CoreDeps, "aliases" | "destinations" | "users" | "mailDomains" | "clock" | "random"> & {
  account: ProviderAccount;
  providerInventory: Pick<ProviderInventory, "foreknow">;
  isConfirmationNeeded: boolean;
};

export interface AdoptionPlan {
  rows: PlannedAdoption[];
  /** Mailboxes of the aliases to adopt that the account has not confirmed: the provider forwards nothing to them until then. */
  unconfirmed: string[];
}

const AT_ONCE = 500;

/** All copies without our mark, in the provider's order. @throws ProviderError */
export async function planCopies(deps: AdoptDeps, userId: string, signal: AbortSignal): Promise<AdoptionPlan> {
  const rows: PlannedAdoption[] = [];
  for await (const planned of plannedPages(deps, userId, signal)) rows.push(...planned);
  const mailboxes = new Set(rows.filter(isToAdopt).flatMap(({ destinations }) => mailboxesAmong(destinations)));
  const states = deps.isConfirmationNeeded ? await deps.destinations.states(userId, [...mailboxes]) : new Map();
  const isOpen = (mailbox: string) => ["new", "asked"].includes(states.get(mailbox) ?? "");
  return { rows, unconfirmed: [...mailboxes].filter(isOpen) };
}

export const isToAdopt = ({ refusal }: PlannedAdoption): boolean => refusal === null;

/**
 * Adopts up to `most` copies. What an earlier call adopted is refused as existing, so calls go on where the last ended.
 * @returns aliases made; less than `most`: nothing is left @throws ProviderError
 */
export async function adoptCopies(
  deps: AdoptDeps,
  { userId, most }: { userId: string; most: number },
  signal: AbortSignal,
): Promise<number> {
  let made = 0;
  for await (const planned of plannedPages(deps, userId, signal))
    for (const one of planned.filter(isToAdopt)) {
      if (made === most) return made;
      if (await adopt(deps, userId, one)) made += 1;
    }
  return made;
}

async function* plannedPages(deps: AdoptDeps, userId: string, signal: AbortSignal) {
  let room = limits.aliasesMax - (await deps.users.stats(userId)).aliases;
  for (const domain of deps.mailDomains.operators)
    for await (const page of pagesOf(deps.account, domain, signal)) {
      const foreign = page.filter(({ aliasId, isOperators }) => aliasId === null && isOperators !== true);
      for (let from = 0; from < foreign.length; from += AT_ONCE) {
        const copies = foreign.slice(from, from + AT_ONCE);
        const planned = planAdoption(copies, { ...(await readRules(deps, userId, copies)), room });
        room -= planned.filter(isToAdopt).length;
        yield planned;
      }
    }
}

async function readRules(
  { aliases, destinations, mailDomains }: AdoptDeps,
  userId: string,
  copies: readonly ProviderCopy[],
): Promise<Omit<AdoptionRules, "room">> {
  const isMailbox = (text: string) => text.includes("@") && !text.includes("://");
  const mailboxes = [...new Set(copies.flatMap(({ recipients }) => recipients.filter(isMailbox)))];
  const standing = await aliases.standing(
    userId,
    copies.map(({ address }) => address),
  );
  const blocked = await destinations.blockedAmong(mailboxes);
  return { mailDomains, standing, blocked: new Set([...blocked].map((mailbox) => mailbox.toLowerCase())) };
}

/** @returns false when somebody took the address meanwhile */
async function adopt(deps: AdoptDeps, userId: string, { copy, destinations }: PlannedAdoption): Promise<boolean> {
  const at = copy.address.lastIndexOf("@");
  const [name, domain] = [copy.address.slice(0, at), copy.address.slice(at + 1)];
  const made = newAlias(deps, { userId, name, domain, destinations: [...destinations], notes: null });
  const alias: AliasToInsert = copy.isEnabled
    ? made
    : { ...made, routing: { state: "paused", lastDestinations: [...destinations] } };
  const known = { ...nothingKnown, providerId: copy.providerId, address: aliasAddress(name, domain) };
  await deps.providerInventory.foreknow({ aliasId: alias.id, userId, known });
  try {
    await deps.aliases.insert(alias);
    return true;
  } catch (thrown) {
    if (thrown instanceof AppError && (thrown.code === "alias_taken" || thrown.code === "alias_released")) return false;
    throw thrown;
  }
}
